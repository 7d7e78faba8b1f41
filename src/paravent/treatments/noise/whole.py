"""What noise takes from all values of its columns: means, deviations and quantiles, from rows or from counts of values.

Where a table lies on many machines, each of them sees a part of the rows; what concerns all rows is then worked out
from how often each value occurs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

_NORMAL_MAD, _NORMAL_RANGE = 1.4826, 1.349
"""What turns the median deviation, and the distance of the quartiles, into the deviation of a normal variable."""

Of = Callable[[np.ndarray, Any], np.ndarray]
"""Numbers made of values, given which of the columns these are."""


class Whole(ABC):
    """All values of some columns; those that are missing are nowhere."""

    @abstractmethod
    def mean_of(self, of: Of) -> np.ndarray:
        """Of each column, the mean of what a function makes of its values."""

    @abstractmethod
    def median_of(self, of: Of) -> np.ndarray:
        """The same with the median."""

    @abstractmethod
    def quantiles(self, at: int, shares: Sequence[float]) -> np.ndarray:
        """Of one column, between two values in proportion."""

    def deviation(self, at: int) -> float:
        """The standard deviation of one column."""
        return float(np.sqrt(self.variances[at]))

    @cached_property
    def means(self) -> np.ndarray:
        return self.mean_of(lambda values, at: values)  # noqa: ARG005

    @cached_property
    def variances(self) -> np.ndarray:
        return self.mean_of(lambda values, at: np.square(values - self.means[at]))

    @cached_property
    def medians(self) -> np.ndarray:
        return self.median_of(lambda values, at: values)  # noqa: ARG005

    @cached_property
    def robust_deviations(self) -> np.ndarray:
        """By the median distance from the median; by the quartiles where half of the values are equal; else the plain
        one.

        >>> Rows(np.array([[1.0], [2.0], [3.0], [4.0], [1000.0]])).robust_deviations.round(3).tolist()
        [1.483]
        """
        found = _NORMAL_MAD * self.median_of(lambda values, at: np.abs(values - self.medians[at]))
        for at in np.flatnonzero(found == 0).tolist():
            low, high = self.quantiles(at, (0.25, 0.75))
            found[at] = (high - low) / _NORMAL_RANGE or self.deviation(at)
        return found


@dataclass(frozen=True, eq=False)
class Rows(Whole):
    """Rows and columns (nan: missing)."""

    values: np.ndarray

    def mean_of(self, of: Of) -> np.ndarray:
        return means(of(self.values, slice(None)))

    def median_of(self, of: Of) -> np.ndarray:
        return np.array([np.median(column[np.isfinite(column)]) for column in of(self.values, slice(None)).T])

    def quantiles(self, at: int, shares: Sequence[float]) -> np.ndarray:
        return np.asarray(np.nanquantile(self.values[:, at], shares))

    def deviation(self, at: int) -> float:
        return float(np.nanstd(self.values[:, at]))


@dataclass(frozen=True, eq=False)
class Counted(Whole):
    """The different values of each column, and how often each occurs.

    >>> counted = Counted([(np.array([2.0, 4.0]), np.array([3, 1]))])
    >>> counted.means.tolist(), counted.medians.tolist(), counted.quantiles(0, (0.5, 0.75)).tolist()
    ([2.5], [2.0], [2.0, 2.5])
    """

    columns: Sequence[tuple[np.ndarray, np.ndarray]]

    def mean_of(self, of: Of) -> np.ndarray:
        return np.array(
            [(of(values, at) * times).sum() / times.sum() for at, (values, times) in enumerate(self.columns)]
        )

    def median_of(self, of: Of) -> np.ndarray:
        return np.array(
            [_quantiles(of(values, at), times, (0.5,))[0] for at, (values, times) in enumerate(self.columns)]
        )

    def quantiles(self, at: int, shares: Sequence[float]) -> np.ndarray:
        return _quantiles(*self.columns[at], shares)


def means(values: np.ndarray) -> np.ndarray:
    """Of each column, over its values that are there."""
    found = values.mean(axis=0)
    return np.asarray(found if np.isfinite(found).all() else np.nanmean(values, axis=0))


def _quantiles(values: np.ndarray, times: np.ndarray, shares: Sequence[float]) -> np.ndarray:
    order = np.argsort(values, kind="stable")
    last = np.cumsum(times[order])
    place = np.asarray(shares, dtype=np.float64) * (last[-1] - 1)
    low, high = (values[order][np.searchsorted(last, end, side="right")] for end in (np.floor(place), np.ceil(place)))
    return np.asarray(low + (high - low) * (place - np.floor(place)))
