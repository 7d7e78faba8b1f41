"""Population uniques by Pitman's sampling formula (Hoshino 2001).

The sizes of the classes are those of a random partition with two parameters, θ and α, found by maximum likelihood:

    L(θ, α) ∝ ∏_{i=1}^{u−1} (θ + iα) / ∏_{i=1}^{n−1} (θ + i) · ∏_classes ∏_{j=1}^{size−1} (j − α)

for n rows in u classes. A population of N people then has about N^α · Γ(θ + 1) / Γ(θ + α) uniques.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, isfinite, lgamma, log

import numpy as np

from paravent.privacy.risk.frequencies import Frequencies
from paravent.privacy.risk.population import Population

ASSUMES = (
    "the class sizes of sample and population follow Pitman's partition model, and everybody was as likely to be drawn"
)
_ITERATIONS = 200
_LOWEST, _HIGHEST = 1e-6, 1 - 1e-9


@dataclass(frozen=True)
class PitmanFit:
    """The parameters that make the sample most likely."""

    theta: float
    alpha: float

    def uniques(self, population: float) -> float:
        return exp(lgamma(self.theta + 1) - lgamma(self.theta + self.alpha) + self.alpha * log(population))


def pitman(sample: Frequencies, population: Population) -> float | None:
    """The estimated number of population uniques; None where no parameters of the model fit the sample.

    >>> pitman(Frequencies.of(np.array([1] * 60 + [2] * 10 + [5] * 4)), Population.of(0.05, rows=100))  # of 2 000
    437.862138138844
    """
    if not sample.uniques:
        return 0.0
    if sample.uniques == sample.rows:  # the likelihood grows up to α = 1, at which all of the population are unique
        return population.size
    fit = fit_pitman(sample)
    if fit is None:
        return None
    uniques = fit.uniques(population.size)
    return uniques if isfinite(uniques) and uniques <= population.size else None


def fit_pitman(sample: Frequencies) -> PitmanFit | None:
    """Newton's method on the log-likelihood from Hoshino's starting point; steps are halved until they climb."""
    likelihood = _Likelihood(sample)
    theta, alpha = _start(sample)
    height = likelihood.value(theta, alpha)
    for _ in range(_ITERATIONS):
        along_theta, along_alpha = _newton_step(*likelihood.slopes(theta, alpha))
        length = 1.0
        while length > 1e-12:
            there = theta + length * along_theta, alpha + length * along_alpha
            if _LOWEST < there[1] < _HIGHEST and there[0] > -there[1] + 1e-9:
                higher = likelihood.value(*there)
                if higher >= height - 1e-12 * abs(height):
                    break
            length /= 2
        else:
            return None
        moved = abs(there[0] - theta) / max(1.0, abs(theta)) + abs(there[1] - alpha)
        (theta, alpha), height = there, higher
        if moved < 1e-12:
            return PitmanFit(theta, alpha) if alpha > 2 * _LOWEST else None
    return None


def _start(sample: Frequencies) -> tuple[float, float]:
    """Moment estimates from the classes of one and of two rows (Hoshino 2001), moved inside the region."""
    n, u, ones, twos = sample.rows, sample.classes, sample.uniques, max(1, sample.of_size(2))
    c = ones * (ones - 1) / twos
    below = 2 * ones * u + ones * c - n * c
    theta = (n * u * c - ones * (n - 1) * (2 * u + c)) / below if below else 1.0
    alpha = (theta * (ones - n) + (n - 1) * ones) / (n * u)
    if not (isfinite(theta) and 0 < alpha < 1 and theta > -alpha):
        return 1.0, 0.5
    return theta, alpha


def _newton_step(gradient: tuple[float, float], hessian: tuple[float, float, float]) -> tuple[float, float]:
    """Uphill by Newton where the likelihood is concave, else along its slope."""
    (g1, g2), (h11, h12, h22) = gradient, hessian
    determinant = h11 * h22 - h12 * h12
    if h11 < 0 and determinant > 0:
        return (h12 * g2 - h22 * g1) / determinant, (h12 * g1 - h11 * g2) / determinant
    size = max(abs(g1), abs(g2), 1e-300)
    return g1 / size, 0.1 * g2 / size


class _Likelihood:
    def __init__(self, sample: Frequencies) -> None:
        self.classes = np.arange(1.0, sample.classes)
        self.rows = np.arange(1.0, sample.rows)
        # The factor (j − α) occurs once for each class of more than j rows.
        self.steps = np.arange(1.0, float(sample.sizes[-1]))
        larger = np.cumsum(sample.counts[::-1])[::-1]
        self.larger = larger[np.searchsorted(sample.sizes, self.steps, side="right")]

    def value(self, theta: float, alpha: float) -> float:
        value: float = (
            np.log(theta + alpha * self.classes).sum()
            - np.log(theta + self.rows).sum()
            + (self.larger * np.log(self.steps - alpha)).sum()
        )
        return value

    def slopes(self, theta: float, alpha: float) -> tuple[tuple[float, float], tuple[float, float, float]]:
        by_class, by_row, by_step = (
            1 / (theta + alpha * self.classes),
            1 / (theta + self.rows),
            1 / (self.steps - alpha),
        )
        numbered = self.classes * by_class
        gradient = (
            float(by_class.sum() - by_row.sum()),
            float(numbered.sum() - (self.larger * by_step).sum()),
        )
        hessian = (
            float((by_row * by_row).sum() - (by_class * by_class).sum()),
            float(-(numbered * by_class).sum()),
            float(-(numbered * numbered).sum() - (self.larger * by_step * by_step).sum()),
        )
        return gradient, hessian
