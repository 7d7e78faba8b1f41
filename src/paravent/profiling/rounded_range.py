"""The range of a column, rounded outward until it is nobody's value any more."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal


def rounded_range(low: object, high: object) -> str | None:
    """From where to where the values lie: numbers to a tenth or so of their span, dates to decades, times not at all.

    Both ends lie strictly outside or on a round number whether or not somebody has that value, so they name nobody.

    >>> rounded_range(17, 90), rounded_range(0.2, 0.83), rounded_range(dt.date(1931, 5, 2), dt.date(2004, 1, 1))
    ('10 to 100', '0.2 to 0.9', '1930 to 2010')
    """
    if isinstance(low, dt.date) and isinstance(high, dt.date):
        return f"{low.year // 10 * 10} to {high.year // 10 * 10 + 10}"
    if isinstance(low, int | float | Decimal) and isinstance(high, int | float | Decimal):
        return _rounded_numbers(float(low), float(high))
    return None


def _rounded_numbers(low: float, high: float) -> str | None:
    if not (math.isfinite(low) and math.isfinite(high)):
        return None
    span = high - low or abs(high) or 1.0
    if not math.isfinite(span) or span < 1e-300:
        return None
    exponent = math.floor(math.log10(span))
    step = 10.0**exponent
    first, last = math.floor(low / step), math.floor(high / step) + 1
    decimals = max(0, -exponent)
    return f"{first * step:.{decimals}f} to {last * step:.{decimals}f}"
