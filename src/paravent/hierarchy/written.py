"""Numbers and dates as they are written: a microaggregated 29.5, or an interval whose ends are no values of a column.

29.5            one number; also 2024-12-31, 2024-12-31 23:59:00, 23:59:00
[20, 25]        both ends included; also 20-25, 20..25
[20, 25[        the upper end left out; also [20, 25)
]20, 25]        the lower end left out; also (20, 25]
< 20, >= 80     open to one side
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
import polars as pl

from paravent.table.kinds import Kind

_NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_MOMENT = r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"
_CLOCK = r"\d\d:\d\d:\d\d(?:\.\d+)?"
_PLACE = rf"({_MOMENT}|{_CLOCK}|{_NUMBER})"
_BRACKETS = re.compile(rf"\s*([\[\](])\s*{_PLACE}\s*[,;:]\s*{_PLACE}\s*([\[\])])\s*")
_DASH = re.compile(rf"\s*({_NUMBER})\s*(?:-|–|\.\.)\s*({_NUMBER})\s*")
_SIDE = re.compile(rf"\s*(<=|>=|<|>|≤|≥)\s*{_PLACE}\s*")
_EPOCH = datetime(1970, 1, 1)


def place_of(text: str) -> float | None:
    """The place of a number, a date or a time of day on the line of its column; None for other texts.

    Dates are days since 1970, times of day shares of a day.

    >>> place_of("20"), place_of("1970-01-03"), place_of("06:00:00"), place_of("20 years")
    (20.0, 2.0, 0.25, None)
    """
    if re.fullmatch(_NUMBER, text):
        return float(text)
    if re.fullmatch(_CLOCK, text):
        hours, minutes, seconds = text.split(":")
        whole, _, part = seconds.partition(".")
        return (((int(hours) * 60 + int(minutes)) * 60 + int(whole)) * 10**9 + int(f"{part:0<9}"[:9])) / 86_400e9
    if not re.fullmatch(_MOMENT, text):
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if moment.tzinfo is not None:
        moment = moment.astimezone(UTC).replace(tzinfo=None)
    return ((moment - _EPOCH) // timedelta(microseconds=1)) / 86_400e6


@dataclass(frozen=True)
class Interval:
    """The places from `low` to `high`; an end that is `open` is left out."""

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

    def among(self, ascending: np.ndarray) -> range:
        """Which of some ascending places it holds."""
        first = np.searchsorted(ascending, self.low, side="right" if self.open_low else "left")
        after = np.searchsorted(ascending, self.high, side="left" if self.open_high else "right")
        return range(int(first), max(int(first), int(after)))


def read_interval(label: str) -> Interval | None:
    """
    >>> read_interval("[20, 25[")
    Interval(low=20.0, high=25.0, open_low=False, open_high=True)
    >>> read_interval("[1970-01-01, 1970-01-31]").high
    30.0
    >>> read_interval("17-24").closed(whole=True), read_interval("Europe")
    ((17.0, 24.0), None)
    """
    if found := _BRACKETS.fullmatch(label):
        left, low, high, right = found.groups()
        ends = place_of(low), place_of(high)
        if ends[0] is None or ends[1] is None:
            return None
        interval = Interval(ends[0], ends[1], left in "](", right in "[)")
    elif found := _DASH.fullmatch(label):
        interval = Interval(float(found[1]), float(found[2]))
    elif found := _SIDE.fullmatch(label):
        end = place_of(found[2])
        if end is None:
            return None
        inside = (-np.inf, end) if found[1][0] in "<≤" else (end, np.inf)
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
        hours = stamp.to_time("%H:%M:%S%.f", strict=False)
        both = pl.select(moment=pl.coalesce(*dates, *zoned).cast(pl.Int64), hour=hours.cast(pl.Int64)).cast(pl.Float64)
        moment, hour = (both[name].fill_null(float("nan")).to_numpy() for name in both.columns)
        return np.where(np.isnan(moment), hour / 86_400e9, moment / 86_400e6)
    else:
        found = pl.Series([None] * len(texts), dtype=pl.Float64)
    return np.asarray(found.fill_null(float("nan")).to_numpy(), dtype=np.float64)
