"""Population uniques by Pitman's sampling formula (Hoshino 2001).

The sizes of the classes are those of a random partition with two parameters, θ and α, found by maximum likelihood:

    L(θ, α) ∝ ∏_{i=1}^{u−1} (θ + iα) / ∏_{i=1}^{n−1} (θ + i) · ∏_classes ∏_{j=1}^{size−1} (j − α)

for n rows in u classes. A population of N people then has about N^α · Γ(θ + 1) / Γ(θ + α) uniques.

Where the likelihood falls from α = 0 on, its maximum lies on that boundary: Ewens' sampling formula (1972), by which
N people have θN / (θ + N − 1) uniques.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import exp, isfinite, lgamma, log

import numpy as np

from paravent.privacy.risk.frequencies import Frequencies
from paravent.privacy.risk.population import Population

ASSUMES = (
    "the class sizes of sample and population follow Pitman's partition model, and everybody was as likely to be drawn"
)
_ITERATIONS = 200
_HALVINGS = 60
_LOWEST, _HIGHEST = 1e-6, 1 - 1e-9
_DIRECT = 1 << 16


@dataclass(frozen=True)
class PitmanFit:
    """The parameters that make the sample most likely; with an alpha of 0 it is Ewens' model."""

    theta: float
    alpha: float

    def uniques(self, population: float) -> float:
        if self.alpha == 0:
            return self.theta * population / (self.theta + population - 1)
        return exp(lgamma(self.theta + 1) - lgamma(self.theta + self.alpha) + self.alpha * log(population))


def pitman(sample: Frequencies, population: Population) -> float | None:
    """The estimated number of population uniques; None where no parameters of the model fit the sample.

    >>> sample = Frequencies.of(np.array([1] * 60 + [2] * 10 + [5] * 4))
    >>> round(pitman(sample, Population(2_000, rows=100)), 4)
    437.8621
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
    """The likelier of the best fit with α above 0 and, where the likelihood falls from there on, of that with α = 0."""
    likelihood = _Likelihood(sample)
    inside, boundary = _inside(likelihood, sample), _ewens(likelihood)
    if boundary is None or likelihood.slopes(boundary, 0.0)[0][1] > 0:
        return inside
    if inside is not None and likelihood.value(inside.theta, inside.alpha) > likelihood.value(boundary, 0.0):
        return inside
    return PitmanFit(boundary, 0.0)


def _ewens(likelihood: _Likelihood) -> float | None:
    """The θ of Ewens' model: its expected number of classes, Σ θ / (θ + i), is that of the sample. It grows with θ, so
    halving finds it. None where no θ does: all rows in one class, or each in its own."""
    low, high = -60.0, 60.0  # of log θ
    if likelihood.slopes(exp(low), 0.0)[0][0] <= 0 or likelihood.slopes(exp(high), 0.0)[0][0] >= 0:
        return None
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if likelihood.slopes(exp(middle), 0.0)[0][0] > 0:
            low = middle
        else:
            high = middle
    return exp((low + high) / 2)


def _inside(likelihood: _Likelihood, sample: Frequencies) -> PitmanFit | None:
    """Newton's method on the log-likelihood from Hoshino's starting point; steps are halved until they climb."""
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


@cache
def _gauss() -> tuple[np.ndarray, np.ndarray]:
    return np.polynomial.legendre.leggauss(24)


def _nodes(first: int, last: int) -> tuple[np.ndarray, np.ndarray]:
    """Places and weights whose sum stands for that over first … last: the numbers themselves up to 2^16, beyond them
    Gauss's points between powers of two. The functions here bend so little there that it errs by some 1e-11."""
    places, weights = (
        [np.arange(float(first), min(last, _DIRECT) + 1)],
        [np.ones(max(0, min(last, _DIRECT) - first + 1))],
    )
    low = max(first, _DIRECT + 1) - 0.5
    point, share = _gauss()
    while low < last:
        high = min(2 * low, last + 0.5)
        places.append((low + high) / 2 + (high - low) / 2 * point)
        weights.append((high - low) / 2 * share)
        low = high
    return np.concatenate(places), np.concatenate(weights)


class _Likelihood:
    def __init__(self, sample: Frequencies) -> None:
        self.classes, self.of_class = _nodes(1, sample.classes - 1)
        self.rows, self.of_row = _nodes(1, sample.rows - 1)
        # The factor (j − α) occurs once for each class of more than j rows.
        bounds = [1, *sample.sizes.tolist()]
        larger = np.cumsum(sample.counts[::-1])[::-1]
        pieces = [_nodes(low, high - 1) for low, high in pairwise(bounds)]
        self.steps = np.concatenate([places for places, _ in pieces])
        self.larger = np.concatenate([count * weights for count, (_, weights) in zip(larger, pieces, strict=True)])

    def value(self, theta: float, alpha: float) -> float:
        value: float = (
            self.of_class @ np.log(theta + alpha * self.classes)
            - self.of_row @ np.log(theta + self.rows)
            + self.larger @ np.log(self.steps - alpha)
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
            float(self.of_class @ by_class - self.of_row @ by_row),
            float(self.of_class @ numbered - self.larger @ by_step),
        )
        hessian = (
            float(self.of_row @ by_row**2 - self.of_class @ by_class**2),
            float(-self.of_class @ (numbered * by_class)),
            float(-self.of_class @ numbered**2 - self.larger @ by_step**2),
        )
        return gradient, hessian
