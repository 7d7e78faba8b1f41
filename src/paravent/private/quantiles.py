"""Quantiles: from noisy counts of a dyadic tree over the values, which also say how sure they are.

Every level of the tree splits the rows once, and gets an equal part of the price. How many rows lie below a value is
then the sum of a few nodes, one a level (Chan, Shi and Song 2011; Dwork, Naor, Pitassi and Rothblum 2010). The interval
comes from a band that holds at all values at once with 95 % confidence; its width is found by drawing the noise often,
which needs no data.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from paravent.private.answers import CONFIDENCE
from paravent.private.domains import Bounds
from paravent.private.estimates import Estimates
from paravent.private.price import Noise, Price

_PLACES = 1024
_DRAWS = 400


def places_of(bounds: Bounds) -> np.ndarray:
    """The values that a quantile can take: each whole number where these are few, else evenly between the bounds."""
    whole = bounds.whole and bounds.high - bounds.low < 4 * _PLACES
    return np.linspace(bounds.low, bounds.high, int(bounds.high - bounds.low) + 1 if whole else _PLACES + 1)


def tree_noise(places: np.ndarray, price: Price, limit: int) -> tuple[int, Noise]:
    """The number of levels, and the noise of each node."""
    levels = max(1, int(len(places) - 1).bit_length()) + 1
    return levels, price.part(levels).noise(limit)


def quantile(
    values: np.ndarray,
    bounds: Bounds,
    share: float,
    price: Price,
    limit: int,
    unsafe: np.random.Generator | None = None,
) -> Estimates:
    """The lowest value that at least `share` of the rows do not exceed. `values` has no missing ones."""
    places = places_of(bounds)
    levels, noise = tree_noise(places, price, limit)
    size = 2 ** (levels - 1)
    codes = np.clip(np.searchsorted(places, bounds.clamp(values) - (places[1] - places[0]) / 2), 0, len(places) - 1)
    counts = np.bincount(codes, minlength=size).astype(np.int64)
    noisy = []
    for level in range(levels):
        noisy.append(noise.add(counts.reshape(2**level, -1).sum(axis=1), unsafe)[None, :])
    excess = _excess(noisy, share)[0, : len(places)]
    within = _band(noise, levels, len(places), share)
    low, high = _first(excess + within), _first(excess - within)
    middle = np.clip((excess < 0).sum(), low, high)
    found = Estimates(*(np.array([places[min(at, len(places) - 1)]]) for at in (middle, low, high)))
    between = 0.0 if bounds.whole and places[1] - places[0] == 1 else (places[1] - places[0]) / 2
    return Estimates(found.estimate, found.low - between, found.high + between).clipped(bounds.low, bounds.high)


@lru_cache
def _band(noise: Noise, levels: int, places: int, share: float) -> float:
    """How far noise moves the excess anywhere, with 95 % confidence."""
    chance = np.random.default_rng(0)
    drawn = [noise.simulated((_DRAWS, 2**level), chance) for level in range(levels)]
    furthest = np.abs(_excess(drawn, share)[:, :places]).max(axis=1)
    return float(np.quantile(furthest, CONFIDENCE, method="higher"))


def _excess(levels: list[np.ndarray], share: float) -> np.ndarray:
    """By how many rows the count up to each leaf exceeds the share of all; a row of leaves for each drawing."""
    draws, size = levels[-1].shape
    upto = np.zeros((draws, size))
    end = np.arange(size) + 1  # leaves before this one are counted
    for level, nodes in enumerate(levels):
        span = size >> level
        bit = (end // span) % 2 == 1 if level else end == size
        upto += np.where(bit, nodes[:, np.maximum(end // span - 1, 0)], 0)
    return np.asarray(upto - share * levels[0])


def _first(excess: np.ndarray) -> int:
    """The first place that is not below 0, or the one after the last."""
    return int(np.argmax(excess >= 0)) if (excess >= 0).any() else len(excess)
