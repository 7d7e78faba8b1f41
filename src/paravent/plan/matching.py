"""Which row of the original a released row comes from, where only the two tables are there.

A plan with `order="source"` says it: row i is row i. A shuffle can be made again by whoever has the original. Either is
believed only where the cells agree: what is released as it is must be equal, a label must cover its original, and an
average must lie among the values it stands for, where nothing else is there to ask. Where nothing agrees, nobody knows,
and what needs the match is not measured.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
import polars as pl

from paravent.hierarchy.axis import Axis
from paravent.plan.encode import encode_original
from paravent.plan.ghosts import ghosts_of
from paravent.plan.order import in_order, order_of_rows
from paravent.plan.plan import Plan
from paravent.plan.roles import WILDCARD, Identifier, Quasi
from paravent.plan.treat import Base
from paravent.plan.truth import averages
from paravent.table.table import Table
from paravent.table.text import as_text


def match_rows(
    base: Base, frame: pl.DataFrame, plan: Plan, marked: np.ndarray | None, axes: Sequence[Axis] | None = None
) -> np.ndarray | None:
    """The row of the original of each row of a release in which none was dropped; None when nobody knows.

    >>> import paravent as pv
    >>> table = pv.read(pl.DataFrame({"age": [20, 21, 50, 51], "visit": [1, 2, 3, 4]}))
    >>> plan = pv.Plan({"age": pv.Quasi(), "visit": pv.Insensitive()}, pv.KAnonymity(2))
    >>> release = pv.anonymize(table, plan)
    >>> match_rows(release.base, release.frame, plan, None).tolist() == release.kept.tolist()
    True
    >>> match_rows(release.base, release.frame.sort("visit", descending=True), plan, None) is None
    True
    """
    table, as_read = base.table, base.rows
    if frame.height != len(as_read):
        return None
    if plan.order == "source":
        return as_read
    candidates = [as_read]
    if plan.order != "sorted":
        candidates = [in_order(as_read, order_of_rows(base.original, plan)), as_read]
    real = np.ones(frame.height, dtype=bool) if marked is None else ~marked
    witnesses: list[Callable[[np.ndarray, np.ndarray], bool]]
    witnesses = [*_untouched(table, frame, plan), *_labelled(base, frame, plan, axes)]
    if not witnesses:  # averages bear out the order that the plan says, and no other
        witnesses = [*_averaged(base, frame, plan, axes)]
        candidates = candidates[:1] if plan.order == "shuffled" else []
    for rows in candidates:
        if witnesses and all(agree(rows, real) for agree in witnesses):
            return rows
    return None


class _Untouched:
    """A column that is released as it is."""

    def __init__(self, before: pl.Series, after: pl.Series) -> None:
        if before.dtype.is_numeric() and after.dtype.is_numeric():
            self.before, self.after = before.cast(pl.Float64).fill_nan(None), after.cast(pl.Float64).fill_nan(None)
        else:
            self.before, self.after = as_text(before), as_text(after)

    def __call__(self, rows: np.ndarray, real: np.ndarray) -> bool:
        same = self.before.gather(rows).eq_missing(self.after).to_numpy()
        return bool(same[real].all())


class _Labelled:
    """A generalized column."""

    def __init__(self, axis: Axis, frame: pl.DataFrame, *, wildcard: bool) -> None:
        from paravent.utility.reading import Reading

        self.reading = Reading.of(axis, frame, wildcard=wildcard)

    def __call__(self, rows: np.ndarray, real: np.ndarray) -> bool:
        reading = self.reading
        holds = reading.hold(reading.codes, reading.axis.codes[rows].astype(np.int64))
        return bool((holds | reading.silent[reading.codes])[real].all())


class _Averaged(_Labelled):
    """A column of averages: each lies between the least and the greatest of the values that it stands for."""

    def __call__(self, rows: np.ndarray, real: np.ndarray) -> bool:
        reading = self.reading
        shown, ranks = reading.codes[real], reading.axis.codes[rows][real].astype(np.int64)
        low = np.full(len(reading.labels), len(reading.axis), dtype=np.int64)
        high = np.full(len(reading.labels), -1, dtype=np.int64)
        np.minimum.at(low, shown, ranks)
        np.maximum.at(high, shown, ranks)
        return bool(((low <= reading.last) & (reading.first <= high))[shown].all())


def _untouched(table: Table, frame: pl.DataFrame, plan: Plan) -> list[_Untouched]:
    shared = [name for name in table.names if name in frame.columns]
    ghosts = {name for name, _ in ghosts_of(plan)}
    plain = [name for name in shared if not isinstance(plan.role(name), Quasi | Identifier) and name not in ghosts]
    return [_Untouched(table.frame[name].alias("cells"), frame[name].alias("cells")) for name in plain]


def _labelled(base: Base, frame: pl.DataFrame, plan: Plan, axes: Sequence[Axis] | None) -> list[_Labelled]:
    return [] if averages(plan) else _witnesses(_Labelled, base, frame, plan, axes)


def _averaged(base: Base, frame: pl.DataFrame, plan: Plan, axes: Sequence[Axis] | None) -> list[_Averaged]:
    return _witnesses(_Averaged, base, frame, plan, axes) if averages(plan) else []


W = TypeVar("W", bound=_Labelled)


def _witnesses(kind: type[W], base: Base, frame: pl.DataFrame, plan: Plan, axes: Sequence[Axis] | None) -> list[W]:
    found = encode_original(base, plan) if axes is None else axes
    told = [axis for axis in found if plan.quasi[axis.name].neutral is None]  # a neutral value covers nothing
    return [kind(a, frame, wildcard=plan.meaning_of_missing(a.name) == WILDCARD) for a in told]
