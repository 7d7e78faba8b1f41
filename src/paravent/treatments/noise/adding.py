"""Noise that is drawn row by row: by column, along the correlations, or as a factor.

Kim, A method for limiting disclosure in microdata based on random noise and transformation (1986); Brand, Microdata
protection through noise addition (2002); Kim and Winkler, Multiplicative noise for masking continuous data (2003).
"""

from __future__ import annotations

import numpy as np

from paravent.treatments.noise.products import combined, products

_FAR = 3.0
"""Robust deviations from the median beyond which a value is an outlier."""
_NORMAL_MAD, _NORMAL_RANGE = 1.4826, 1.349
"""What turns the median deviation, and the distance of the quartiles, into the deviation of a normal variable."""


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


def additive(values: np.ndarray, scale: float, normal: np.ndarray, *, outliers: bool, rescale: bool) -> np.ndarray:
    """Independent noise, `scale` times the deviation of each column (nan: missing).

    Means and covariances of two columns are kept in expectation; a variance grows by 1 + scale². `outliers` takes a
    robust deviation, and more noise for values that lie far out, in proportion to how far. `rescale` shrinks towards
    the mean so that variances are kept, and covariances shrink by as much (Kim 1986).
    """
    spread = robust_deviation(values) if outliers else np.sqrt(variances(values))
    width = scale * spread * (_excess(values, spread) if outliers else 1.0)
    return _added(values, normal * width, means(np.square(width)) if outliers else np.square(width), rescale=rescale)


def correlated(values: np.ndarray, scale: float, normal: np.ndarray, *, rescale: bool) -> np.ndarray:
    """Noise with the covariances of the columns, times scale².

    Means and correlations are kept in expectation; covariances grow by 1 + scale². `rescale` shrinks towards the mean
    so that covariances are kept in expectation too (Kim 1986).
    """
    noise = scale * combined(_root(covariances(values)), normal.T).T
    return _added(values, noise, scale**2 * variances(values), rescale=rescale)


def multiplicative(values: np.ndarray, scale: float, normal: np.ndarray) -> np.ndarray:
    """Every value times a log-normal factor of mean 1 and deviation `scale`: means are kept in expectation, no sign
    changes, zero stays zero."""
    width = np.sqrt(np.log1p(scale**2))
    return np.asarray(values * np.exp(width * normal - width**2 / 2))


def _added(values: np.ndarray, noise: np.ndarray, variance: np.ndarray, *, rescale: bool) -> np.ndarray:
    """Values and noise; shrunk by as much as the variance of the noise widens them, where that is asked for."""
    noise += values
    if not rescale:
        return noise
    mean, own = means(values), variances(values)
    return np.asarray(mean + (noise - mean) * np.sqrt(own / (own + variance)))


def means(values: np.ndarray) -> np.ndarray:
    """Of each column, over its values that are there."""
    found = values.mean(axis=0)
    return np.asarray(found if np.isfinite(found).all() else np.nanmean(values, axis=0))


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


def robust_deviation(values: np.ndarray) -> np.ndarray:
    """By the median distance from the median; by the quartiles where half of the values are equal; else the plain one.

    >>> robust_deviation(np.array([[1.0], [2.0], [3.0], [4.0], [1000.0]])).round(3).tolist()
    [1.483]
    """
    found = _NORMAL_MAD * _medians(np.abs(values - _medians(values)))
    for at in np.flatnonzero(found == 0).tolist():
        low, high = np.nanquantile(values[:, at], (0.25, 0.75))
        found[at] = (high - low) / _NORMAL_RANGE or np.nanstd(values[:, at])
    return found


def _medians(values: np.ndarray) -> np.ndarray:
    return np.array([np.median(column[np.isfinite(column)]) for column in values.T])


def _excess(values: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """How many times farther out than `_FAR` deviations each value lies; 1 where it does not."""
    away = np.abs(values - _medians(values))
    away /= _FAR * spread
    return np.asarray(np.maximum(away, 1.0, out=away))
