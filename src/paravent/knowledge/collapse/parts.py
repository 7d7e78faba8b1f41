"""Parts: rows put together by a fixed order, whatever k: halves, strips, and the nearest rows of some.

- Halves: the table is halved at the lower median of the column with the widest span, and so are its halves, until all
  rows of a part are alike. For a k, the halves are undone of which one is smaller.
- Strips: the tuples sorted by all columns, that with the fewest values first, and cut as soon as k rows are together.
- Nearest: for rows evenly spread over the table, those that a label in common with costs least, until they are k.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import ceil

import numpy as np

from paravent.knowledge.collapse.folded import FoldedTable

_SEEDS = 120
_AMONG = 6_000
"""The nearest are looked for among so many tuples, evenly spread; k is scaled by the rows that they stand for."""


@dataclass(frozen=True, eq=False)
class Halves:
    """The tree of halves: part p has `weight[p]` rows and came of `parent[p]` (−1: the table); tuple t ended up in
    `last[t]`. Two halves of one part are neighbours; those halved as often as one another begin at `turns[i]`."""

    weight: np.ndarray
    parent: np.ndarray
    last: np.ndarray
    turns: np.ndarray

    @classmethod
    def of(cls, table: FoldedTable) -> Halves:
        leaves = np.stack(table.leaves, axis=1)
        weight, parent = [np.array([table.rows])], [np.array([-1])]
        last = np.zeros(len(table), dtype=np.int64)
        order, start, names, count = np.arange(len(table)), np.array([0]), np.array([0]), 1
        while len(order):
            part = np.repeat(np.arange(len(start)), np.diff(np.append(start, len(order))))
            column, low, high = _widest(table, leaves, order, start)
            ranks = leaves[order, column[part]]
            by_rank = np.lexsort((ranks, part))
            order, ranks = order[by_rank], ranks[by_rank]
            rows = table.weight[order].astype(np.int64)
            cut = _cut(ranks, rows, part, start, high)
            left = ranks <= cut[part]
            lower = np.bincount(part, rows * left, len(start)).astype(np.int64)
            halved = low < high
            new = np.full((len(start), 2), -1)
            new[halved] = count + np.arange(2 * int(halved.sum())).reshape(-1, 2)
            total = np.add.reduceat(rows, start)
            weight.append(np.stack([lower, total - lower], axis=1)[halved].ravel())
            parent.append(np.repeat(names[halved], 2))
            count += 2 * int(halved.sum())
            goes = halved[part]
            order, belongs = order[goes], np.where(left, new[part, 0], new[part, 1])[goes]
            last[order] = belongs
            by_part = np.argsort(belongs, kind="stable")
            order = order[by_part]
            names, start = np.unique(belongs[by_part], return_index=True)
        turns = np.cumsum([0, *map(len, weight)])
        return cls(np.concatenate(weight), np.concatenate(parent), last, turns)

    def at(self, k: int) -> np.ndarray:
        """The part of each tuple, numbered without gaps, if no half may be smaller than k."""
        ends = np.arange(len(self.weight))
        large = np.append(True, np.repeat(np.minimum(self.weight[1::2], self.weight[2::2]) >= k, 2))
        for first, last in pairwise(self.turns[1:].tolist()):
            above = self.parent[first:last]
            stands = (ends[above] == above) & large[first:last]
            ends[first:last] = np.where(stands, ends[first:last], ends[above])
        return np.unique(ends[self.last], return_inverse=True)[1]


def _widest(
    table: FoldedTable, leaves: np.ndarray, order: np.ndarray, start: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The column of the widest span in each part, and the ranks that the span goes from and to."""
    low = np.minimum.reduceat(leaves[order], start, axis=0)
    high = np.maximum.reduceat(leaves[order], start, axis=0)
    span = [
        column.line[high[:, j]] - column.line[low[:, j]] + 1e-12 * (high[:, j] > low[:, j])
        for j, column in enumerate(table.columns)
    ]
    widest = np.argmax(np.stack(span, axis=1), axis=1)
    at = np.arange(len(start))
    return widest, low[at, widest], high[at, widest]


