"""What every node of a lattice too large to be walked loses at least: branch and bound over boxes of levels.

A box lets the level of each column go from `low` to `high`. All its nodes lie below the node of the high levels, so
what is an outlier there, with one group of columns on lower levels, is an outlier in every node of the box that has
these columns so low (its classes are parts of those). A node that suppresses u rows can therefore only have levels
that make no more than u outliers by themselves, group by group, and each column loses at least what u rows lose there
that lose least. The least over all u bounds the box. The box of the least bound is split in two, in the column that
would lose most by what was not chosen; the least bound of the boxes that are left holds for all nodes.

The more columns, the longer it takes until boxes are small. But a node of all columns is one of any part of them too,
with no fewer outliers than that part has by itself: what the parts lose at least adds up to what all columns do. So
parts of a few columns, for which the search ends, are bounded first, then larger ones.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np

from paravent.methods.full_domain.below import Below
from paravent.methods.full_domain.lattice_search import LatticeSearch
from paravent.methods.full_domain.objectives import Ambiguity, CellLoss

_GRID = 512
"""Numbers of suppressed rows for which the loss of columns is worked out; those between are rounded down."""
_COMBINED = 24
"""Combinations of levels of a group of columns."""
_BOXES = 3_000
"""Boxes that are split where there is no time limit."""
_PARTS = (8, 12)
"""How many columns the parts have at most that are bounded before all columns together."""


def bound_by_parts(search: LatticeSearch, best: float) -> float:
    """What all nodes lose at least, no more than `best`: by the columns dealt into parts, and by all together."""
    objective, columns = search.objective, len(search.shape)
    assert isinstance(objective, CellLoss)
    dealt = list(dict.fromkeys([*(-(-columns // most) for most in _PARTS), 1]))
    least, end = 0.0, search.deadline
    for turn, parts in enumerate(dealt):
        summed = 0.0
        for at in range(parts):
            left = parts - at + (turn < len(dealt) - 1)  # larger parts get what these leave
            part = search.of_columns(range(at, columns, parts)) if parts > 1 else search
            if end is not None:
                now = time.monotonic()
                part.deadline = now + max(0.0, end - now) / left
            bound = max(BoxBound(part).run(best), 0.0)
            summed += float(np.log1p(bound)) if objective.geometric else bound
        least = max(least, float(objective.joined(np.array(summed))) * (1 - 1e-9))
    search.deadline = end
    return min(least, best)


@dataclass(frozen=True, eq=False)
class _Group:
    """Some columns of a box: their combinations of levels, and the outliers of each with the others on high levels."""

    columns: tuple[int, ...]
    levels: np.ndarray
    outliers: np.ndarray


@dataclass(frozen=True, eq=False)
class _Box:
    low: np.ndarray
    high: np.ndarray
    groups: tuple[_Group, ...]
    chosen: np.ndarray
    at: int  # the row of the grid where the bound is


class BoxBound:
    """The bound of a search's lattice, where the objective is a sum over columns."""

    def __init__(self, search: LatticeSearch):
        self.search = search
        self.rows = np.unique(np.linspace(0, search.task.n_rows, _GRID).astype(np.int64))
        self.loss = _losses(search, self.rows)

    def run(self, best: float) -> float:
        """What all nodes lose at least; no more than `best`, the loss of one of them, matters."""
        top = np.array(self.search.shape) - 1
        open_: list[tuple[float, int, _Box]] = []
        made = 0
        for bound, box in self._boxes(np.zeros_like(top), top, 0.0):
            open_.append((bound, made, box))
        for split in range(_BOXES if self.search.deadline is None else 10**12):
            if not open_ or open_[0][0] >= best or self.search.late():
                break
            bound, _, box = heapq.heappop(open_)
            if (box.chosen == box.high).all():  # a node, and the bound of its levels
                return min(bound, best)
            if split % 64 == 0:
                self.search.task.progress("bounding", min(1.0, max(bound, 0.0) / best))
            for least, child in self._halves(box, bound):
                made += 1
                if least < best:
                    heapq.heappush(open_, (least, made, child))
        return min([best, *(bound for bound, _, _ in open_[:1])])

    def _halves(self, box: _Box, bound: float) -> Iterator[tuple[float, _Box]]:
        spared = [
            loss[box.at, high] - loss[box.at, chosen] if chosen < high else -1.0
            for loss, high, chosen in zip(self.loss, box.high.tolist(), box.chosen.tolist(), strict=True)
        ]
        j = int(np.argmax(spared))
        high, low = box.high.copy(), box.low.copy()
        high[j], low[j] = box.chosen[j], box.chosen[j] + 1
        yield from self._boxes(box.low, high, bound)
        # the high levels are the same, and so are the outliers
        yield from self._bounded(low, box.high, tuple(_above(group, low) for group in box.groups), bound)

    def _boxes(self, low: np.ndarray, high: np.ndarray, bound: float) -> Iterator[tuple[float, _Box]]:
        """A box with its outliers counted."""
        search = self.search
        below = Below(search.tuples, high, k=search.k)
        groups = []
        for columns, levels in _dealt(low, high):
            groups.append(_Group(columns, levels, below.outliers(columns, levels, limit=search.limit)))
        yield from self._bounded(low, high, tuple(groups), bound)

    def _bounded(
        self, low: np.ndarray, high: np.ndarray, groups: tuple[_Group, ...], bound: float
    ) -> Iterator[tuple[float, _Box]]:
        """A box with its bound, at least that of the box it is part of; none where nothing in it is acceptable."""
        rows = np.unique(np.concatenate([group.outliers for group in groups]))
        rows = rows[(rows <= self.search.limit) & (rows >= max(group.outliers.min() for group in groups))]
        if not len(rows):
            return
        # all numbers of rows within a step of the grid lose at least what its lower end does: the last allows most
        at, first = np.unique(np.searchsorted(self.rows, rows, side="right") - 1, return_index=True)
        rows = rows[np.r_[first[1:], len(rows)] - 1]
        summed = np.zeros(len(rows))
        picked = []
        for group in groups:
            loss = np.asarray(
                sum(self.loss[j][np.ix_(at, group.levels[:, i])] for i, j in enumerate(group.columns)), dtype=np.float64
            )
            loss[group.outliers[None] > rows[:, None]] = np.inf
            picked.append(loss.argmin(axis=1))
            summed += loss.min(axis=1)
        best = int(summed.argmin())
        chosen = high.copy()
        for group, pick in zip(groups, picked, strict=True):
            chosen[list(group.columns)] = group.levels[pick[best]]
        least = float(self.search.objective.joined(summed[best : best + 1])[0]) * (1 - 1e-9)
        yield max(bound, least), _Box(low, high, groups, chosen, int(at[best]))


