"""Fitting: the distribution of largest entropy among those that come nearest to noisy counts (McKenna, Sheldon, Miklau
2019: Graphical-model based estimation and inference for differential privacy), by entropic mirror descent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from paravent.private.graphical.beliefs import Beliefs, propagate
from paravent.private.graphical.junction import Columns, JunctionTree, junction_tree, spread, summed

_LEAST = -80.0
"""The logarithm of the least potential of a possible cell beside the largest one: nothing, and products of it exist."""


@dataclass(frozen=True, eq=False)
class Noisy:
    """Counts of the cells of some columns, with noise of the standard deviation sigma."""

    columns: Columns
    counts: np.ndarray
    sigma: float


@dataclass(frozen=True, eq=False)
class Fitted:
    """A distribution over all columns, of `total` rows, with the parameters that it was found by."""

    total: float
    beliefs: Beliefs
    parameters: Mapping[Columns, np.ndarray]
    loss: float

    def counts(self, columns: Columns) -> np.ndarray:
        """How many rows each cell of some columns is expected to have."""
        return self.total * self.beliefs.of(columns)


def estimated_total(measured: Iterable[Noisy]) -> float:
    """The number of rows that noisy counts tell together, each weighted by how exact its sum is; at least 1."""
    weights, sums = [], []
    for noisy in measured:
        weights.append(1 / (noisy.sigma**2 * noisy.counts.size))
        sums.append(float(noisy.counts.sum()))
    return max(1.0, float(np.average(sums, weights=weights))) if sums else 1.0


def fit(
    sizes: Sequence[int],
    measured: Sequence[Noisy],
    *,
    impossible: Mapping[Columns, np.ndarray] | None = None,
    start: Mapping[Columns, np.ndarray] | None = None,
    steps: int = 100,
    total: float | None = None,
) -> Fitted:
    """The distribution that fits counts, from the parameters of another fit where some are given. `impossible` marks
    cells that nobody can be in. At most `steps` steps are taken, fewer where the loss no longer falls."""
    problem = _Problem(sizes, measured, impossible or {}, estimated_total(measured) if total is None else total)
    return problem.solved(start or {}, steps)


class _Problem:
    def __init__(
        self,
        sizes: Sequence[int],
        measured: Sequence[Noisy],
        impossible: Mapping[Columns, np.ndarray],
        total: float,
    ) -> None:
        self.sizes, self.total = tuple(sizes), total
        self.targets = _averaged(measured)
        self.tree: JunctionTree = junction_tree([*self.targets, *impossible], self.sizes)
        self.home = {columns: self.tree.home(columns, self.sizes) for columns in self.targets}
        self.possible: dict[int, np.ndarray] = {}
        for columns, never in impossible.items():
            place = self.tree.home(columns, self.sizes)
            over = self.tree.cliques[place]
            shape = [self.sizes[column] for column in over]
            known = self.possible.setdefault(place, np.ones(shape))
            known *= spread(~never, columns, over)
        self.inner = _nested(self.targets)

    def solved(self, start: Mapping[Columns, np.ndarray], steps: int) -> Fitted:
        theta = {
            columns: start[columns] if columns in start else np.zeros(counts.shape)
            for columns, (counts, _) in self.targets.items()
        }
        weight = sum(weight for _, weight in self.targets.values())
        step = 4 / (self.total * weight) if weight else 0.0
        beliefs = self._beliefs(theta)
        loss, slope, reached = self._judged(beliefs)
        still = 0
        for _ in range(steps if self.targets else 0):
            moved = {columns: theta[columns] - step * slope[columns] for columns in theta}
            tried = self._beliefs(moved)
            new, new_slope, new_reached = self._judged(tried)
            fallen = sum(float(np.vdot(slope[columns], reached[columns] - new_reached[columns])) for columns in theta)
            if loss - new < 0.5 * fallen or not np.isfinite(new):
                step *= 0.5
                continue
            still = still + 1 if loss - new <= 1e-6 * loss else 0
            theta, beliefs, loss, slope, reached = moved, tried, new, new_slope, new_reached
            step *= 1.4
            if still >= 3:
                break
        return Fitted(self.total, beliefs, theta, loss)

    def _beliefs(self, theta: Mapping[Columns, np.ndarray]) -> Beliefs:
        logs = [np.zeros([self.sizes[column] for column in clique]) for clique in self.tree.cliques]
        for columns, home in self.home.items():
            logs[home] += spread(theta[columns], columns, self.tree.cliques[home])
        for log in logs:
            np.maximum(log - log.max(), _LEAST, out=log)
            np.exp(log, out=log)
        for place, possible in self.possible.items():
            logs[place] *= possible
        return propagate(self.tree, self.sizes, logs)

    def _judged(self, beliefs: Beliefs) -> tuple[float, dict[Columns, np.ndarray], dict[Columns, np.ndarray]]:
        """The loss of some beliefs, its slope, and the counts that they expect."""
        loss = 0.0
        slope: dict[Columns, np.ndarray] = {}
        reached: dict[Columns, np.ndarray] = {}
        for columns, inside in self.inner.items():
            if inside is None:
                home = self.home[columns]
                table = summed(beliefs.cliques[home], self.tree.cliques[home], columns)
            else:
                table = summed(reached[inside], inside, columns)
            table = self.total * table if inside is None else table
            counts, weight = self.targets[columns]
            away = table - counts
            reached[columns], slope[columns] = table, weight * away
            loss += 0.5 * weight * float(np.vdot(away, away))
        return loss, slope, reached


def _averaged(measured: Sequence[Noisy]) -> dict[Columns, tuple[np.ndarray, float]]:
    """Counts of the same columns as one, weighted by their exactness, with the weight (1 / variance) of it."""
    found: dict[Columns, tuple[np.ndarray, float]] = {}
    for noisy in measured:
        weight = 1 / noisy.sigma**2
        counts, before = found.get(noisy.columns, (np.zeros(noisy.counts.shape), 0.0))
        found[noisy.columns] = ((before * counts + weight * noisy.counts) / (before + weight), before + weight)
    return found


def _nested(targets: Iterable[Columns]) -> dict[Columns, Columns | None]:
    """Each target with a larger one that it can be summed from, the large ones first; None: from its clique."""
    found: dict[Columns, Columns | None] = {}
    for columns in sorted(targets, key=lambda each: (-len(each), each)):
        larger = [each for each in found if set(columns) < set(each)]
        found[columns] = larger[-1] if larger else None
    return found
