"""Noise that keeps means and covariances exactly: the rows are turned by a random orthogonal matrix.

Ting, Fienberg and Trottini, Random orthogonal matrix masking methodology for microdata release (2008). The matrix
keeps the vector of ones, without which means would move, and is never written down: what it does to the data is to
replace their orthonormal basis by one that is part old, part random (Langsrud, Information preserving regression-based
tools for statistical disclosure control, 2019).
"""

from __future__ import annotations

import numpy as np

from paravent.treatments.noise.products import combined, products

_SAME = 1e-12


def rows_needed(columns: int) -> int:
    """The fewest rows that can be turned: ones, the columns, and as many new directions, and one to choose from."""
    return 2 * columns + 2


def rotated(values: np.ndarray, scale: float, rng: np.random.Generator) -> np.ndarray:
    """The values (none missing) turned away from themselves: a share 1/√(1 + scale²) of each row is its own, the rest
    is drawn. Column means and all covariances are those of the values."""
    columns = values.T
    mean, spread = columns.mean(axis=1, keepdims=True), columns.std(axis=1, keepdims=True)
    standard = (columns - mean) / np.where(spread > 0, spread, 1.0)
    own = _orthonormal(standard)
    new = rng.standard_normal(own.shape)
    for _ in range(2):  # once leaves what rounding lets through
        new -= new.mean(axis=1, keepdims=True)
        new -= combined(products(new, own), own)
    cosine = 1 / np.sqrt(1 + scale**2)
    turned = combined(products(standard, own), cosine * own + scale * cosine * _orthonormal(new))
    turned -= turned.mean(axis=1, keepdims=True)
    return np.asarray(mean + spread * turned).T


def _orthonormal(columns: np.ndarray) -> np.ndarray:
    """An orthonormal basis of the columns. What lies a millionth of a deviation off the others is rounding."""
    basis = columns
    for _ in range(3):  # the first rounds by up to the square of the condition, the others mend it
        sizes, vectors = np.linalg.eigh(products(basis, basis))
        kept = sizes > sizes[-1] * _SAME
        basis = combined((vectors[:, kept] / np.sqrt(sizes[kept])).T, basis)
    return basis
