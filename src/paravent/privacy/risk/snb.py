"""Population uniques by the slide negative binomial model (Chen and Keller-McNulty 1998).

A class of the population has 1 + X people, X negative binomial with parameters α and β; there are K classes. With a
sampling fraction f, and z = (1 − f)(1 − β), the sample is expected to show

    one row    K f (β / (1 − z))^α (1 + α z / (1 − z))
    two rows   K f² α (1 − β) β^α (2 − (1 − α) z) / (2 (1 − z)^(α + 2))

in so many classes. K is estimated first (Shlosser's estimator as modified by Haas and Stokes 1998), then α and β are
chosen to meet both numbers. K β^α people are unique.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log, log1p, sqrt

import numpy as np

from paravent.privacy.risk.frequencies import Frequencies
from paravent.privacy.risk.population import Population

ASSUMES = (
    "the class sizes of the population follow a shifted negative binomial law, and everybody was as likely to be drawn"
)


@dataclass(frozen=True)
class SnbFit:
    """K classes whose sizes are 1 + NB(α, β)."""

    classes: float
    alpha: float
    beta: float

    @property
    def uniques(self) -> float:
        return float(self.classes * self.beta**self.alpha)


def snb(sample: Frequencies, population: Population) -> float | None:
    """The estimated number of population uniques; None where no α and β explain the sample.

    >>> snb(Frequencies.of(np.array([1] * 60 + [2] * 10 + [5] * 4)), Population.of(0.2, rows=100))
    176.32668732584668
    """
    if not sample.uniques:
        return 0.0
    if population.fraction >= 1:
        return float(sample.uniques)
    if not sample.of_size(2):
        return None
    classes = estimate_classes(sample, population.fraction)
    fit = fit_snb(classes, sample.uniques, sample.of_size(2), population.fraction)
    return None if fit is None else fit.uniques


def estimate_classes(sample: Frequencies, fraction: float) -> float:
    """The number of classes of the population: the sample's, and those of which nobody was drawn."""
    size, count, f = sample.sizes.astype(float), sample.counts, fraction
    seldom = (size * f**2 * (1 - f**2) ** (size - 1) * count).sum() / (
        ((1 - f) ** size * ((1 + f) ** size - 1) * count).sum()
    )
    unseen = ((1 - f) ** size * count).sum() / (size * f * (1 - f) ** (size - 1) * count).sum()
    return float(sample.classes + sample.uniques * seldom * unseen**2)


def fit_snb(classes: float, ones: float, twos: float, fraction: float) -> SnbFit | None:
    """α and β that give `ones` classes of one row and `twos` of two.

    With r = z / (1 − z) and w = β / (1 − z) = 1 − r f / (1 − f), the quotient of the two equations is quadratic in
    a = α r: a (2 + r + a) = (1 + a) · 2 (1 − f) twos / (f · ones). Its positive root leaves one equation in r.
    """
    kept = 1 - fraction
    quotient = 2 * kept * twos / (fraction * ones)
    target = log(ones / (classes * fraction))
    widest = kept / fraction

    def product(r: float) -> float:
        middle = 2 + r - quotient
        root = sqrt(middle * middle + 4 * quotient)
        return 2 * quotient / (middle + root) if middle > 0 else (root - middle) / 2

    def miss(r: float) -> float:
        a = product(r)
        return a / r * log1p(-r / widest) + log1p(a) - target

    grid = widest * np.concatenate([np.geomspace(1e-12, 0.5, 400), 1 - np.geomspace(0.5, 1e-12, 400)[1:]])
    missed = [miss(float(r)) for r in grid]
    for low, high, before, after in zip(grid, grid[1:], missed, missed[1:], strict=False):
        if (before > 0) != (after > 0):
            r = _bisect(miss, float(low), float(high))
            return SnbFit(classes, product(r) / r, (1 - r / widest) / (1 + r))
    return None


def _bisect(miss: Callable[[float], float], low: float, high: float) -> float:
    above = miss(low) > 0
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if (miss(middle) > 0) == above:
            low = middle
        else:
            high = middle
    return (low + high) / 2
