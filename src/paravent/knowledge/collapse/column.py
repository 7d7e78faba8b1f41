"""Column: one quasi-identifier with the levels that it can stand on, and what each of them costs and keeps.

A column without a tree has two levels: its values, and one label for all. Costs are those of GCP: (values under the
label − 1) / (values − 1), numbers and dates by their span.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from paravent.hierarchy.axis import Axis
from paravent.methods.full_domain.levels import covered_share
from paravent.plan.encode import axis_of
from paravent.plan.plan import Plan
from paravent.table.domain import Coded
from paravent.table.kinds import Column as TableColumn


@dataclass(frozen=True, eq=False)
class Column:
    """The values of a column by their ranks. On level a, rank v has label `codes[a][v]` of `sizes[a]`, which costs
    `cost[a][v]`; all cells together cost `kept[a]`, and the labels have an entropy of `bits[a]`. `line` places ranks
    from 0 to 1."""

    codes: Sequence[np.ndarray]
    sizes: Sequence[int]
    cost: Sequence[np.ndarray]
    kept: np.ndarray
    bits: np.ndarray
    counts: np.ndarray
    line: np.ndarray
    weight: float
    axis: Axis

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def top(self) -> int:
        return len(self.codes) - 1

    @property
    def has_tree(self) -> bool:
        return self.axis.tree is not None

    def under(self, at: int, ranks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The first and the last rank under the labels that some ranks have on a level: they are neighbours."""
        codes = self.codes[at]
        return np.searchsorted(codes, codes[ranks]), np.searchsorted(codes, codes[ranks], side="right") - 1

    @classmethod
    def of(cls, axis: Axis) -> Column:
        counts = axis.counts.astype(float)
        if axis.tree is not None:
            codes = [np.ascontiguousarray(level.codes, dtype=np.int32) for level in axis.tree.levels]
            cost = covered_share(axis, all_leaves=False)
        else:
            ranks, alone = np.arange(len(axis), dtype=np.int32), len(axis) == 1
            codes = [ranks] if alone else [ranks, np.zeros_like(ranks)]
            cost = [np.full(len(axis), float(level)) for level in range(len(codes))]
        return cls(
            codes,
            [int(each.max()) + 1 for each in codes],
            cost,
            np.array([counts @ each for each in cost]) / counts.sum(),
            np.array([entropy(np.bincount(each, counts)) for each in codes]),
            counts,
            _line(axis),
            axis.weight,
            axis,
        )

    def cost_between(self, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """What the tightest label over ranks from `low` to `high` costs: of the lowest level where it has one name, or
        the span of a column without a tree."""
        if not self.has_tree:
            return np.asarray(self.line[high] - self.line[low])
        found = np.ones(np.broadcast_shapes(low.shape, high.shape))
        for codes, cost in zip(reversed(self.codes), reversed(self.cost), strict=True):
            found = np.where(codes[low] == codes[high], cost[low], found)
        return found

    def covered(self, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The first and the last rank that the tightest label over ranks from `low` to `high` covers. Ranks under one
        label of a tree are neighbours."""
        first, last = low, high
        if self.has_tree:
            for at in range(self.top, -1, -1):
                alike, ends = self.codes[at][low] == self.codes[at][high], self.under(at, low)
                first, last = np.where(alike, ends[0], first), np.where(alike, ends[1], last)
        return first, last

    def shift(self, rows: np.ndarray) -> float:
        """The share of rows that would have to move to give the column its distribution back; `rows` by rank."""
        if not rows.sum():
            return 1.0
        return float(np.abs(self.counts / self.counts.sum() - rows / rows.sum()).sum() / 2)


def coded_column(coded: Coded, column: TableColumn, plan: Plan) -> tuple[Column, np.ndarray]:
    """A column of a table by a plan whose paths are absolute, and the rank of each code; a missing cell, whose code is
    −1, has the last entry."""
    domain, missing = coded.domain, coded.n_missing
    codes, times = np.arange(len(domain), dtype=np.int32), domain.counts
    if missing:
        codes, times = np.append(codes, np.int32(-1)), np.append(times, missing)
    axis = axis_of(Coded(domain, codes, times), column, plan)
    return Column.of(axis), axis.codes if missing else np.append(axis.codes, axis.codes[-1:])


def entropy(counts: np.ndarray) -> float:
    """In bits."""
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log2(shares)).sum()) + 0.0


def _line(axis: Axis) -> np.ndarray:
    places = axis.positions
    if places is None or not np.isfinite(places).any():
        places = np.arange(len(axis), dtype=float)
    places = np.where(np.isfinite(places), places, np.nanmax(places))  # a missing value stands at the end
    return np.asarray((places - places.min()) / (np.ptp(places) or 1.0))
