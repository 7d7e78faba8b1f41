"""Cut values: the first value of every group of neighbours but the lowest."""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left
from datetime import date, datetime, time
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import polars as pl

from paravent.errors import TreeError, quote
from paravent.hierarchy.labels import half_open_label
from paravent.hierarchy.levels import Level
from paravent.hierarchy.spec import level_by_key, span_level
from paravent.table.domain import Domain
from paravent.table.kinds import Kind


def check_cuts(levels: tuple[tuple[Any, ...], ...]) -> None:
    """Every level has cuts, each once, and a coarser level keeps some of those of the finer one."""
    for level in levels:
        for cut in level:
            if isinstance(cut, bool) or not isinstance(cut, str | int | float | date | time):
                raise TreeError(
                    f"ordered_groups: cut {quote(cut)} must be a value of the column: text, number or date."
                )
        if not level or len(set(map(str, level))) < len(level):
            raise TreeError(
                f"ordered_groups: cuts {list(level)!r} must be different values, at least one on each level."
            )
    for fine, coarse in itertools.pairwise(levels):
        for cut in coarse:
            if cut not in fine:
                raise TreeError(
                    f"ordered_groups: cut {quote(cut)} is missing on the finer level, so the levels are not nested. "
                    "Add it there, or remove it."
                )


def cut_level(domain: Domain, cuts: tuple[Any, ...]) -> Level:
    """The level whose groups begin at the cuts.

    Numbers and dates are labelled by the cuts themselves (`< 18`, `[18, 65[`, `>= 65`), all others by the lowest and
    highest value that occurs.
    """
    if domain.kind is Kind.ORDINAL:
        known = {text: rank for rank, text in enumerate(domain.text)}
        for cut in cuts:
            if str(cut) not in known:
                raise _refused(domain, cut, "is not a value of the column", "Use one that occurs.")
        begins = sorted(known[str(cut)] for cut in cuts)
        return span_level(domain, np.searchsorted(begins, np.arange(len(domain)), side="right"))
    if domain.kind in (Kind.NOMINAL, Kind.TEXT):
        begins = sorted(bisect_left(domain.text, str(cut)) for cut in cuts)
        return span_level(domain, np.searchsorted(begins, np.arange(len(domain)), side="right"))
    placed = sorted((_placed(domain, cut) for cut in cuts), key=lambda pair: pair[0])
    keys = np.searchsorted([place for place, _ in placed], np.arange(len(domain)), side="right")
    values = sorted(value for _, value in placed)
    return level_by_key(keys, lambda _first, _last, key: _between(values, key))


def _between(cuts: list[Any], key: int) -> str:
    if key == 0:
        return f"< {cuts[0]}"
    if key == len(cuts):
        return f">= {cuts[-1]}"
    return half_open_label(str(cuts[key - 1]), str(cuts[key]))


def _placed(domain: Domain, cut: Any) -> tuple[int, Any]:
    """The rank of the first value from the cut on, and the cut as a value of the column."""
    value: Any = cut
    if domain.kind.is_numeric:
        if not isinstance(cut, int | float) or math.isnan(cut):
            raise _refused(domain, cut, "is no number", "Give a number.")
    else:
        try:
            value = as_moment(cut, domain.values.dtype)
        except (TypeError, ValueError):
            raise _refused(domain, cut, "is no date of the column's type", "Write it as 2024-12-31.") from None
    # By Python's own comparison: it is exact between integers and floats.
    return bisect_left(domain.values, value), value


def as_moment(cut: Any, dtype: pl.DataType) -> date | datetime | time:
    """A date, moment or time of day, given as such or as text, as a value of a type; ValueError or TypeError where it
    is none."""
    if dtype == pl.Time:
        return cut if isinstance(cut, time) else time.fromisoformat(cut)
    if dtype == pl.Date:
        day = cut if isinstance(cut, date) else date.fromisoformat(cut)
        return day.date() if isinstance(day, datetime) else day
    if isinstance(cut, date) and not isinstance(cut, datetime):
        cut = datetime(cut.year, cut.month, cut.day)
    moment = cut if isinstance(cut, datetime) else datetime.fromisoformat(cut)
    zone = getattr(dtype, "time_zone", None)
    if moment.tzinfo is not None and zone is None:
        raise ValueError("a moment with a time zone among moments without one")
    return moment.replace(tzinfo=ZoneInfo(zone)) if zone is not None and moment.tzinfo is None else moment


def _refused(domain: Domain, cut: Any, why: str, remedy: str) -> TreeError:
    return TreeError(f"tree {domain.name!r}: cut {quote(cut)} {why}, and the column is {domain.kind}. {remedy}")
