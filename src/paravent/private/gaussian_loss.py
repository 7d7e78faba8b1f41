"""The (ε, δ) of discrete Gaussian noise itself, which is tighter than by way of zCDP (Balle and Wang 2018 for the
continuous law; Canonne, Kamath and Steinke 2020, Theorem 7, for the discrete one).

Somebody who is one row moves one count by a whole number of at most Δ. The law of the noise is log-concave, so the most
telling events are "at least x", and the further the count is moved, the likelier they are: the largest Δ is the worst.
With it the ratio of probabilities exceeds e^ε beyond x = εσ²/Δ + Δ/2, so that

    δ = P(X ≥ x₀ − Δ) − e^ε P(X ≥ x₀),   x₀ = ⌊εσ²/Δ + Δ/2⌋ + 1.

Both probabilities are bounded on the side that is against us: by the sum itself where σ is small, and by integrals on
both sides of the sum where it is large. The noise drawn has this very σ, not a rounded continuous value. All this is
about one count that moves: where somebody has several rows, several may, and then ρ (zCDP) is the price to name.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from paravent.errors import PlanError
from paravent.private.accounting import short

_PAD = 1e-10
"""Far more than what sums of floats are off by, as a part of them."""
_SUMMED = 300.0
"""Up to this σ, probabilities are summed up."""


def delta_of(sigma: float, change: int, epsilon: Fraction) -> float:
    """An upper bound of the δ at which noise of this σ hides a change of a count by `change`, for ε.

    >>> round(delta_of(4.0, 1, Fraction(1)), 6) <= 0.000126, delta_of(1.0, 1, Fraction(1)) > 0.1
    (True, True)
    """
    if not (sigma > 0 and math.isfinite(sigma)):
        raise PlanError(f"sigma must be positive, not {sigma}.")
    first = math.floor(epsilon * Fraction(sigma) ** 2 / change + Fraction(change, 2)) + 1
    up = math.nextafter(math.exp(float(epsilon)), 0) * (1 - _PAD)
    least, most = _tail(sigma, first), _tail(sigma, first - change)
    return min(1.0, max(0.0, most[1] - up * least[0]) * (1 + _PAD))


@lru_cache
def least_sigma(epsilon: Fraction, delta: Fraction, change: int) -> float:
    """A σ, nearly the least, at which discrete Gaussian noise on a count is (ε, δ)-private.

    >>> sigma = least_sigma(Fraction(1), Fraction(1, 10**6), 1)
    >>> round(sigma, 2), delta_of(sigma, 1, Fraction(1)) <= 1e-6
    (4.23, True)
    """
    if not 0 < delta < 1:
        raise PlanError(f"delta must lie between 0 and 1, not {short(delta)}.")
    allowed = float(delta) * (1 - _PAD)
    low, high = 0.0, float(change) / 4
    while delta_of(high, change, epsilon) > allowed:
        low, high = high, high * 2
        if high > 2.0**60:
            raise PlanError("the noise would be wider than the numbers that a machine counts with. Spend more.")
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if delta_of(middle, change, epsilon) <= allowed else (middle, high)
        if high - low <= high * 1e-9:
            break
    return high


def _tail(sigma: float, first: int) -> tuple[float, float]:
    """P(X ≥ first) of the discrete Gaussian, between two bounds."""
    if first <= 0:  # by symmetry P(X ≥ −a) = 1 − P(X ≥ a + 1)
        low, high = _tail(sigma, 1 - first)
        return max(0.0, 1 - high) * (1 - _PAD), min(1.0, (1 - low) * (1 + _PAD))
    if sigma <= _SUMMED:
        mass = 1 + 2 * _sum(sigma, 1)
        part = _sum(sigma, first) / mass
        return part * (1 - _PAD), part * (1 + _PAD)
    # e^(−x²/2σ²) falls for x ≥ 0, so that the sum from `first` lies between the integrals from `first` and from one
    # before; from x ≥ σ on it is convex, so that half a step is enough on either side (trapezoids, midpoints). All mass
    # is σ√2π but for a part of e^(−2π²σ²) (Poisson's formula).
    whole = sigma * math.sqrt(2 * math.pi)
    low, high = _integral(sigma, first), _integral(sigma, first - 1)
    if first - 1 >= sigma:
        low, high = low + math.exp(-((first / sigma) ** 2) / 2) / 2, _integral(sigma, first - 0.5)
    return low / whole * (1 - _PAD), high / whole * (1 + _PAD)


@lru_cache(maxsize=4096)
def _sum(sigma: float, first: int) -> float:
    """Σ e^(−x²/2σ²) for x ≥ first ≥ 1, to 15 digits: from where a term is below 1e-25 of the first, the rest is less
    than a geometric series of the padding."""
    reach = math.ceil(sigma * sigma * 58 / (first + sigma)) + first + math.ceil(8 * sigma) + 2
    return math.fsum(math.exp(-(x * x) / (2 * sigma * sigma)) for x in range(first, reach))


def _integral(sigma: float, begin: float) -> float:
    return sigma * math.sqrt(math.pi / 2) * math.erfc(begin / (sigma * math.sqrt(2)))
