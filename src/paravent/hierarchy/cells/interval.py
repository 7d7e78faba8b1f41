"""Intervals: stretches of the line of a column, as labels write them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal

import numpy as np

from paravent.hierarchy.cells.places import CLOCK, MOMENT, NUMBER, Line, located

_PLACE = rf"({MOMENT}|{CLOCK}|{NUMBER})"
_BRACKETS = re.compile(rf"\s*([\[\](])\s*{_PLACE}\s*[,;:]\s*{_PLACE}\s*([\[\])])\s*")
_BETWEEN = re.compile(rf"\s*{_PLACE}\s*(?:~|\.\.)\s*{_PLACE}\s*")
_DASH = re.compile(rf"\s*({NUMBER})\s*[-–]\s*({NUMBER})\s*")
_BEYOND = re.compile(rf"\s*(<=|>=|<|>|≤|≥)\s*{_PLACE}\s*")
EXACT = 2.0**53
"""Whole numbers below it have a double each."""


@dataclass(frozen=True)
class Interval:
    """The places from `low` to `high`; an end that is `open` is left out. `written` are the texts of the ends."""

    low: float
    high: float
    open_low: bool = False
    open_high: bool = False
    written: tuple[str, str] = field(default=("", ""), repr=False, compare=False)

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

    def meets(self, other: Interval) -> bool:
        """Whether a place lies in both.

        >>> Interval(20, 30, open_high=True).meets(Interval(30, 40)), Interval(20, 30).meets(Interval(30, 40))
        (False, True)
        """
        low, high = max(self.low, other.low), min(self.high, other.high)
        if low != high:
            return low < high
        both = (self, other)
        return not any((each.open_low and each.low == low) or (each.open_high and each.high == high) for each in both)

    def blurred(self) -> tuple[float, ...]:
        """Ends so large that other whole numbers have the same place."""
        return tuple(end for end in (self.low, self.high) if EXACT <= abs(end) < np.inf)

    def holds_exactly(self, number: str) -> bool:
        """Whether it holds a number, by all its digits."""
        place, (low, high) = Decimal(number), self.written
        above = not low or (Decimal(low) < place if self.open_low else Decimal(low) <= place)
        below = not high or (place < Decimal(high) if self.open_high else place <= Decimal(high))
        return above and below


def read_interval(label: str, line: Line | None = None, *, dash: bool = True) -> Interval | None:
    """The interval that a label writes, on any line or on the one that is given; None for other texts.

    `dash=False` leaves out `17-24`, which is a code in a column without a line.

    >>> read_interval("[20, 25[")
    Interval(low=20.0, high=25.0, open_low=False, open_high=True)
    >>> read_interval("[1970-01-01, 1970-01-31]").high
    30.0
    >>> read_interval("17-24").closed(whole=True), read_interval("Europe"), read_interval("[1, 2]", Line.MOMENTS)
    ((17.0, 24.0), None, None)
    """
    open_low = open_high = False
    if found := _BRACKETS.fullmatch(label):
        left, *ends, right = found.groups()
        open_low, open_high = left in "](", right in "[)"
    elif found := _BETWEEN.fullmatch(label) or (_DASH.fullmatch(label) if dash else None):
        ends = list(found.groups())
    elif found := _BEYOND.fullmatch(label):
        sign, end = found.groups()
        ends = ["", end] if sign[0] in "<≤" else [end, ""]
        open_low, open_high = sign == ">", sign == "<"
    else:
        return None
    low, high = -np.inf, np.inf
    if ends[0]:
        below = located(ends[0])
        if below is None or (line is not None and below[0] is not line):
            return None
        line, low = below
    if ends[1]:
        above = located(ends[1])
        if above is None or (line is not None and above[0] is not line):
            return None
        high = above[1]
    return Interval(low, high, open_low, open_high, (ends[0], ends[1])) if low <= high else None
