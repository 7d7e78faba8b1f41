"""Clusters of points by what their labels cost; see cpp/clustering.hpp and cpp/joining.hpp.

Points with equal codes are one unit with a count. A group of c rows whose labels cost L together costs c·L, less the
`base` of each row (what the row cost before it was generalized). Costs are whole numbers: ties are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from paravent.kernels import native
from paravent.kernels.cutting import CutAxis, Style, check_axis
from paravent.kernels.native import check_codes

_MOST = 2**62


@dataclass(frozen=True, eq=False)
class PricedAxis:
    """What a label costs on one column: `axis` says how, and `cap` is what a cell costs that says nothing. That is the
    most that a span costs; where a tree is wider than the table, more than its node over all values."""

    axis: CutAxis
    cap: int

    @property
    def dearest(self) -> int:
        """The cost of a label that says nothing."""
        if self.axis.style is Style.TREE:
            return self.cap
        if self.axis.style is Style.SET:
            return self.axis.unit * (self.axis.size - 1)
        return min(int(self.axis.ruler[-1] - self.axis.ruler[0]), self.cap)


@dataclass(frozen=True, eq=False)
class Points:
    """Units (units × axes), how many rows each stands for, and what those cost before; None: nothing."""

    codes: np.ndarray
    counts: np.ndarray
    axes: Sequence[PricedAxis]
    base: np.ndarray | None = None

    def check(self) -> None:
        """Refuse what a kernel would read out of bounds by."""
        if self.codes.ndim != 2 or self.codes.shape[1] != len(self.axes) or not len(self.axes):
            raise ValueError("codes must be a matrix with one column an axis")
        if self.counts.dtype != np.int64 or len(self.counts) != len(self.codes) or self.counts.min(initial=1) < 1:
            raise ValueError("counts must be positive int64, one a unit")
        if self.base is not None and (self.base.dtype != np.int64 or len(self.base) != len(self.codes)):
            raise ValueError("base must be int64, one a unit")
        for at, priced in enumerate(self.axes):
            check_axis(priced.axis, at)
            check_codes(self.codes[:, at], priced.axis.size, f"axis {at}")
        if sum(priced.dearest for priced in self.axes) * (int(self.counts.sum()) + 1) >= _MOST:
            raise ValueError("the costs of all rows together do not fit 64 bits")

    def native(self) -> dict[str, Any]:
        return {
            "units": len(self.codes),
            "codes": np.ascontiguousarray(self.codes),
            "counts": np.ascontiguousarray(self.counts),
            # All rows may as well have cost less by the same: nothing that is compared changes.
            "base": None if self.base is None else self.base - self.base.min(initial=_MOST),
            "axes": [replace(priced.axis, cap=priced.cap) for priced in self.axes],
        }

    @property
    def dearest(self) -> int:
        """What a row costs about which nothing is said."""
        return sum(priced.dearest for priced in self.axes)


class Grouped(NamedTuple):
    """Rows, each named by its unit, and the group of each; −1: none."""

    unit: np.ndarray
    group: np.ndarray


@dataclass(frozen=True, eq=False)
class Members:
    """Groups of rows: group g has the units `row[start[g]:start[g + 1]]`, one entry a row."""

    start: np.ndarray
    row: np.ndarray

    @classmethod
    def of(cls, unit: np.ndarray, group: np.ndarray, n_groups: int) -> Members:
        """From the group of each row, in order; rows with a negative group are left out."""
        order = np.argsort(group, kind="stable")
        order = order[np.searchsorted(group[order], 0) :]
        sizes = np.bincount(group[order], minlength=n_groups)
        start = np.r_[0, np.cumsum(sizes)].astype(np.int64)
        return cls(start, np.ascontiguousarray(unit[order], dtype=np.int32))

    def __len__(self) -> int:
        return len(self.start) - 1

    def native(self) -> dict[str, Any]:
        start, row = np.ascontiguousarray(self.start), np.ascontiguousarray(self.row)
        return {"groups": len(self), "start": start, "row": row}

    def check(self, points: Points) -> None:
        check_codes(self.row, len(points.codes), "members")
        if self.start.dtype != np.int64 or self.start[0] != 0 or self.start[-1] != len(self.row):
            raise ValueError("members: the starts do not fit the rows")
        if np.any(np.diff(self.start) < 1):
            raise ValueError("members: a group is empty")


class Judge(NamedTuple):
    """Says of a cluster (its units, one entry a row) whether it holds. `kind` tells units apart as the judge does, and
    `table` counts the rows of each kind in the whole table: a cluster that does not hold takes rows of kinds that are
    rarer in it than in the table."""

    holds: Callable[[np.ndarray], bool]
    kind: np.ndarray
    table: np.ndarray


Watch = Callable[[float], None]
Pair = Callable[[int, int], bool]


def grow(
    points: Points,
    *,
    k: int,
    centred: bool = False,
    seeds: np.ndarray | None = None,
    start: int = 0,
    judge: Judge | None = None,
    watch: Watch | None = None,
) -> Grouped:
    """Clusters of k rows one after the other, for as long as k rows are left; rows that are not named are left over.

    A cluster begins with a seed: the next of `seeds` (units, all of them) that has rows left, or the row farthest from
    the one that joined last (from `start` at first). Then the row joins that adds least to what the cluster costs or,
    where `centred`, the row that would cost least as a pair with the seed; of those at one distance the one that adds
    least. Ties: the lowest unit. A cluster of k rows that `judge` says does not hold grows on by the row that adds
    least, of kinds that it lacks (of any, when none of those is left); a last one that never holds is left over.
    """
    points.check()
    given = np.zeros(0, dtype=np.int32) if seeds is None else np.ascontiguousarray(seeds, dtype=np.int32)
    check_codes(given, len(points.codes), "seeds")
    if seeds is not None and not np.array_equal(np.sort(given), np.arange(len(points.codes))):
        raise ValueError("seeds must name every unit once")
    if k < 1 or not 0 <= start < max(len(points.codes), 1):
        raise ValueError("k must be positive and the start a unit")
    if judge is not None:
        check_codes(judge.kind, len(judge.table), "kinds")
        if len(judge.kind) != len(points.codes) or judge.table.dtype != np.int64:
            raise ValueError("kinds must be one a unit, and their table int64")
    found = native.module.grow(
        **points.native(),
        k=k,
        centred=centred,
        seeds=given,
        start=start,
        judge=None if judge is None else judge.holds,
        kind=None if judge is None else judge.kind,
        kind_table=np.zeros(0, dtype=np.int64) if judge is None else judge.table,
        watch=watch or native.unwatched,
    )
    return _grouped(*found)


def join(
    points: Points,
    members: Members,
    rows: np.ndarray,
    *,
    below: int = 0,
    spare: int = 0,
    judge: Pair | None = None,
    tries: int = 64,
    watch: Watch | None = None,
) -> np.ndarray:
    """The group that each of some rows (units) joins, one after the other: the one that it adds least to.

    Ties: the first group. Where `below` is given, groups of fewer rows come first as long as there are any. Up to
    `spare` rows are left out (−1), those whose joining would cost more than saying nothing about them. `judge` is asked
    about a group and a row that might join, the `tries` cheapest groups at most; where none would hold, the cheapest
    takes the row.
    """
    points.check()
    members.check(points)
    rows = np.ascontiguousarray(rows, dtype=np.int32)
    check_codes(rows, len(points.codes), "rows")
    if not len(members):
        raise ValueError("there is no group to join")
    found = native.module.join(
        **points.native(),
        members=members.native(),
        rows=rows,
        below=below,
        spare=spare,
        dear=points.dearest,
        tries=tries,
        judge=judge,
        watch=watch or native.unwatched,
    )
    return np.asarray(found)


def shed(points: Points, members: Members, *, k: int) -> np.ndarray:
    """The places (in `members.row`) of the rows that groups of more than k rows give up until they have k: each time
    the row whose leaving saves most, of equals the last; group by group, in the order in which they leave."""
    points.check()
    members.check(points)
    if k < 1:
        raise ValueError("k must be positive")
    return np.asarray(native.module.shed(points.native(), members.native(), k))


def absorb(
    points: Points,
    members: Members,
    waiting: np.ndarray,
    *,
    k: int,
    divide: bool = False,
    spare: int = 0,
    watch: Watch | None = None,
) -> Grouped:
    """The groups that wait join others, each the one that costs least to join; a group made of two has the next number
    and waits, last of all, unless it has k rows.

    Ties: the lowest number. With `divide`, a group that keeps k rows without them gives the rows that are missing and
    no more: those that add least to the group that waits, one after the other, of equals the first. Up to `spare` rows
    are left out (−1): groups whose joining costs more than saying nothing about them. Ends when one group is left.
    """
    points.check()
    members.check(points)
    waiting = np.ascontiguousarray(waiting, dtype=np.int32)
    check_codes(waiting, max(len(members), 1), "waiting")
    found = native.module.absorb(
        **points.native(),
        members=members.native(),
        waiting=waiting,
        k=k,
        divide=divide,
        spare=spare,
        dear=points.dearest,
        watch=watch or native.unwatched,
    )
    return _grouped(*found)


def _grouped(unit: np.ndarray, start: np.ndarray) -> Grouped:
    """Groups one after the other from where each begins, and rows behind them that are in none."""
    number = np.append(np.arange(len(start) - 1, dtype=np.int32), np.int32(-1))
    return Grouped(unit, number.repeat(np.diff(start, append=len(unit))))