def _above(group: _Group, low: np.ndarray) -> _Group:
    """The combinations of a group on the levels that are left."""
    kept = (group.levels >= low[list(group.columns)]).all(axis=1)
    return _Group(group.columns, group.levels[kept], group.outliers[kept])


def _dealt(low: np.ndarray, high: np.ndarray) -> Iterator[tuple[tuple[int, ...], np.ndarray]]:
    """The columns in groups of few combinations of levels, those with most levels first; columns with one level come
    along."""
    counts = (high - low + 1).tolist()
    groups: list[list[int]] = []
    for j in sorted(range(len(counts)), key=lambda j: (-counts[j], j)):
        room = (group for group in groups if counts[j] * prod(counts[i] for i in group) <= _COMBINED)
        found = next(room, None)
        if found is None:
            groups.append([j])
        else:
            found.append(j)
    for group in groups:
        levels = list(product(*(range(int(low[j]), int(high[j]) + 1) for j in group)))
        yield tuple(group), np.array(levels, dtype=np.int64)


def _losses(search: LatticeSearch, rows: np.ndarray) -> list[np.ndarray]:
    """By column: what each level adds to the objective's sum at least when so many rows are suppressed."""
    objective = search.objective
    if isinstance(objective, Ambiguity):
        return [np.repeat(part[None], len(rows), axis=0) for part in objective.parts]
    assert isinstance(objective, CellLoss)
    found = []
    for axis, cost, share in zip(search.task.axes, objective.costs, objective.shares.tolist(), strict=True):
        lost = np.empty((len(rows), len(cost.kept)))
        for level, spare in enumerate(cost.spare):
            order = np.argsort(spare, kind="stable")
            ends = np.r_[0, np.cumsum(axis.counts[order])]
            sums = np.r_[0.0, np.cumsum(axis.counts[order] * spare[order].astype(np.float64))]
            lost[:, level] = cost.kept[level] + np.interp(rows, ends, sums) * cost.unit
        found.append(share * (np.log1p(lost) if objective.geometric else lost))
    return found
