"""Sums: counts and sums over cells, with noise, and the statistics that follow from them.

Every statistic is a formula of noisy sums. Each sum gets an equal part of the price and of the doubt. A row lies in one
cell, so a person with at most c rows changes a sum over all cells by at most c times what one row can.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from paravent.private.answers import CONFIDENCE
from paravent.private.domains import Bounds, Grid
from paravent.private.estimates import Estimates
from paravent.private.price import Noise, Price

_UNIT = Bounds(-1.0, 1.0)


@dataclass(frozen=True, eq=False)
class Summing:
    """Where rows lie (`codes` of `size` cells), at most how many are one person's, and the price of one statistic.
    Where rows were counted beforehand, each code stands for `times` rows of its cell."""

    codes: np.ndarray
    size: int
    limit: int
    price: Price
    unsafe: np.random.Generator | None = None
    times: np.ndarray | None = None

    def noise(self, parts: int, reach: int = 1) -> Noise:
        return self.price.part(parts).noise(self.limit * reach)

    def count(self, present: np.ndarray, parts: int = 1) -> Estimates:
        counts = np.bincount(self.codes[present], minlength=self.size).astype(np.int64)
        if self.times is not None:
            np.add.at(counts, self.codes[present], self.times[present] - 1)
        return self._noisy(counts, self.noise(parts), parts)

    def total(self, values: np.ndarray, present: np.ndarray, grid: Grid, parts: int = 1) -> Estimates:
        """The sum of what values are beyond the grid's origin."""
        sums = np.zeros(self.size, dtype=np.int64)
        np.add.at(sums, self.codes[present], grid.steps(values[present]))
        return self._noisy(sums, self.noise(parts, grid.reach), parts).scaled(grid.step)

    def _noisy(self, sums: np.ndarray, noise: Noise, parts: int) -> Estimates:
        noisy = noise.add(sums, self.unsafe).astype(np.float64)
        return Estimates.around(noisy, noise.within((1 - CONFIDENCE) / parts))


def counted(summing: Summing) -> Estimates:
    """How many rows. The estimate is left as it was drawn, below 0 too, so that sums of estimates are not too high."""
    found = summing.count(np.ones(len(summing.codes), dtype=bool))
    return Estimates(found.estimate, np.maximum(found.low, 0), np.maximum(found.high, 0))


def summed(summing: Summing, values: np.ndarray, bounds: Bounds) -> Estimates:
    """The sum of the values that are not missing."""
    return summing.total(bounds.clamp(values), ~np.isnan(values), Grid.of(bounds, 0.0))


def averaged(summing: Summing, values: np.ndarray, bounds: Bounds) -> Estimates:
    """The mean of the values that are not missing: their count, and their sum seen from the middle of the bounds."""
    present = ~np.isnan(values)
    n = _at_least_one(summing.count(present, parts=2))
    total = summing.total(bounds.clamp(values), present, Grid.of(bounds, bounds.middle), parts=2)
    return (total / n).shifted(bounds.middle).clipped(bounds.low, bounds.high)


def spread(summing: Summing, values: np.ndarray, bounds: Bounds) -> Estimates:
    """The variance (divided by n) of the values that are not missing."""
    present, scaled = ~np.isnan(values), _scaled(values, bounds)
    n = _at_least_one(summing.count(present, parts=3))
    first, second = (_mean(summing, power, present, n, parts=3) for power in (scaled, scaled**2))
    half = (bounds.high - bounds.low) / 2
    return (second - first.squared()).clipped(0, 1).scaled(half**2)


def correlated(summing: Summing, pair: tuple[np.ndarray, np.ndarray], bounds: tuple[Bounds, Bounds]) -> Estimates:
    """Pearson's correlation of the rows that have both values."""
    present = ~np.isnan(pair[0]) & ~np.isnan(pair[1])
    x, y = (_scaled(values, own) for values, own in zip(pair, bounds, strict=True))
    n = _at_least_one(summing.count(present, parts=6))
    mx, my, mxx, myy, mxy = (_mean(summing, part, present, n, parts=6) for part in (x, y, x * x, y * y, x * y))
    deviation = (mxx - mx.squared()).root() * (myy - my.squared()).root()
    return ((mxy - mx * my) / deviation).clipped(-1, 1)


def _scaled(values: np.ndarray, bounds: Bounds) -> np.ndarray:
    """From −1 at the lower bound to 1 at the upper one."""
    return (bounds.clamp(values) - bounds.low) / (bounds.high - bounds.low) * 2 - 1


def _mean(summing: Summing, values: np.ndarray, present: np.ndarray, n: Estimates, parts: int) -> Estimates:
    return (summing.total(values, present, Grid.of(_UNIT, 0.0), parts) / n).clipped(-1, 1)


def _at_least_one(n: Estimates) -> Estimates:
    return Estimates(np.maximum(n.estimate, 1), n.low, np.maximum(n.high, 1))


@dataclass(frozen=True)
class Statistic:
    """A statistic of one column of numbers: of how many sums it is made, and the largest share of one row in the sum
    that its noise is told of."""

    found: Callable[[Summing, np.ndarray, Bounds], Estimates]
    parts: int
    unit: Callable[[Bounds], float]


STATISTICS = {
    "sum": Statistic(summed, 1, lambda bounds: Grid.of(bounds, 0.0).furthest),
    "mean": Statistic(averaged, 2, lambda bounds: Grid.of(bounds, bounds.middle).furthest),
    "variance": Statistic(spread, 3, lambda bounds: (bounds.high - bounds.low) ** 2 / 4),
}
