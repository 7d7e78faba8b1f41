"""FoldedTable: a table as its different rows, with what classes of them say about a class and a number to predict.

Facts about classes are named alike wherever the classes come from:

- `loss`: what cells cost (GCP), rows in classes below k counted as suppressed;
- `kept`: the share of rows in classes of k or more;
- `least`, `mean`: k over the smallest class that is kept, and over the mean one;
- `size`: natural logarithm of the mean size of a row's own class, rows that are not kept counted as one with all others
  (discernability over rows);
- `wrong`: the share of rows that are not kept, or whose class to predict is not the most frequent of theirs;
- `bayes`: how often naive Bayes is right about every other row that has learnt from the classes of the rest;
- `untold`: the share of a number's variance that is left when a row is guessed by the mean of the others of its class;
- `shift`: the share of rows that would have to move to give a column its distribution back, mean over columns;
- `counts`: natural logarithm of the mean relative error of 32 counts, always the same, asked of the classes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log

import numpy as np

from paravent import kernels
from paravent.knowledge.collapse.column import Column

LONGER = ("bayes", "counts")
"""Facts that are measured only where they are asked for."""
FACTS = ("loss", "kept", "least", "mean", "size", "wrong", "bayes", "untold", "shift", "counts")
_QUESTIONS = 32
_SANITY = 0.01
"""Counts of fewer rows than this share are held against so many."""
_LEAST_ERROR = 1e-3


@dataclass(frozen=True, eq=False)
class ClassCounts:
    """How often each value of the class to predict occurs in each tuple: entry i is `count[i]` rows of tuple `owner[i]`
    with value `value[i]` of `size`, `even[i]` of them on even places of the table."""

    owner: np.ndarray
    value: np.ndarray
    count: np.ndarray
    even: np.ndarray
    size: int

    def by(self, of_tuple: np.ndarray, n: int, count: np.ndarray | None = None) -> np.ndarray:
        """The same of groups of tuples, as a matrix groups × values; of other counts where they are given."""
        cells = of_tuple[self.owner].astype(np.int64) * self.size + self.value
        return np.bincount(cells, self.count if count is None else count, n * self.size).reshape(n, self.size)

    def folds(self, kept: np.ndarray) -> Sequence[tuple[np.ndarray, np.ndarray]]:
        """Counts to learn from, of tuples that are kept, and counts to test on: even and odd places, and the other way
        round."""
        odd, there = self.count - self.even, kept[self.owner]
        return ((self.even * there, odd), (odd * there, self.even))


@dataclass(frozen=True, eq=False)
class Sums:
    """Of a number, less its mean over the table: the sum and that of squares, by tuple. Rows without one count 0."""

    first: np.ndarray
    second: np.ndarray


@dataclass(frozen=True, eq=False)
class FoldedTable:
    """Tuple t has rank `leaves[j][t]` on column j and stands for `weight[t]` rows."""

    columns: Sequence[Column]
    leaves: Sequence[np.ndarray]
    weight: np.ndarray
    classes: ClassCounts | None = None
    numbers: Sums | None = None

    def __len__(self) -> int:
        return len(self.weight)

    @cached_property
    def rows(self) -> int:
        return int(self.weight.sum(dtype=np.int64))

    @cached_property
    def shares(self) -> np.ndarray:
        """What each column counts for in a loss."""
        weights = np.array([column.weight for column in self.columns])
        return weights / weights.sum() if weights.sum() > 0 else np.full(len(weights), 1 / len(weights))

    def told(self, of_tuple: np.ndarray, sizes: np.ndarray, cost: np.ndarray, k: float) -> dict[str, float]:
        """What classes of tuples say: their sizes in rows, and what the cells of each tuple cost."""
        kept = sizes >= k
        held = sizes[kept].astype(float)
        rows, left = float(self.rows), float(held.sum())
        found = {
            "loss": float((self.weight * np.where(kept[of_tuple], cost, 1.0)).sum()) / rows,
            "kept": left / rows,
            "least": k / held.min() if len(held) else k / rows,
            "mean": k * len(held) / left if len(held) else k / rows,
            "size": log(float((held**2).sum()) / rows + (rows - left)),
            "wrong": 0.0,
        }
        if self.classes is not None:
            found["wrong"] = 1 - float(self.classes.by(of_tuple, len(sizes))[kept].max(axis=1).sum()) / rows
        found["untold"] = found["loss"]
        if self.numbers is not None and self.numbers.second.sum() > 0:
            found["untold"] = self._untold(of_tuple, sizes, kept)
        return found

    def _shift(self, spread: Sequence[np.ndarray]) -> float:
        """The mean shift of the columns, from the rows that each rank is taken for."""
        return float(np.mean([column.shift(rows) for column, rows in zip(self.columns, spread, strict=True)]))

    def _untold(self, of_tuple: np.ndarray, sizes: np.ndarray, kept: np.ndarray) -> float:
        assert self.numbers is not None
        first = np.bincount(of_tuple, self.numbers.first, len(sizes))
        second = np.bincount(of_tuple, self.numbers.second, len(sizes))
        inside = np.maximum(0.0, second - first**2 / sizes) * (sizes / np.maximum(1, sizes - 1)) ** 2
        return float(np.where(kept & (sizes > 1), inside, second).sum() / second.sum())

    def bayes(self, kept: np.ndarray, spread: Callable[[np.ndarray], Sequence[np.ndarray]]) -> float:
        """How often naive Bayes is right about half of the rows that has learnt from those of the other half that are
        kept. `spread` gives expected rows by column (values × classes) of counts; one is added to each (Laplace)."""
        classes, right = self.classes, 0.0
        if classes is None:
            return right
        for learnt, tested in classes.folds(kept):
            score = np.tile(np.log(np.bincount(classes.value, learnt, classes.size) + 1), (len(self), 1))
            for leaves, counts in zip(self.leaves, spread(learnt), strict=True):
                score += np.log((counts + 1) / (counts + 1).sum(axis=0))[leaves]
            right += float(tested[score.argmax(axis=1)[classes.owner] == classes.value].sum())
        return right / self.rows

    @cached_property
    def questions(self) -> list[dict[int, np.ndarray]]:
        """Counts to ask: stretches of ranks of one to three columns, drawn by a fixed seed."""
        rng = np.random.default_rng(0)
        found = []
        for _ in range(_QUESTIONS):
            width = int(rng.integers(1, min(3, len(self.columns)) + 1))
            chosen = sorted(rng.choice(len(self.columns), width, replace=False).tolist())
            found.append({j: _stretch(len(self.columns[j]), rng) for j in chosen})
        return found

    @cached_property
    def _answers(self) -> np.ndarray:
        return np.array([_total(self.weight, asked, self.leaves) for asked in self.questions])

    def off(self, answer: Callable[[Mapping[int, np.ndarray]], float]) -> float:
        """The logarithm of the mean relative error of answers."""
        true = self._answers
        told = np.array([answer(asked) for asked in self.questions])
        error = np.abs(told - true) / np.maximum(true, _SANITY * self.rows)
        return log(max(float(error.mean()), _LEAST_ERROR))

    def at_node(self, node: Sequence[int], k: float, facts: Collection[str] = FACTS) -> dict[str, float]:
        """What the table is like when every column stands on a level, rows in classes below k left out. Of the facts
        that take longer, those in `facts`."""
        codes = [column.codes[at][leaf] for column, at, leaf in zip(self.columns, node, self.leaves, strict=True)]
        sizes = [column.sizes[at] for column, at in zip(self.columns, node, strict=True)]
        folded = kernels.fold(codes, sizes, self.weight)
        cost = np.zeros(len(self))
        for share, column, at, leaf in zip(self.shares, self.columns, node, self.leaves, strict=True):
            cost += share * column.cost[at][leaf]
        found = self.told(folded.tuple_of_row, folded.weight, cost, k)
        kept = (folded.weight >= k)[folded.tuple_of_row]
        weight = np.where(kept, self.weight, 0)

        def answer(asked: Mapping[int, np.ndarray]) -> float:
            shares = {j: _by_label(self.columns[j].codes[node[j]], mask) for j, mask in asked.items()}
            return _total(weight, shares, codes)

        def spread(count: np.ndarray) -> list[np.ndarray]:
            assert self.classes is not None
            own = [self.classes.by(code, size, count) for code, size in zip(codes, sizes, strict=True)]
            return [(rows / np.bincount(level)[:, None])[level] for rows, level in zip(own, levels, strict=True)]

        held = [np.bincount(code, weight, size) for code, size in zip(codes, sizes, strict=True)]
        levels = [column.codes[at] for column, at in zip(self.columns, node, strict=True)]
        evenly = [(rows / np.bincount(level))[level] for rows, level in zip(held, levels, strict=True)]
        found["shift"] = self._shift(evenly)
        if "bayes" in facts:
            found["bayes"] = self.bayes(kept, spread)
        if "counts" in facts:
            found["counts"] = self.off(answer)
        return found

    def of_parts(self, of_tuple: np.ndarray, k: float, facts: Collection[str] = FACTS) -> dict[str, float]:
        """What the table is like in parts (numbered without gaps), each under its tightest labels; none is left out. Of
        the facts that take longer, those in `facts`."""
        order = np.argsort(of_tuple, kind="stable")
        n = int(of_tuple.max()) + 1
        start = np.searchsorted(of_tuple[order], np.arange(n))
        sizes = np.bincount(of_tuple, self.weight).astype(np.int64)
        lows = [np.minimum.reduceat(leaves[order], start) for leaves in self.leaves]
        highs = [np.maximum.reduceat(leaves[order], start) for leaves in self.leaves]
        cost = np.zeros(n)
        for j, (share, column) in enumerate(zip(self.shares, self.columns, strict=True)):
            cost += share * column.cost_between(lows[j], highs[j])
            lows[j], highs[j] = column.covered(lows[j], highs[j])
        ends = list(zip(self.columns, lows, highs, strict=True))
        least = min(k, int(sizes.min()))
        found = self.told(of_tuple, sizes, cost[of_tuple], least)
        found |= {"least": found["least"] * k / least, "mean": found["mean"] * k / least}

        def answer(asked: Mapping[int, np.ndarray]) -> float:
            parts = [_between(mask, lows[j], highs[j]) for j, mask in asked.items()]
            return float(np.prod([sizes, *parts], axis=0, dtype=float).sum())

        def spread(count: np.ndarray) -> list[np.ndarray]:
            assert self.classes is not None
            held = self.classes.by(of_tuple, n, count)
            return [_spread(held, low, high, len(column)) for column, low, high in ends]

        found["shift"] = self._shift([_spread(sizes, low, high, len(column)) for column, low, high in ends])
        if "bayes" in facts:
            found["bayes"] = self.bayes(np.ones(len(self), dtype=bool), spread)
        if "counts" in facts:
            found["counts"] = self.off(answer)
        return found


def _stretch(size: int, rng: np.random.Generator) -> np.ndarray:
    low, high = sorted(rng.integers(0, size, 2).tolist())
    wanted = np.zeros(size)
    wanted[low : high + 1] = 1.0
    return wanted


def _by_label(codes: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """The share of each label's values that is asked for."""
    return np.asarray(np.bincount(codes, mask) / np.bincount(codes))


def _total(weight: np.ndarray, shares: Mapping[int, np.ndarray], codes: Sequence[np.ndarray]) -> float:
    found = weight.astype(float)
    for j, share in shares.items():
        found = found * share[codes[j]]
    return float(found.sum())


def _between(mask: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The share of the ranks from `low` to `high` that is asked for."""
    upto = np.r_[0.0, np.cumsum(mask)]
    return np.asarray((upto[high + 1] - upto[low]) / (high - low + 1))


def _spread(rows: np.ndarray, low: np.ndarray, high: np.ndarray, size: int) -> np.ndarray:
    """Rows of parts (a number each, or several side by side) dealt evenly to the ranks from `low` to `high`."""
    width = (high - low + 1).reshape(-1, *(1,) * (rows.ndim - 1))
    edges = np.zeros((size + 1, *rows.shape[1:]))
    np.add.at(edges, low, rows / width)
    np.subtract.at(edges, high + 1, rows / width)
    return np.asarray(np.cumsum(edges, axis=0)[:-1])
