"""Anatomy (Xiao, Tao 2006): quasi-identifiers in one table, sensitive values in another, joined by groups alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from paravent.methods.method import Beside, Recoding, Task
from paravent.methods.tables.dealing import least_error, reconstruction_error
from paravent.methods.tables.dealt_method import DealtMethod, numbers, told
from paravent.privacy.derivation import Derivation
from paravent.privacy.grouping import cell_codes, dense_codes
from paravent.privacy.groups import Groups
from paravent.published import Untouched
from paravent.table.text import as_text

SENSITIVE = "sensitive"
"""The name of the second table."""


@dataclass(frozen=True, kw_only=True)
class Anatomy(DealtMethod):
    """Two tables: the quasi-identifiers as they are with the number of each row's group (`release`), and how often each
    sensitive value occurs in each group (`sensitive`: group, value, count).

    A group has l rows or more, no two with the same sensitive value, so that whoever finds a row knows its value with a
    probability of 1 / l at most: distinct, entropy and frequency l-diversity hold, and recursive with any c above 1.
    Who is in the table, and in which row, is not hidden. One sensitive column, one row a person. Rows of values too
    frequent for l are suppressed, as few as can be, where the plan allows it.

    The re-construction error is the least that any l-diverse groups can have, or above it by a factor of 1 + 1 / n at
    most (Theorem 4 of the source), as by the algorithm of the source; how rows are dealt here is told and compared in
    `methods/tables/dealing.py`. `group` names the column of numbers, which are drawn by chance, as are the rows of a
    group: there are no ties.

    >>> Anatomy(3)
    Anatomy(l=3, group='group')
    """

    group: str = "group"

    title: ClassVar[str] = "Anatomy"
    source: ClassVar[str] = "Xiao, Tao: Anatomy: simple and effective privacy preservation. VLDB 2006"

    @property
    def adds(self) -> tuple[str, ...]:
        return (self.group,)

    @property
    def derivation(self) -> Derivation:
        return Groups(self.group, SENSITIVE)

    def run(self, task: Task) -> Recoding:
        column, dealt = self.dealt(task)
        number, kept = numbers(dealt), np.flatnonzero(dealt.of_row >= 0)
        told_values = tally(number.gather(kept), task.cells[column].gather(kept))
        count = next(name for name in ("count", "rows", "number") if name not in (column, self.group))
        sizes = np.bincount(dealt.of_row[kept])
        error = reconstruction_error(np.ones(len(kept)), np.repeat(sizes, sizes))
        least = least_error(len(kept), self.asked(task))
        return Recoding(
            dealt.of_row,
            dealt.n_groups,
            {axis.name: Untouched() for axis in task.axes},
            (told(dealt, column), f"The re-construction error is {error:.6g}; none is below {least:.6g}."),
            without=frozenset({column}),
            added={self.group: number},
            beside={SENSITIVE: Beside(told_values.rename({"group": self.group, "value": column, "count": count}))},
        )


def tally(groups: pl.Series, values: pl.Series) -> pl.DataFrame:
    """How often each value occurs in each group, by number and then by value: the order of the source shows nowhere.

    >>> tally(pl.Series([2, 1, 2]), pl.Series(["flu", "flu", "flu"])).rows()
    [(1, 'flu', 1), (2, 'flu', 2)]
    """
    values = as_text(values) if isinstance(values.dtype, pl.Categorical) else values
    codes, width = dense_codes(cell_codes(values.alias("value")))
    some_row = np.zeros(width, dtype=np.int64)
    some_row[codes] = np.arange(len(codes))
    order = values.gather(some_row).arg_sort(nulls_last=True).to_numpy()
    rank = np.empty(width, dtype=np.int64)
    rank[order] = np.arange(width)
    pairs = np.sort(groups.to_numpy().astype(np.int64) * width + rank[codes])
    starts = np.flatnonzero(np.diff(pairs, prepend=-1))
    return pl.DataFrame(
        [
            pl.Series("group", pairs[starts] // width, dtype=groups.dtype),
            values.gather(some_row[order][pairs[starts] % width]).alias("value"),
            pl.Series("count", np.diff(starts, append=len(pairs)), dtype=pl.UInt32),
        ]
    )
