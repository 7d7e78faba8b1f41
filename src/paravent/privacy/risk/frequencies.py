"""Frequencies of frequencies: how many classes have each size. All that a model of the population sees of a sample."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Frequencies:
    """`counts[i]` classes have `sizes[i]` rows; sizes ascend and every count is positive.

    >>> found = Frequencies.of(np.array([1, 1, 3]))
    >>> found.rows, found.classes, found.of_size(1), found.of_size(2)
    (5, 3, 2, 0)
    """

    sizes: np.ndarray
    counts: np.ndarray

    @classmethod
    def of(cls, class_sizes: np.ndarray) -> Frequencies:
        sizes, counts = np.unique(np.asarray(class_sizes, dtype=np.int64), return_counts=True)
        return cls(sizes, counts.astype(np.int64))

    @property
    def rows(self) -> int:
        return int((self.sizes * self.counts).sum())

    @property
    def classes(self) -> int:
        return int(self.counts.sum())

    def of_size(self, size: int) -> int:
        """The number of classes of this size."""
        at = int(np.searchsorted(self.sizes, size))
        return int(self.counts[at]) if at < len(self.sizes) and self.sizes[at] == size else 0

    @property
    def uniques(self) -> int:
        """The number of rows that are alone in their class."""
        return self.of_size(1)
