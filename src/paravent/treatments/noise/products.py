"""Products of long columns, summed in one order whatever the number of threads: the same bytes in every run."""

from __future__ import annotations

import numpy as np


def products(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The inner product of each column on the left (an array of columns) with each on the right."""
    return np.asarray(np.einsum("in,jn->ij", left, right))


def combined(weights: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Weighted sums of columns, one for each row of weights."""
    return np.asarray(np.einsum("ij,jn->in", weights, columns))
