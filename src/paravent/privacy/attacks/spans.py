"""Numbers and dates in cells: their places on a line, and the stretches of it that a label names.

[20, 29]  [20;30[  ]20, 30]     between two ends, a bracket that opens towards an end excluding it
< 20  <= 20  > 80  >= 80        beyond one
17~24                           between two, both included
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from paravent.hierarchy.written import place_of

_BETWEEN = re.compile(r"([\[\](])\s*([^,;\[\]]+?)\s*[,;]\s*([^,;\[\]]+?)\s*([\[\])])")
_BEYOND = re.compile(r"(<=|>=|<|>|≤|≥)\s*(.+)")
_RANGE = re.compile(r"([^~]+)~([^~]+)")


@dataclass(frozen=True)
class Span:
    """A stretch of the line from `low` to `high`, with or without its ends."""

    low: float
    high: float
    with_low: bool = True
    with_high: bool = True

    def meets(self, other: Span | None) -> bool:
        """Whether a place lies in both.

        >>> Span(20, 30, with_high=False).meets(Span(30, 40)), Span(20, 30).meets(Span(30, 40))
        (False, True)
        """
        if other is None:
            return False
        low, high = max(self.low, other.low), min(self.high, other.high)
        if low != high:
            return low < high
        return all((span.low < low or span.with_low) and (span.high > high or span.with_high) for span in (self, other))


def as_place(text: str | None) -> float | None:
    """The place of a number, an ISO date (in days since 1970) or a time of day; None for other texts.

    >>> as_place("20"), as_place("1970-01-03"), as_place("20 years")
    (20.0, 2.0, None)
    """
    return None if text is None else place_of(text.strip())


def span_of(text: str | None) -> Span | None:
    """The stretch that a label names, if it names one.

    >>> span_of("[21;31[")
    Span(low=21.0, high=31.0, with_low=True, with_high=False)
    >>> span_of("> 40").meets(Span(40, 40))
    False
    """
    if text is None:
        return None
    between = _BETWEEN.fullmatch(text)
    if between is not None:
        low, high = as_place(between[2]), as_place(between[3])
        return None if low is None or high is None else Span(low, high, between[1] == "[", between[4] == "]")
    beyond = _BEYOND.fullmatch(text)
    if beyond is not None:
        end = as_place(beyond[2])
        if end is None:
            return None
        included = beyond[1] in ("<=", ">=", "≤", "≥")
        return Span(-math.inf, end, True, included) if beyond[1][0] in "<≤" else Span(end, math.inf, included, True)
    spread = _RANGE.fullmatch(text)
    if spread is not None:
        low, high = as_place(spread[1]), as_place(spread[2])
        return None if low is None or high is None else Span(low, high)
    return None


def places_of(texts: Sequence[str | None]) -> np.ndarray | None:
    """The place of each text, nan where there is none; None where no text has a place."""
    column = pl.Series("text", texts, dtype=pl.String)
    places = column.cast(pl.Float64, strict=False).fill_null(float("nan")).to_numpy().copy()
    places[~np.isfinite(places)] = np.nan
    for i in np.flatnonzero(np.isnan(places)).tolist():
        found = as_place(texts[i])
        if found is not None:
            places[i] = found
    return None if np.isnan(places).all() else places
