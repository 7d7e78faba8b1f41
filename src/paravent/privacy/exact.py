"""Thresholds decided without rounding.

Shares and distances of a class are ratios of whole numbers. Floats tell almost all of them apart from a demand; the few
that come close are decided by whole numbers, or, where a logarithm is involved, by as many digits as it takes.
"""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np

# A ratio of two whole numbers, each rounded once, is off by less than 4e-16 of itself; logarithms by little more.
_CLOSE = 1e-12
_WIDEST = 2**62


def as_written(number: float) -> Fraction:
    """The number that the user wrote: 0.1 is one tenth, not the float next to it.

    >>> as_written(0.1), as_written(2)
    (Fraction(1, 10), Fraction(2, 1))
    """
    return Fraction(str(number))


def as_floats(over: np.ndarray, under: np.ndarray) -> np.ndarray:
    """over / under, each rounded once, for whole numbers of any size."""
    return np.asarray(over / under, dtype=np.float64)


def at_most(over: np.ndarray, under: np.ndarray, bound: Fraction) -> np.ndarray:
    """Whether over / under ≤ bound, elementwise and exactly, for whole numbers over ≥ 0 and under > 0.

    >>> at_most(np.array([1, 2, 10**18]), np.array([3, 3, 3 * 10**18 - 1]), Fraction(1, 3)).tolist()
    [True, False, False]
    """
    p, q = bound.numerator, bound.denominator
    if p < 0:
        return np.zeros(len(over), dtype=bool)
    holds, doubtful = np.zeros(len(over), dtype=bool), np.arange(len(over))
    if object not in (over.dtype, under.dtype):
        if int(over.max(initial=0)) * q < _WIDEST and int(under.max(initial=0)) * p < _WIDEST:
            return np.asarray(over * q <= under * p, dtype=bool)
        ratio, limit = over / under, float(bound)
        holds = np.asarray(ratio <= limit, dtype=bool)
        doubtful = np.flatnonzero(np.abs(ratio - limit) <= _CLOSE * max(limit, 1e-300))
    for at, a, b in zip(doubtful.tolist(), over[doubtful].tolist(), under[doubtful].tolist(), strict=True):
        holds[at] = a * q <= b * p
    return holds


def log_is_below(over: np.ndarray, under: np.ndarray, bound: Fraction) -> np.ndarray:
    """Whether |ln(over / under)| < bound, elementwise, for positive whole numbers.

    A tie is impossible: the logarithm of a fraction other than 1 is irrational (Lindemann), and that of 1 is 0.

    >>> log_is_below(np.array([1, 2, 1000]), np.array([1, 3, 1]), Fraction(1, 2)).tolist()
    [True, True, False]
    """
    distance, limit = np.abs(np.log(as_floats(over, under))), float(bound)
    holds = np.asarray(distance < limit)
    doubtful = np.flatnonzero(np.abs(distance - limit) <= _CLOSE * max(limit, 1.0))
    decided: dict[Fraction, bool] = {}
    for at, a, b in zip(doubtful.tolist(), over[doubtful].tolist(), under[doubtful].tolist(), strict=True):
        ratio = Fraction(a, b)
        if ratio not in decided:
            decided[ratio] = _compare_log(max(ratio, 1 / ratio), bound) < 0
        holds[at] = decided[ratio]
    return holds


def gain_within_log(over: np.ndarray, under: np.ndarray, count: np.ndarray, total: int) -> np.ndarray:
    """Whether over / under − 1 ≤ −ln(count / total), elementwise, for positive whole numbers."""
    gain, limit = as_floats(over, under) - 1, np.log(total / count)
    holds = np.asarray(gain <= limit)
    decided: dict[tuple[Fraction, int], bool] = {}
    doubtful = np.flatnonzero(np.abs(gain - limit) <= _CLOSE * (1 + np.abs(limit)))
    for at, a, b, c in zip(
        doubtful.tolist(), over[doubtful].tolist(), under[doubtful].tolist(), count[doubtful].tolist(), strict=True
    ):
        excess = Fraction(a, b) - 1
        if (excess, c) not in decided:
            decided[excess, c] = excess <= 0 or _compare_log(Fraction(total, c), excess) > 0
        holds[at] = decided[excess, c]
    return holds


def _compare_log(number: Fraction, bound: Fraction) -> int:
    """The sign of ln(number) − bound for number ≥ 1; 0 only where number is 1 and bound is 0."""
    if number == 1 or bound <= 0:
        return (number > 1) - (bound > 0) if number == 1 or bound < 0 else 1
    digits = 40
    while True:  # they differ, so some precision tells them apart
        with localcontext() as context:
            context.prec = digits
            ours = (Decimal(number.numerator) / number.denominator).ln()
            theirs = Decimal(bound.numerator) / bound.denominator
            if abs(ours - theirs) > (abs(ours) + abs(theirs) + 1) * Decimal(10) ** (4 - digits):
                return 1 if ours > theirs else -1
        digits *= 2


def shown(level: float, demand: float, *, holds: bool, most: bool) -> float:
    """A level as a float that never says better than what was found: where rounding made a broken demand look kept,
    the next float on its far side.

    `most` tells that the demand bounds the level from above.
    """
    looks_kept = level <= demand if most else level >= demand
    if holds or not looks_kept:
        return level
    return math.nextafter(demand, math.inf if most else 0.0)
