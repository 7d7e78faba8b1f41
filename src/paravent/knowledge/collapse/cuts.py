"""Cuts: the table cut in two, again and again, as Mondrian cuts it (LeFevre, DeWitt, Ramakrishnan 2006).

Equal rows stay together, and no part is smaller than k. A part is cut where the tightest labels over both halves cost
least together (`cuts`), or at the lower median of its widest column (`medians`). Parts with the same labels are one,
which is left to `Groups.joined`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from paravent import kernels
from paravent.kernels import CutAxis
from paravent.kernels.cutting import Rule
from paravent.knowledge.collapse.folded import FoldedTable
from paravent.methods.label_space import LabelSpace

RULES: Mapping[str, Rule] = {"cuts": Rule.LEAST_COST, "medians": Rule.MEDIAN}
_SAMPLE = 2_048
"""Parts of more tuples choose their cut by so many of them."""


@dataclass(frozen=True, eq=False)
class Cuts:
    """The tuples of a table by the axes that they are cut along."""

    table: FoldedTable
    axes: Sequence[CutAxis]
    codes: np.ndarray

    @classmethod
    def of(cls, table: FoldedTable) -> Cuts:
        space = LabelSpace.of([column.axis for column in table.columns], "tree")
        codes = np.empty((len(table), len(space.axes)), dtype=np.int32)
        for j, (axis, column, leaves) in enumerate(zip(space.axes, table.columns, table.leaves, strict=True)):
            rank = np.empty(len(column), dtype=np.int32)
            rank[column.axis.codes] = axis.codes  # along the line, where spans of it are labelled
            codes[:, j] = rank[leaves]
        return cls(table, space.cuts, codes)

    def at(self, k: int, rule: str) -> np.ndarray:
        """The part of each tuple, numbered without gaps."""
        found = kernels.mondrian(
            self.codes, self.axes, k=k, weights=self.table.weight, rule=RULES[rule], sample=_SAMPLE
        )
        of_tuple = np.empty(len(self.table), dtype=np.int64)
        of_tuple[found.order] = np.repeat(np.arange(len(found.starts) - 1), np.diff(found.starts))
        return of_tuple
