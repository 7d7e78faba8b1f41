"""Dates and times by the calendar.

Labels: hour 2024-12-31 23h, day 2024-12-31, week 2025-W01 (ISO 8601), month 2024-12, quarter 2024-Q4, year 2024,
decade 2020s.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from paravent.errors import TreeError
from paravent.hierarchy.levels import Level
from paravent.hierarchy.spec import TreeSpec, as_tuple, leaf_level, tree_over
from paravent.hierarchy.tree import Tree
from paravent.near import suggest
from paravent.table.domain import Domain
from paravent.table.kinds import Kind

_UNITS = ("hour", "day", "week", "month", "quarter", "year", "decade")


def _label(unit: str) -> pl.Expr:
    moment = pl.col("moment").dt
    return {
        "hour": moment.strftime("%Y-%m-%d %Hh"),
        "day": moment.strftime("%Y-%m-%d"),
        "week": pl.format("{}-W{}", moment.iso_year(), moment.week().cast(pl.String).str.zfill(2)),
        "month": moment.strftime("%Y-%m"),
        "quarter": pl.format("{}-Q{}", moment.year(), moment.quarter()),
        "year": moment.year().cast(pl.String),
        "decade": pl.format("{}0s", moment.year().floordiv(10)),
    }[unit]


@dataclass(frozen=True, repr=False)
class Dates(TreeSpec):
    call: ClassVar[str] = "dates"
    main: ClassVar[str] = "units"

    units: tuple[str, ...] = ("month", "year")

    def __post_init__(self) -> None:
        object.__setattr__(self, "units", as_tuple(self.units))
        for unit in self.units:
            if not isinstance(unit, str) or unit not in _UNITS:
                raise TreeError(f"dates: {unit!r} is no unit. {suggest(str(unit), _UNITS)}")
        if not self.units or list(self.units) != sorted(set(self.units), key=_UNITS.index):
            raise TreeError(f"dates: give units from fine to coarse, each once, in the order {', '.join(_UNITS)}.")
        if "week" in self.units and self.units[-1] != "week":
            raise TreeError(
                f"dates: weeks do not nest in a {self.units[-1]}: some weeks lie in two of them. "
                "Leave out 'week', or end with it."
            )

    def fixed_levels(self, name: str, kind: Kind) -> int | None:  # noqa: ARG002
        return len(self.units) + 1

    def build(self, domain: Domain) -> Tree:
        leaf_level(domain)
        dtype = domain.values.dtype
        if domain.kind is not Kind.DATE or not dtype.is_temporal():
            raise TreeError(
                f"tree {domain.name!r}: dates need a date column, and this one is {domain.kind}. "
                "Read it as a date, or choose another builder."
            )
        moments = domain.values.rename("moment").to_frame()
        if dtype == pl.Time:
            if self.units != ("hour",):
                raise TreeError(
                    f"tree {domain.name!r}: the column holds times of day, which have hours alone. Use 'hour'."
                )
            return tree_over(
                domain, Level.of(moments.select(pl.col("moment").dt.strftime("%Hh")).to_series().to_list())
            )
        if dtype == pl.Date and "hour" in self.units:
            raise TreeError(f"tree {domain.name!r}: the column holds days without hours. Leave out 'hour'.")
        return tree_over(domain, *(Level.of(moments.select(_label(unit)).to_series().to_list()) for unit in self.units))


def dates(*units: str) -> Dates:
    """Calendar levels from fine to coarse, out of hour, day, week, month, quarter, year, decade (default: month, year).

    >>> import numpy as np
    >>> days = pl.Series(["1987-05-02", "1987-06-30", "1991-01-01"]).str.to_date()
    >>> domain = Domain("born", Kind.DATE, days, np.ones(3, dtype=np.int64))
    >>> [level.labels for level in dates("quarter", "decade").build(domain).levels[1:]]
    [('1987-Q2', '1991-Q1'), ('1980s', '1990s'), ('*',)]
    """
    return Dates(units or ("month", "year"))
