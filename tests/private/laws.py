"""Laws of noise, written down plainly, and how far draws are from them."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats


def discrete_gaussian(sigma2: float, reach: int) -> np.ndarray:
    """P(z) for z from −reach to reach; what lies beyond is negligible for the reaches that tests use."""
    weight = np.array([math.exp(-z * z / (2 * sigma2)) for z in range(-reach, reach + 1)])
    return weight / weight.sum()


def discrete_laplace(scale: float, reach: int) -> np.ndarray:
    weight = np.array([math.exp(-abs(z) / scale) for z in range(-reach, reach + 1)])
    return weight / weight.sum()


def p_value(draws: np.ndarray, law: np.ndarray) -> float:
    """The χ² test of draws (places of a law), with places of few expected draws taken together at both ends."""
    expected, found = law * len(draws), np.bincount(draws, minlength=len(law))[: len(law)].astype(float)
    found[-1] += len(draws) - found.sum()
    order = np.argsort(expected)
    small = order[np.cumsum(expected[order]) <= max(10.0, expected.min())]
    rest = np.setdiff1d(order, small)
    together = lambda values: np.append(values[rest], values[small].sum())  # noqa: E731
    ours, theirs = together(found), together(expected)
    ours, theirs = ours[theirs > 0], theirs[theirs > 0]
    return float(stats.chi2.sf(((ours - theirs) ** 2 / theirs).sum(), len(theirs) - 1))
