"""Estimates: numbers that noise may have moved, with the interval of each. Formulas carry both along.

Where the intervals that go into a formula hold together with some confidence, so does the interval that comes out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Estimates:
    """An estimate and its interval for each of several cells.

    >>> n = Estimates.around(np.array([10.0]), 2)
    >>> mean = Estimates.around(np.array([30.0]), 4) / n
    >>> mean.estimate.tolist(), mean.low.round(2).tolist(), mean.high.round(2).tolist()
    ([3.0], [2.17], [4.25])
    """

    estimate: np.ndarray
    low: np.ndarray
    high: np.ndarray

    @classmethod
    def around(cls, values: np.ndarray, within: float) -> Estimates:
        return cls(values, values - within, values + within)

    def shifted(self, by: float) -> Estimates:
        return Estimates(self.estimate + by, self.low + by, self.high + by)

    def scaled(self, by: float) -> Estimates:
        """Times a positive number."""
        return Estimates(self.estimate * by, self.low * by, self.high * by)

    def clipped(self, low: float, high: float) -> Estimates:
        return Estimates(*(np.clip(part, low, high) for part in (self.estimate, self.low, self.high)))

    def __sub__(self, other: Estimates) -> Estimates:
        return Estimates(self.estimate - other.estimate, self.low - other.high, self.high - other.low)

    def __mul__(self, other: Estimates) -> Estimates:
        return self._from_corners(self.estimate * other.estimate, [
            self.low * other.low, self.low * other.high, self.high * other.low, self.high * other.high,
        ])  # fmt: skip

    def __truediv__(self, other: Estimates) -> Estimates:
        """Divided by what is positive. Where that is in doubt, anything is possible."""
        sure = other.low > 0
        low, high = np.where(sure, other.low, 1), np.where(sure, other.high, 1)
        best = self.estimate / np.where(other.estimate > 0, other.estimate, np.inf)
        found = self._from_corners(best, [self.low / low, self.low / high, self.high / low, self.high / high])
        return Estimates(best, np.where(sure, found.low, -np.inf), np.where(sure, found.high, np.inf))

    def squared(self) -> Estimates:
        ends = np.stack([self.low**2, self.high**2])
        around_zero = (self.low <= 0) & (self.high >= 0)
        return Estimates(self.estimate**2, np.where(around_zero, 0, ends.min(axis=0)), ends.max(axis=0))

    def root(self) -> Estimates:
        return Estimates(*(np.sqrt(np.maximum(part, 0)) for part in (self.estimate, self.low, self.high)))

    @staticmethod
    def _from_corners(estimate: np.ndarray, corners: list[np.ndarray]) -> Estimates:
        found = np.stack(corners)
        return Estimates(estimate, found.min(axis=0), found.max(axis=0))
