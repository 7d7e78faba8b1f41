"""Entropy of a class, compared with a demand so that rounding decides nothing.

The effective number of values of counts c with sum n is exp(H) = n / (prod c^c)^(1/n). Floats tell almost all classes
apart from the demand. The few that come close are decided by exact arithmetic: are the two sides of
n^n · q^n = p^n · prod c^c (demand p/q) the same integer, and if not, which is larger.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from math import gcd

import numpy as np

from paravent.privacy.classes import Histogram

# Far above what summing floats can lose (10^6 values a class: below 1e-8), far below what anybody asks for.
_CLOSE = 1e-7


def effective_numbers(histogram: Histogram) -> np.ndarray:
    """exp(entropy) of each class; exactly m where m values are equally frequent.

    >>> counts = Histogram(np.array([0, 3, 6]), np.array([0, 1, 2, 0, 1, 2]), np.array([2, 2, 1, 1, 1, 1]), np.ones(3))
    >>> effective_numbers(counts).round(3).tolist()
    [2.872, 3.0]
    """
    return histogram.once("effective numbers", lambda: _effective_numbers(histogram))


def _effective_numbers(histogram: Histogram) -> np.ndarray:
    if len(histogram.start) < 2:
        return np.zeros(0)
    counts, sizes = histogram.count, histogram.held
    weighted = np.add.reduceat(counts * np.log(counts), histogram.start[:-1])
    numbers = np.exp(np.log(sizes) - weighted / sizes)
    return np.where(_even(histogram), np.diff(histogram.start), numbers)


def _even(histogram: Histogram) -> np.ndarray:
    """The classes in which all values are equally frequent: their effective number is the number of values."""
    if len(histogram.start) < 2:
        return np.zeros(0, dtype=bool)
    starts, counts = histogram.start[:-1], histogram.count
    return np.asarray(np.minimum.reduceat(counts, starts) == np.maximum.reduceat(counts, starts))


def at_least(histogram: Histogram, demand: Fraction) -> np.ndarray:
    """Which classes have an effective number of values of at least `demand`, exactly."""
    numbers = effective_numbers(histogram)
    holds = np.asarray(numbers >= float(demand))
    decided: dict[tuple[int, ...], bool] = {}
    close = np.abs(numbers - float(demand)) <= _CLOSE * float(demand)
    even = close & _even(histogram)
    holds[even] = np.diff(histogram.start)[even] >= math.ceil(demand)
    for index in np.flatnonzero(close & ~even).tolist():
        counts = histogram.count[histogram.start[index] : histogram.start[index + 1]].tolist()
        shared = gcd(*counts)
        shape = tuple(sorted(count // shared for count in counts))
        if shape not in decided:
            decided[shape] = exactly_at_least(shape, demand)
        holds[index] = decided[shape]
    return holds


def exactly_at_least(counts: Sequence[int], demand: Fraction) -> bool:
    """Whether the effective number of values is at least `demand`.

    >>> exactly_at_least((1, 1), Fraction(2)), exactly_at_least((5_000_001, 4_999_999), Fraction(2))
    (True, False)
    """
    n = sum(counts)
    left = [(n, n), (demand.denominator, n)]
    right = [(demand.numerator, n), *((count, count) for count in counts)]
    if _equal_products(left, right):
        return True
    digits = 40
    while True:  # they differ, so some precision tells them apart
        with localcontext() as context:
            context.prec = digits
            ours, theirs = _log_of_product(left), _log_of_product(right)
            doubt = (abs(ours) + abs(theirs) + 1) * (len(right) + 4) * Decimal(10) ** (1 - digits)
            if abs(ours - theirs) > doubt:
                return ours > theirs
        digits *= 2


def _log_of_product(powers: Sequence[tuple[int, int]]) -> Decimal:
    return sum((exponent * Decimal(base).ln() for base, exponent in powers), Decimal(0))


def _equal_products(left: Sequence[tuple[int, int]], right: Sequence[tuple[int, int]]) -> bool:
    """Whether two products of powers are the same integer, without multiplying them out.

    Bases are split by their common divisors until all are coprime; then every exponent must cancel.
    """
    exponents: dict[int, int] = {}
    waiting = [*left, *((base, -exponent) for base, exponent in right)]
    while waiting:
        base, exponent = waiting.pop()
        if base == 1 or exponent == 0:
            continue
        for known in exponents:
            shared = gcd(base, known)
            if shared > 1:
                before = exponents.pop(known)
                waiting += [(shared, exponent + before), (base // shared, exponent), (known // shared, before)]
                break
        else:
            exponents[base] = exponent
    return not exponents