def _cut(ranks: np.ndarray, rows: np.ndarray, part: np.ndarray, start: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The last rank of the lower half of each part: its lower median, or the one before where that is the highest."""
    upto = np.cumsum(rows)
    inside = upto - (upto[start] - rows[start])[part]
    total = np.add.reduceat(rows, start)
    reached = np.flatnonzero(inside >= ((total + 1) // 2)[part])
    first = np.zeros(len(start), dtype=np.int64)
    first[part[reached][::-1]] = reached[::-1]
    median = ranks[first]
    return np.asarray(np.where(median == high, median - 1, median))


def sorted_tuples(table: FoldedTable) -> np.ndarray:
    """The tuples by all columns, that with the fewest values first."""
    columns = sorted(range(len(table.columns)), key=lambda j: (len(table.columns[j]), j))
    return np.lexsort([table.leaves[j] for j in reversed(columns)])


def strips(table: FoldedTable, order: np.ndarray, k: int) -> np.ndarray:
    """The strip of each tuple: as few tuples in a row as are k rows together; the last takes what is left."""
    upto = np.append(0, np.cumsum(table.weight[order], dtype=np.int64))
    following = np.searchsorted(upto, upto + k).tolist()  # where a strip ends that begins at each place
    cuts, at, last = [], 0, int(np.searchsorted(upto, upto[-1] - k, side="right")) - 1
    while following[at] <= last:
        at = following[at]
        cuts.append(at)
    number = np.zeros(len(order), dtype=np.int64)
    number[cuts] = 1
    found = np.empty(len(order), dtype=np.int64)
    found[order] = np.cumsum(number)
    return found


@dataclass(frozen=True, eq=False)
class Nearest:
    """For each of some rows, the tuples `among` others from the nearest to the furthest; `share` of the table's rows
    are among them."""

    table: FoldedTable
    among: np.ndarray
    order: np.ndarray
    share: float

    @classmethod
    def of(cls, table: FoldedTable) -> Nearest:
        among = np.arange(0, len(table), max(1, -(-len(table) // _AMONG)))
        upto = np.cumsum(table.weight[among], dtype=np.int64)
        seeds = np.unique(np.searchsorted(upto, (np.arange(_SEEDS) + 0.5) / _SEEDS * upto[-1]))
        apart = np.zeros((len(seeds), len(among)), dtype=np.float32)
        for share, column, leaves in zip(table.shares, table.columns, table.leaves, strict=True):
            own, other = leaves[among[seeds]], leaves[among]
            if column.has_tree:
                cost = column.cost_between(own[:, None], other[None, :])
            else:
                cost = np.abs(column.line[own][:, None] - column.line[other][None, :])
            apart += np.float32(share) * cost.astype(np.float32)
        return cls(table, among, np.argsort(apart, axis=1, kind="stable"), float(upto[-1]) / table.rows)

    def at(self, k: int) -> dict[str, float]:
        """What labels over k rows would cost and tell, if every row had its nearest for itself."""
        wanted = max(1.0, k * self.share)
        table, tuples = self.table, self.among[self.order[:, : ceil(wanted)]]  # each is a row at least
        rows = table.weight[tuples].astype(np.int64)
        inside = np.cumsum(rows, axis=1) - rows < wanted
        cost = np.zeros(len(tuples))
        for share, column, leaves in zip(table.shares, table.columns, table.leaves, strict=True):
            ranks = leaves[tuples]
            low = np.where(inside, ranks, len(column)).min(axis=1)
            high = np.where(inside, ranks, -1).max(axis=1)
            cost += share * column.cost_between(low, high)
        size = (rows * inside).sum(axis=1)
        found = {"loss": float(cost.mean()), "mean": float((k * self.share / size).mean())}
        seed, place = np.nonzero(inside)
        return {**found, **self._told(seed, tuples[seed, place], size, found["loss"])}

    def _told(self, seed: np.ndarray, tuples: np.ndarray, size: np.ndarray, loss: float) -> dict[str, float]:
        """What the nearest tell about the class and the number; each seed counts alike."""
        table, found = self.table, {"wrong": 0.0, "untold": loss}
        if table.classes is not None:
            counts = table.classes.by(np.arange(len(table)), len(table))
            held = np.zeros((len(size), table.classes.size))
            np.add.at(held, seed, counts[tuples])
            found["wrong"] = 1 - float((held.max(axis=1) / held.sum(axis=1)).mean())
        if table.numbers is not None and table.numbers.second.sum() > 0:
            first = np.bincount(seed, table.numbers.first[tuples], len(size))
            second = np.bincount(seed, table.numbers.second[tuples], len(size))
            mean = table.numbers.second.sum() / table.rows
            left = np.maximum(0.0, second - first**2 / size) / size * (size / np.maximum(1, size - 1)) ** 2
            found["untold"] = float(np.where(size > 1, left, mean).mean() / mean)
        return found
