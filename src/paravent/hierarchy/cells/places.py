"""Numbers, dates and times of day as they are written, and their places on the line of a column.

29.5, -3, 1e6           numbers
2024-12-31              dates; moments as 2024-12-31 23:59:00, with a fraction or a time zone where they have one
23:59:00                times of day; the end of the day is 24:00:00

Dates and moments are days since 1970, times of day shares of a day.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from enum import Enum

import numpy as np
import polars as pl

NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
MOMENT = (
    r"[0-9]{4}-[0-9][0-9]-[0-9][0-9]"
    r"(?:[ T][0-9][0-9]:[0-9][0-9](?::[0-9][0-9](?:\.[0-9]+)?)?(?:Z|[+-][0-9][0-9]:?[0-9][0-9])?)?"
)
CLOCK = r"[0-9][0-9]:[0-9][0-9]:[0-9][0-9](?:\.[0-9]+)?"
_NUMBER, _MOMENT, _CLOCK = (re.compile(form) for form in (NUMBER, MOMENT, CLOCK))
_FIRST = frozenset("+-.0123456789")
_EPOCH = datetime(1970, 1, 1)
_BELOW_MICROSECONDS = re.compile(r"\.[0-9]{6}[0-9]*[1-9]")


class Line(Enum):
    """What stands on a line: places of one cannot be compared with those of another."""

    NUMBERS = NUMBER
    MOMENTS = MOMENT
    CLOCK = CLOCK


def located(text: str) -> tuple[Line, float] | None:
    """The line on which a text has a place, and the place; None for texts that have none.

    >>> located("06:00:00"), located("20 years")
    ((<Line.CLOCK: ...>, 0.25), None)
    """
    if text[:1] not in _FIRST:
        return None
    if _NUMBER.fullmatch(text):
        number = float(text)
        return (Line.NUMBERS, number) if math.isfinite(number) else None
    if _CLOCK.fullmatch(text):
        hours, minutes, seconds = text.split(":")
        whole, _, part = seconds.partition(".")
        share = (((int(hours) * 60 + int(minutes)) * 60 + int(whole)) * 10**9 + int(f"{part:0<9}"[:9])) / 86_400e9
        return (Line.CLOCK, share) if int(minutes) < 60 and int(whole) < 60 and share <= 1 else None
    if not _MOMENT.fullmatch(text):
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    since = moment.replace(tzinfo=None) - _EPOCH - (moment.utcoffset() or timedelta(0))
    return Line.MOMENTS, (since // timedelta(microseconds=1)) / 86_400e6


def line_of(text: str) -> Line | None:
    """The line on which a text has a place.

    >>> [line_of(text) for text in ("20", "1970-01-03", "20 years")]
    [<Line.NUMBERS: ...>, <Line.MOMENTS: ...>, None]
    """
    found = located(text)
    return None if found is None else found[0]


def place_of(text: str) -> float | None:
    """The place of a number, a date or a time of day; None for other texts.

    >>> place_of("20"), place_of("1970-01-03"), place_of("06:00:00"), place_of("20 years")
    (20.0, 2.0, 0.25, None)
    """
    found = located(text)
    return None if found is None else found[1]


def are_one(text: str, other: str) -> bool:
    """Whether two texts at one place are the same number or moment: doubles cannot tell all of them apart.

    >>> are_one("25.0", "25"), are_one("9007199254740993", "9007199254740992")
    (True, False)
    """
    if _NUMBER.fullmatch(text) and _NUMBER.fullmatch(other):
        return Decimal(text) == Decimal(other)
    return text == other or not any(_BELOW_MICROSECONDS.search(each) for each in (text, other))


def as_places(texts: pl.Series, line: Line) -> np.ndarray:
    """The places of many texts on one line; nan where they have none on it.

    >>> texts = pl.Series(["1970-01-02", "1970-01-02 12:00:00.000+12:00", "06:00:00", "spring"])
    >>> [as_places(texts, line).tolist() for line in (Line.MOMENTS, Line.CLOCK)]
    [[1.0, 1.0, nan, nan], [nan, nan, 0.25, nan]]
    """
    if not len(texts):
        return np.zeros(0)
    texts = texts.alias("texts")
    written = pl.select(pl.when(pl.lit(texts).str.contains(f"^(?:{line.value})$")).then(pl.lit(texts))).to_series()
    stamp = pl.lit(written).str
    if line is Line.NUMBERS:
        found, unit = written.cast(pl.Float64, strict=False), 1.0
    elif line is Line.CLOCK:
        clock = pl.select(stamp.to_time("%H:%M:%S%.f", strict=False)).to_series()
        found, unit = clock.cast(pl.Int64).cast(pl.Float64), 86_400e9
    else:
        # Formats are stated: polars raises where it has to guess one and finds none.
        moments = [f"%Y-%m-%d{sign}%H:%M:%S%.f" for sign in (" ", "T")]
        dates = [stamp.to_datetime(form, time_unit="us", strict=False) for form in ("%Y-%m-%d", *moments)]
        zoned = [
            stamp.to_datetime(f"{form}%z", time_unit="us", strict=False).dt.replace_time_zone(None) for form in moments
        ]
        found = pl.select(pl.coalesce(*dates, *zoned).cast(pl.Int64).cast(pl.Float64)).to_series()
        unit = 86_400e6
    places = found.fill_null(float("nan")).to_numpy() / unit
    places = np.where(np.isfinite(places), places, np.nan)
    for i in np.flatnonzero(np.isnan(places) & written.is_not_null().to_numpy()).tolist():
        place = place_of(written[i])  # ways to write that polars has no format for
        places[i] = np.nan if place is None else place
    return places


def places_of(texts: Sequence[str | None]) -> np.ndarray | None:
    """The place of each text on the line that most of them stand on, nan where there is none; None where no text has a
    place.

    >>> places_of(["20", None, "x", "2020-01-01", "30"]).tolist()
    [20.0, nan, nan, nan, 30.0]
    """
    column = pl.Series("texts", texts, dtype=pl.String)
    found = [as_places(column, line) for line in Line]
    most = max(found, key=lambda places: int(np.isfinite(places).sum()))
    return most if np.isfinite(most).any() else None
