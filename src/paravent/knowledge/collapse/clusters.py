"""Clusters: tuples put together one after the other, each with the nearest that nobody has taken.

The first tuple that is free, in the order of all columns, begins a cluster and takes the nearest free ones until they
are k rows; what is left over joins the cluster whose first tuple is nearest. How far two tuples are apart is what a
label over both would cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from paravent.knowledge.collapse.column import Column
from paravent.knowledge.collapse.folded import FoldedTable

_MOST_PAIRS = 1 << 22
"""Columns with more pairs of values are measured along their line."""


@dataclass(frozen=True, eq=False)
class Clusters:
    """The tuples of a table in the order of all columns, ready to be put together at any k."""

    order: np.ndarray
    weight: np.ndarray
    apart: Sequence[_Apart]

    @classmethod
    def of(cls, table: FoldedTable, order: np.ndarray) -> Clusters:
        columns = zip(table.shares.tolist(), table.columns, table.leaves, strict=True)
        return cls(
            order,
            table.weight[order].astype(np.int64),
            [_Apart.of(share, column, leaves[order]) for share, column, leaves in columns],
        )

    def at(self, k: int) -> np.ndarray:
        """The cluster of each tuple, numbered without gaps. Ties: the tuple that stands first in the order."""
        cluster = np.full(len(self.order), -1, dtype=np.int64)
        seeds: list[int] = []
        free, left = np.arange(len(self.order)), int(self.weight.sum())
        while left >= k and len(free):
            rows = self.weight[free]
            taken = np.zeros(1, dtype=np.int64)
            if rows[0] < k:
                near = _nearest(self._from(free[0], free), min(len(free), k))
                taken = near[: int(np.searchsorted(np.cumsum(rows[near]), k)) + 1]
            cluster[free[taken]] = len(seeds)
            seeds.append(int(free[0]))
            left -= int(rows[taken].sum())
            free = np.delete(free, taken)
        for t in free.tolist():
            cluster[t] = int(np.argmin(self._from(t, np.array(seeds)))) if seeds else 0
        found = np.empty(len(self.order), dtype=np.int64)
        found[self.order] = cluster
        return found

    def _from(self, one: int, others: np.ndarray) -> np.ndarray:
        total = np.zeros(len(others), dtype=np.float32)
        for column in self.apart:
            total += column.between(one, others)
        return total


@dataclass(frozen=True, eq=False)
class _Apart:
    """How far tuples are apart on one column: by a table of the values that occur, or along the line."""

    value: np.ndarray
    table: np.ndarray | None
    place: np.ndarray

    @classmethod
    def of(cls, share: float, column: Column, leaves: np.ndarray) -> _Apart:
        known, value = np.unique(leaves, return_inverse=True)
        table = None
        if len(known) ** 2 <= _MOST_PAIRS:
            low, high = np.minimum.outer(known, known), np.maximum.outer(known, known)
            table = (share * column.cost_between(low, high)).astype(np.float32)
        return cls(value, table, (share * column.line[leaves]).astype(np.float32))

    def between(self, one: int, others: np.ndarray) -> np.ndarray:
        if self.table is None:
            return np.asarray(np.abs(self.place[others] - self.place[one]))
        return np.asarray(self.table[self.value[one]][self.value[others]])


def _nearest(apart: np.ndarray, count: int) -> np.ndarray:
    """The places of the `count` nearest, the nearest first; of equals the first."""
    some = np.arange(len(apart))
    if count < len(apart):
        some = np.sort(np.argpartition(apart, count - 1)[:count])
    return np.asarray(some[np.argsort(apart[some], kind="stable")])
