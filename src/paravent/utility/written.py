"""Numbers as they are written: a microaggregated 29.5, or an interval whose ends are no values of the column.

29.5            one number
[20, 25]        both ends included; also 20-25, 20..25
[20, 25[        the upper end left out; also [20, 25)
]20, 25]        the lower end left out; also (20, 25]
< 20, >= 80     open to one side
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import polars as pl

from paravent.table.kinds import Kind

_NUMBER = r"([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)"
_BRACKETS = re.compile(rf"\s*([\[\](])\s*{_NUMBER}\s*[,;:]\s*{_NUMBER}\s*([\[\])])\s*")
_DASH = re.compile(rf"\s*{_NUMBER}\s*(?:-|–|\.\.)\s*{_NUMBER}\s*")
_SIDE = re.compile(rf"\s*(<=|>=|<|>)\s*{_NUMBER}\s*")


@dataclass(frozen=True)
class Interval:
    """The numbers from `low` to `high`; an end that is `open` is left out."""

    low: float
    high: float
    open_low: bool = False
    open_high: bool = False

    def closed(self, whole: bool) -> tuple[float, float]:
        """The ends that belong to it; an end that is left out stands one further in where numbers are whole."""
        step = 1.0 if whole else 0.0
        return self.low + step * self.open_low, self.high - step * self.open_high

    def holds(self, places: np.ndarray) -> np.ndarray:
        above = places > self.low if self.open_low else places >= self.low
        below = places < self.high if self.open_high else places <= self.high
        return np.asarray(above & below)


def read_interval(label: str) -> Interval | None:
    """
    >>> read_interval("[20, 25[")
    Interval(low=20.0, high=25.0, open_low=False, open_high=True)
    >>> read_interval("17-24").closed(whole=True), read_interval("Europe")
    ((17.0, 24.0), None)
    """
    if found := _BRACKETS.fullmatch(label):
        left, low, high, right = found.groups()
        interval = Interval(float(low), float(high), left in "](", right in "[)")
    elif found := _DASH.fullmatch(label):
        interval = Interval(float(found[1]), float(found[2]))
    elif found := _SIDE.fullmatch(label):
        end = float(found[2])
        inside = (-np.inf, end) if "<" in found[1] else (end, np.inf)
        interval = Interval(*inside, open_low=found[1] == ">", open_high=found[1] == "<")
    else:
        return None
    return interval if interval.low <= interval.high else None


def as_places(texts: pl.Series, kind: Kind) -> np.ndarray:
    """Texts of numbers and dates on the line of their column; nan where they are none.

    >>> as_places(pl.Series(["1970-01-02", "1970-01-02 12:00:00.000+12:00", "06:00:00", "spring"]), Kind.DATE).tolist()
    [1.0, 1.0, 0.25, nan]
    """
    if kind.is_numeric:
        found = texts.cast(pl.Float64, strict=False)
    elif kind is Kind.DATE:
        # Formats are stated: polars raises where it has to guess one and finds none.
        stamp = pl.lit(texts).str
        moments = [f"%Y-%m-%d{sign}%H:%M:%S%.f" for sign in (" ", "T")]
        dates = [stamp.to_datetime(format, time_unit="us", strict=False) for format in ("%Y-%m-%d", *moments)]
        zoned = [
            stamp.to_datetime(f"{format}%z", time_unit="us", strict=False).dt.replace_time_zone(None)
            for format in moments
        ]
        hours = stamp.to_time("%H:%M:%S%.f", strict=False).cast(pl.Int64) / 86_400e9
        found = pl.select(pl.coalesce(pl.coalesce(*dates, *zoned).cast(pl.Int64) / 86_400e6, hours)).to_series()
    else:
        found = pl.Series([None] * len(texts), dtype=pl.Float64)
    return np.asarray(found.fill_null(float("nan")).to_numpy(), dtype=np.float64)
