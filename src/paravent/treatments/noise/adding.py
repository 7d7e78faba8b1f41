"""Noise that is drawn row by row: by column, along the correlations, or as a factor.

Kim, A method for limiting disclosure in microdata based on random noise and transformation (1986); Brand, Microdata
protection through noise addition (2002); Kim and Winkler, Multiplicative noise for masking continuous data (2003).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from paravent.treatments.noise.products import combined, products
from paravent.treatments.noise.whole import Rows, Whole, means

_FAR = 3.0
"""Robust deviations from the median beyond which a value is an outlier."""


def standard_normal(
    shape: tuple[int, int], rng: np.random.Generator, persons: np.ndarray | None = None, alike: np.ndarray | None = None
) -> np.ndarray:
    """Standard normal numbers for rows and columns, the columns contiguous.

    Where several rows are one person's, half of the variance is the person's own, and half goes with the person and the
    values (`alike` numbers these pairs): neither the mean over somebody's rows nor the differences between them give
    the originals away.
    """
    rows, columns = shape
    if persons is None or alike is None:
        return rng.standard_normal((columns, rows)).T
    whose, what = (
        rng.standard_normal((columns, int(codes.max(initial=-1)) + 1))[:, codes] for codes in (persons, alike)
    )
    return np.asarray((whose + what) / np.sqrt(2)).T


def additive(
    values: np.ndarray, scale: float, normal: np.ndarray, *, outliers: bool, rescale: bool, whole: Whole | None = None
) -> np.ndarray:
    """Independent noise, `scale` times the deviation of each column (nan: missing).

    Means and covariances of two columns are kept in expectation; a variance grows by 1 + scale². `outliers` takes a
    robust deviation, and more noise for values that lie far out, in proportion to how far. `rescale` shrinks towards
    the mean so that variances are kept, and covariances shrink by as much (Kim 1986). `whole` tells of all rows where
    these are only some.
    """
    whole = whole or Rows(values)
    spread = whole.robust_deviations if outliers else np.sqrt(whole.variances)

    def width(some: np.ndarray, at: Any = slice(None)) -> np.ndarray:
        return np.asarray(scale * spread[at] * (_excess(some, whole.medians[at], spread[at]) if outliers else 1.0))

    noise: np.ndarray = normal * width(values)
    noise += values
    if not rescale:
        return noise
    squares = whole.mean_of(lambda some, at: np.square(width(some, at))) if outliers else np.square(width(values))
    return _shrunk(noise, whole, squares)


def correlated(values: np.ndarray, scale: float, normal: np.ndarray, *, rescale: bool) -> np.ndarray:
    """Noise with the covariances of the columns, times scale².

    Means and correlations are kept in expectation; covariances grow by 1 + scale². `rescale` shrinks towards the mean
    so that covariances are kept in expectation too (Kim 1986).
    """
    noise = scale * combined(_root(covariances(values)), normal.T).T
    noise += values
    return _shrunk(noise, Rows(values), scale**2 * variances(values)) if rescale else noise


def multiplicative(values: np.ndarray, scale: float, normal: np.ndarray) -> np.ndarray:
    """Every value times a log-normal factor of mean 1 and deviation `scale`: means are kept in expectation, no sign
    changes, zero stays zero."""
    width = np.sqrt(np.log1p(scale**2))
    return np.asarray(values * np.exp(width * normal - width**2 / 2))


def _shrunk(noisy: np.ndarray, whole: Whole, variance: np.ndarray) -> np.ndarray:
    """Noisy values drawn towards the mean, by as much as the variance of the noise has widened them."""
    own = whole.variances
    return np.asarray(whole.means + (noisy - whole.means) * np.sqrt(own / (own + variance)))


def variances(values: np.ndarray) -> np.ndarray:
    return means(np.square(values - means(values)))


def covariances(values: np.ndarray) -> np.ndarray:
    """Over the rows that have both values."""
    centred = values - means(values)
    present = np.isfinite(centred)
    if present.all():
        return products(centred.T, centred.T) / len(values)
    centred[~present] = 0.0
    together = present.T.astype(float)
    return np.asarray(products(centred.T, centred.T) / np.maximum(products(together, together), 1.0))


def _root(matrix: np.ndarray) -> np.ndarray:
    """The symmetric root of a matrix of covariances; what missing values made negative is left out."""
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray((vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T)


def _excess(values: np.ndarray, medians: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """How many times farther out than `_FAR` deviations each value lies; 1 where it does not."""
    away = np.abs(values - medians)
    away /= _FAR * spread
    return np.asarray(np.maximum(away, 1.0, out=away))
