"""How much two columns tell about one another, from 0 to 1 (Li et al. 2012, §4.1).

Two columns of numbers: the square of Pearson's correlation. Any others: the mean-square contingency coefficient
φ² = Σ (f_ij − f_i f_j)² / (f_i f_j) / (min(d1, d2) − 1), with numbers parted in intervals of equally many rows first.
Of two columns of two values each both are the same number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

MOST_PARTS = 10
"""Intervals of a column of numbers beside one that has none."""


@dataclass(frozen=True, eq=False)
class Measured:
    """A column: the code of each row, and where the rows lie on a line if they are numbers (nan: missing)."""

    codes: np.ndarray
    line: np.ndarray | None = None


def associations(columns: Sequence[Measured]) -> np.ndarray:
    """The association of every two columns, 1 of each with itself.

    >>> x = Measured(np.array([0, 0, 1, 1]))
    >>> associations([x, Measured(np.array([1, 1, 0, 0])), Measured(np.array([0, 1, 0, 1]))]).tolist()
    [[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    found = np.eye(len(columns))
    parted = [_parted(column) for column in columns]
    for i, a in enumerate(columns):
        for j in range(i):
            b = columns[j]
            both = a.line is not None and b.line is not None
            found[i, j] = found[j, i] = _squared_correlation(a, b) if both else contingency(parted[i], parted[j])
    return found


def contingency(a: np.ndarray, b: np.ndarray) -> float:
    """The mean-square contingency coefficient of two columns of codes; 0 where one has a single value.

    >>> contingency(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1])), contingency(np.array([0, 0]), np.array([0, 1]))
    (1.0, 0.0)
    """
    rows, width = len(a), int(b.max(initial=0)) + 1
    in_a, in_b = np.bincount(a), np.bincount(b)
    smaller = min(np.count_nonzero(in_a), np.count_nonzero(in_b))
    if smaller < 2:
        return 0.0
    pair = a.astype(np.int64) * width + b
    if len(in_a) * width <= 4 * rows + 1024:
        counts = np.bincount(pair)
        pairs = np.flatnonzero(counts)
        counts = counts[pairs]
    else:
        pairs, counts = np.unique(pair, return_counts=True)
    # Σ (f − e)² / e = Σ f² / e − 1, and pairs that do not occur add nothing to the latter.
    told = float((counts / in_a[pairs // width] * (counts / in_b[pairs % width])).sum()) - 1
    return float(min(max(told / (smaller - 1), 0.0), 1.0))


def _squared_correlation(a: Measured, b: Measured) -> float:
    assert a.line is not None
    assert b.line is not None
    x, y = a.line, b.line
    known = np.isfinite(x) & np.isfinite(y)
    x, y = x[known], y[known]
    if len(x) < 2 or x.min() == x.max() or y.min() == y.max():
        return 0.0
    x, y = x - x.mean(), y - y.mean()
    return float(min((x @ y) ** 2 / ((x @ x) * (y @ y)), 1.0))


def _parted(column: Measured) -> np.ndarray:
    """The codes, those of numbers by intervals of about equally many rows, a missing one by itself."""
    if column.line is None or len(np.unique(column.codes)) <= MOST_PARTS:
        return column.codes
    known = np.isfinite(column.line)
    ends = np.quantile(column.line[known], np.arange(1, MOST_PARTS) / MOST_PARTS)
    return np.where(known, np.searchsorted(ends, column.line, side="left"), MOST_PARTS)
