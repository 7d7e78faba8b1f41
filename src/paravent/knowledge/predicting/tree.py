"""Regression tree (CART; Breiman, Friedman, Olshen, Stone 1984), small enough to be read.

A cut halves the rows of a node where the squared error falls most; no leaf has fewer rows than `least`, and no cut is
made that gains less than a share `gain` of the whole error. Ties: the first feature, the lowest cut.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class RegressionTree:
    """Nodes as arrays: node i asks whether feature `feature[i]` is at most `cut[i]`, then goes to `left[i]` or
    `right[i]`; a leaf has feature −1. `mean`, `spread` and `count` tell of the training rows of a node."""

    feature: np.ndarray
    cut: np.ndarray
    left: np.ndarray
    right: np.ndarray
    mean: np.ndarray
    spread: np.ndarray
    count: np.ndarray

    @classmethod
    def fit(
        cls, rows: np.ndarray, target: np.ndarray, *, least: int = 6, depth: int = 7, gain: float = 0.001
    ) -> RegressionTree:
        """The tree of training rows.

        >>> tree = RegressionTree.fit(np.array([[1.0], [2.0], [8.0], [9.0]]), np.array([0.0, 0.0, 1.0, 1.0]), least=2)
        >>> tree.cut[0], tree.predict(np.array([[4.0], [7.0]])).tolist()
        (np.float64(5.0), [0.0, 1.0])
        """
        nodes: list[list[float]] = []
        floor = gain * float(((target - target.mean()) ** 2).sum()) if len(target) else 0.0

        def grow(chosen: np.ndarray, left_over: int) -> int:
            here, own = len(nodes), target[chosen]
            nodes.append([-1, 0.0, -1, -1, float(own.mean()), float(own.std()), len(own)])
            found = None if left_over == 0 else _best_cut(rows[chosen], own, least)
            if found is not None and found[2] > max(floor, 1e-12):
                feature, cut, _ = found
                low = rows[chosen, feature] <= cut
                nodes[here][:2] = [feature, cut]
                nodes[here][2] = grow(chosen[low], left_over - 1)
                nodes[here][3] = grow(chosen[~low], left_over - 1)
            return here

        grow(np.arange(len(target)), depth)
        return cls.from_nodes(nodes)

    @classmethod
    def from_nodes(cls, nodes: Sequence[Sequence[float]]) -> RegressionTree:
        """The tree of what `nodes` gives."""
        table = np.array(nodes, dtype=float).T
        whole = [table[place].astype(np.int64) for place in (0, 2, 3, 6)]
        return cls(whole[0], table[1], whole[1], whole[2], table[4], table[5], whole[3])

    def nodes(self) -> list[list[float]]:
        """Every node as a list of numbers, those of leaves short: what JSON holds."""
        columns = (self.feature, self.cut, self.left, self.right, self.mean, self.spread, self.count)
        return [[_plain(value) for value in node] for node in zip(*columns, strict=True)]

    def leaf(self, rows: np.ndarray) -> np.ndarray:
        """The leaf of each row."""
        at = np.zeros(len(rows), dtype=np.int64)
        while True:
            inner = np.flatnonzero(self.feature[at] >= 0)
            if not len(inner):
                return at
            node = at[inner]
            low = rows[inner, self.feature[node]] <= self.cut[node]
            at[inner] = np.where(low, self.left[node], self.right[node])

    def predict(self, rows: np.ndarray) -> np.ndarray:
        return np.asarray(self.mean[self.leaf(rows)])

    def path(self, row: np.ndarray) -> Iterator[tuple[int, float, bool]]:
        """The cuts on the way to the leaf of a row: feature, cut, whether the row lies at or below it."""
        at = 0
        while self.feature[at] >= 0:
            low = bool(row[self.feature[at]] <= self.cut[at])
            yield int(self.feature[at]), float(self.cut[at]), low
            at = int(self.left[at] if low else self.right[at])

    def text(self, words: Mapping[int, Any], at: int = 0, indent: str = "") -> Iterator[str]:
        """The tree as indented lines; `words[feature](cut)` says a cut."""
        if self.feature[at] < 0:
            yield f"{indent}{self.mean[at]:.4g} ± {self.spread[at]:.2g} ({self.count[at]} runs)"
            return
        said = words[int(self.feature[at])](float(self.cut[at]))
        yield f"{indent}if {said}:"
        yield from self.text(words, int(self.left[at]), indent + "    ")
        yield f"{indent}else:"
        yield from self.text(words, int(self.right[at]), indent + "    ")


def _best_cut(rows: np.ndarray, target: np.ndarray, least: int) -> tuple[int, float, float] | None:
    """The feature, the cut and by how much the squared error falls; None where no cut leaves `least` rows."""
    n = len(target)
    if n < 2 * least:
        return None
    order = np.argsort(rows, axis=0, kind="stable")
    values = np.take_along_axis(rows, order, axis=0)
    centred = target - target.mean()
    sums = np.cumsum(centred[order], axis=0)[:-1]
    below = np.arange(1, n, dtype=float)[:, None]
    gained = sums**2 / below + sums**2 / (n - below)  # the target is centred, so both sides' sums are opposite
    gained[values[1:] <= values[:-1]] = -1.0
    gained[: least - 1] = -1.0
    gained[n - least :] = -1.0
    place = int(np.argmax(gained.T))
    feature, at = divmod(place, n - 1)
    if gained[at, feature] <= 0:
        return None
    return feature, float((values[at, feature] + values[at + 1, feature]) / 2), float(gained[at, feature])


def _plain(value: float) -> float:
    return int(value) if float(value).is_integer() else float(f"{value:.6g}")
