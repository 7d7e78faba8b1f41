"""Microaggregation: groups of rows that lie close together; see cpp/micro.hpp and cpp/micro_refine.hpp."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum

import numpy as np

from paravent.kernels import native
from paravent.kernels.native import check_codes

UNIT = 2.0**-30
"""Places on a line are whole multiples of this, so that sums of them are exact."""


class Measure(IntEnum):
    LINE = 0
    ORDER = 1
    NAME = 2
    TABLE = 3


_NO_CODES = np.zeros(0, dtype=np.int32)
_NO_PLACES = np.zeros(0, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class MicroColumn:
    """One column and its distance.

    LINE: `values` are places, rounded here to multiples of UNIT. ORDER: the place of code c is `places[c]`, ascending.
    NAME: the square of two codes that differ is `weight`. TABLE: it is `table[a, b]`, the square of a metric.
    """

    measure: Measure
    values: np.ndarray
    weight: float = 1.0
    codes: np.ndarray = field(default_factory=lambda: _NO_CODES)
    places: np.ndarray = field(default_factory=lambda: _NO_PLACES)
    table: np.ndarray = field(default_factory=lambda: _NO_PLACES)

    @classmethod
    def line(cls, values: np.ndarray) -> MicroColumn:
        return cls(Measure.LINE, np.rint(np.asarray(values, dtype=np.float64) / UNIT) * UNIT)

    @classmethod
    def order(cls, codes: np.ndarray, places: np.ndarray) -> MicroColumn:
        return cls(Measure.ORDER, places[codes], 1.0, codes, places)

    @classmethod
    def name(cls, codes: np.ndarray, size: int, weight: float = 1.0) -> MicroColumn:
        return cls(Measure.NAME, codes.astype(np.float64), weight, codes, np.zeros(size))

    @classmethod
    def tabled(cls, codes: np.ndarray, table: np.ndarray) -> MicroColumn:
        return cls(
            Measure.TABLE, codes.astype(np.float64), float(table.max(initial=0)), codes, np.zeros(len(table)), table
        )

    @property
    def size(self) -> int:
        return len(self.places)

    def contiguous(self) -> MicroColumn:
        whole, table = np.ascontiguousarray, np.ascontiguousarray(self.table, dtype=np.float64)
        return replace(self, values=whole(self.values), codes=whole(self.codes), places=whole(self.places), table=table)

    def check(self, rows: int, at: int) -> None:
        where = f"column {at}"
        if self.values.shape != (rows,) or self.values.dtype != np.float64 or not np.isfinite(self.values).all():
            raise ValueError(f"{where}: one finite float64 a row is needed")
        if self.measure is Measure.LINE:
            if rows and float(np.abs(self.values).sum()) >= 2.0**32:
                raise ValueError(f"{where}: places are too far from 0")
            return
        if self.codes.shape != (rows,):
            raise ValueError(f"{where}: one code a row is needed")
        check_codes(self.codes, len(self.places), where)
        if self.measure is Measure.TABLE and self.table.shape != (len(self.places), len(self.places)):
            raise ValueError(f"{where}: the table must be square")


def mdav(
    columns: Sequence[MicroColumn],
    *,
    k: int,
    gain: float | None = None,
    watch: Callable[[float], None] | None = None,
    portable: bool = False,
) -> tuple[np.ndarray, int]:
    """The group of each row and their number: MDAV, or with `gain` V-MDAV, whose last rows, fewer than k, have −1."""
    if not columns or k < 1:
        raise ValueError("mdav needs a column and k of at least 1")
    rows = len(columns[0].values)
    if rows >= 2**31:
        raise ValueError("more than 2^31 rows")
    for at, column in enumerate(columns):
        column.check(rows, at)
    of_row = native.module.mdav(
        columns=[column.contiguous() for column in columns],
        rows=rows,
        k=k,
        gain=-1.0 if gain is None else gain,
        watch=watch or native.unwatched,
        portable=portable,
    )
    return of_row, int(of_row.max(initial=-1)) + 1


def shortest_cuts(points: np.ndarray, *, k: int) -> np.ndarray:
    """Rows in their order, cut into groups of k to 2k − 1 neighbours with the least squared error: the group of each.

    A shortest path over the places where groups end (Hansen, Mukherjee 2003); of equals the longest last group.
    """
    if points.ndim != 2 or not 1 <= k <= len(points):
        raise ValueError("there must be k rows to cut")
    points = np.ascontiguousarray(points, dtype=np.float64)
    found: np.ndarray = native.module.shortest_cuts(points, *points.shape, k)[0]
    return found


def refine(
    points: np.ndarray,
    neighbours: np.ndarray,
    start: np.ndarray,
    *,
    k: int,
    proposals: int,
    hot: float,
    cold: float,
    seed: int,
    watch: Callable[[float], None] | None = None,
) -> np.ndarray:
    """A partition of at least k rows a group with less squared error than `start`; see cpp/micro_refine.hpp.

    `neighbours[i]` are the rows near row i.
    """
    rows = len(points)
    if points.ndim != 2 or neighbours.ndim != 2 or len(neighbours) != rows or start.shape != (rows,):
        raise ValueError("points, neighbours and start must have one entry a row")
    check_codes(neighbours, max(rows, 1), "neighbours")
    groups = int(start.max(initial=-1)) + 1
    check_codes(start, groups, "start")
    if np.any(np.bincount(start, minlength=groups) < max(k, 1)):
        raise ValueError("every group must have at least k rows to start with")
    if rows == 0 or neighbours.shape[1] == 0:
        return start
    found: np.ndarray = native.module.refine(
        rows=rows,
        d=points.shape[1],
        width=neighbours.shape[1],
        points=np.ascontiguousarray(points, dtype=np.float64),
        neighbours=np.ascontiguousarray(neighbours),
        start=np.ascontiguousarray(start),
        groups=groups,
        k=k,
        proposals=proposals,
        hot=hot,
        cold=cold,
        seed=seed,
        watch=watch or native.unwatched,
    )
    return found
