"""Equivalence classes: the groups of rows that a release makes indistinguishable, as counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Histogram:
    """How often each sensitive value occurs in each class, sparse: the pairs of class c are
    `value[start[c]:start[c + 1]]` and `count[start[c]:start[c + 1]]`, values ascending, counts positive.
    `table[v]` is the count of value v in the whole table."""

    start: np.ndarray
    value: np.ndarray
    count: np.ndarray
    table: np.ndarray

    @property
    def owner(self) -> np.ndarray:
        """The class of each pair."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))

    @classmethod
    def of(cls, of_row: np.ndarray, n_classes: int, codes: np.ndarray, table: np.ndarray) -> Histogram:
        """Count `codes` (0 … len(table) − 1) by class; rows with a negative class are left out."""
        kept = of_row >= 0
        width = max(len(table), 1)
        pair = of_row[kept].astype(np.int64) * width + codes[kept]
        if n_classes * width <= 4 * len(pair) + 1024:
            counts = np.bincount(pair, minlength=n_classes * width)
            keys = np.flatnonzero(counts)
            counts = counts[keys]
        else:
            keys, counts = np.unique(pair, return_counts=True)
        start = np.searchsorted(keys, np.arange(n_classes + 1, dtype=np.int64) * width)
        return cls(start, (keys % width).astype(np.int32), counts.astype(np.int64), table)


@dataclass(frozen=True, eq=False)
class Classes:
    """The classes of a table or of a candidate: their sizes, and a histogram for each sensitive column asked for.

    Every class holds at least one row. The models judge this object and nothing else.
    """

    sizes: np.ndarray
    histograms: Mapping[str, Histogram]

    def __len__(self) -> int:
        return len(self.sizes)

    @classmethod
    def of(
        cls,
        of_row: np.ndarray,
        n_classes: int,
        sensitive: Mapping[str, np.ndarray],
        tables: Mapping[str, np.ndarray] | None = None,
    ) -> Classes:
        """Classes from the class of each row (negative: suppressed) and the codes of the sensitive columns.

        `tables` gives the whole table's counts where `of_row` covers only a part of it.
        """
        sizes = np.bincount(of_row[of_row >= 0], minlength=n_classes)
        histograms = {}
        for name, codes in sensitive.items():
            table = tables[name] if tables is not None else np.bincount(codes)
            histograms[name] = Histogram.of(of_row, n_classes, codes, table)
        return cls(sizes, histograms)
