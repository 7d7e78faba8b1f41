"""What noisy numbers may be: whole, and within a range."""

from __future__ import annotations

import numpy as np


def reflected(values: np.ndarray, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, int]:
    """Values beyond an end of their column's range thrown back by as much as they are beyond, so that none pile up at
    the end (at the other end at most), and how many that were. Nearer to an end than the noise is wide, means move.

    >>> reflected(np.array([[-3.0], [4.0], [25.0]]), np.array([0.0]), np.array([10.0]))
    (array([[3.],
           [4.],
           [0.]]), 2)
    """
    beyond = (values < low) | (values > high)
    back = np.where(values < low, 2 * low - values, np.where(values > high, 2 * high - values, values))
    return np.clip(back, low, high), int(beyond.sum())


def rounded(values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Whole numbers beside the values, up or down at random, so that the mean is kept in expectation."""
    return np.asarray(np.floor(values + rng.random(values.shape)))
