"""Record linkage between original and perturbed numbers: how many copies lead back to the row they were made from.

*By distance* (Pagliuca and Seri 1999): a perturbed row is linked to the nearest original, all columns in standard
deviations. *By probability* (Fellegi and Sunter 1969; EM as in Jaro 1989): a pair of rows agrees in a column where
its values lie close; the columns' weights ln(m/u) come from how often matches and non-matches agree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from typing import Literal

import numpy as np

from paravent.errors import PlanError
from paravent.privacy.risk.perturbed import MOST_TRIED, Perturbed

ASSUMES = {
    "distance": "the intruder holds the original numbers of everybody and links each copy to the nearest",
    "probabilistic": "the intruder holds the original numbers of everybody and links each copy to the row that agrees "
    "with it in the most telling columns",
}
CLOSE = 0.1
_CELLS = 4_000_000
_MOST_COLUMNS = 20


@dataclass(frozen=True)
class Linkage:
    """`rate` is the expected share of right links among the rows `tried`; of equally good ones, one is guessed."""

    by: Literal["distance", "probabilistic"]
    rate: float
    tried: int
    rows: int

    @property
    def assumes(self) -> str:
        return ASSUMES[self.by]

    @property
    def interval(self) -> tuple[float, float]:
        """Where the rate over all rows lies with 95 % confidence (Wilson 1927); a point where all rows were tried."""
        if self.tried in (self.rows, 0):
            return self.rate, self.rate
        z, n, p = 1.959964, self.tried, self.rate
        middle = (p + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        return max(0.0, middle - half), min(1.0, middle + half)


def distance_linkage(pair: Perturbed, *, most: int | None = MOST_TRIED) -> Linkage:
    """Link each perturbed row (at most `most` of them, drawn once and for all) to the nearest original.

    >>> import polars as pl
    >>> pair = Perturbed.of(pl.DataFrame({"x": [1.0, 2.0, 9.0]}), pl.DataFrame({"x": [1.5, 1.5, 9.0]}))
    >>> round(distance_linkage(pair).rate, 4)
    0.6667
    """
    original, masked = pair.standardised()
    tried = pair.tried(most)
    right = 0.0
    for rows in _blocks(tried, len(original)):
        distance = np.zeros((len(rows), len(original)))
        for j in range(original.shape[1]):
            distance += (masked[rows, j, None] - original[None, :, j]) ** 2
        nearest = distance == distance.min(axis=1, keepdims=True)
        right += float((nearest[np.arange(len(rows)), rows] / nearest.sum(axis=1)).sum())
    return Linkage("distance", right / len(tried) if len(tried) else 0.0, len(tried), len(masked))


def probabilistic_linkage(pair: Perturbed, *, close: float = CLOSE, most: int | None = MOST_TRIED) -> Linkage:
    """Link each perturbed row to the original with the highest Fellegi–Sunter weight.

    Two numbers agree when they are at most `close` standard deviations apart. That one pair in n is a match is known;
    how often matches and non-matches agree in each column is estimated from all pairs by EM.

    >>> import polars as pl
    >>> pair = Perturbed.of(pl.DataFrame({"x": [1.0, 2.0, 9.0]}), pl.DataFrame({"x": [1.1, 2.0, 9.1]}))
    >>> probabilistic_linkage(pair).rate
    1.0
    """
    original, masked = pair.standardised()
    width = original.shape[1]
    if not close >= 0:
        raise PlanError(f"close must be zero or more standard deviations, not {close!r}.")
    if width > _MOST_COLUMNS:
        raise PlanError(
            f"{width} columns have too many patterns of agreement. Link at most {_MOST_COLUMNS}: those an intruder "
            "may know."
        )
    tried = pair.tried(most)
    patterns = np.zeros(1 << width)
    for rows in _blocks(tried, len(original)):
        patterns += np.bincount(_agreement(original, masked[rows], close).ravel(), minlength=1 << width)
    if not len(tried):
        return Linkage("probabilistic", 0.0, 0, len(masked))
    weight = _pattern_weights(patterns, width, matches=1 / len(original))
    right = 0.0
    for rows in _blocks(tried, len(original)):
        score = weight[_agreement(original, masked[rows], close)]
        best = score == score.max(axis=1, keepdims=True)
        right += float((best[np.arange(len(rows)), rows] / best.sum(axis=1)).sum())
    return Linkage("probabilistic", right / len(tried), len(tried), len(masked))


def _blocks(rows: np.ndarray, others: int) -> Iterator[np.ndarray]:
    step = max(1, _CELLS // max(1, others))
    return (rows[at : at + step] for at in range(0, len(rows), step))


def _agreement(original: np.ndarray, masked: np.ndarray, close: float) -> np.ndarray:
    """The pattern of each pair: bit j is set where the rows agree in column j."""
    pattern = np.zeros((len(masked), len(original)), dtype=np.int32)
    # Half a billionth of a deviation more, so that a difference of exactly `close` is not lost to rounding.
    reach = close + 5e-10
    for j in range(original.shape[1]):
        pattern |= (np.abs(masked[:, j, None] - original[None, :, j]) <= reach).astype(np.int32) << j
    return pattern


def _pattern_weights(counts: np.ndarray, width: int, matches: float, rounds: int = 500) -> np.ndarray:
    """The Fellegi–Sunter weight of every pattern. m and u are kept off 0 and 1 by a millionth."""
    agrees = (np.arange(len(counts))[:, None] >> np.arange(width) & 1).astype(float)
    total = counts.sum()
    u = np.clip(counts @ agrees / total, 1e-6, 1 - 1e-6)
    m = np.clip(np.full(width, 0.9), u, 1 - 1e-6)
    for _ in range(rounds):
        if_match = np.exp(agrees @ np.log(m) + (1 - agrees) @ np.log1p(-m))
        if_not = np.exp(agrees @ np.log(u) + (1 - agrees) @ np.log1p(-u))
        share = matches * if_match / (matches * if_match + (1 - matches) * if_not)
        matched, unmatched = counts * share, counts * (1 - share)
        new_m = np.clip(matched @ agrees / max(matched.sum(), 1e-300), 1e-6, 1 - 1e-6)
        new_u = np.clip(unmatched @ agrees / max(unmatched.sum(), 1e-300), 1e-6, 1 - 1e-6)
        still = max(np.abs(new_m - m).max(initial=0), np.abs(new_u - u).max(initial=0)) < 1e-12
        m, u = new_m, new_u
        if still:
            break
    weights: np.ndarray = np.round(agrees @ np.log(m / u) + (1 - agrees) @ np.log((1 - m) / (1 - u)), 12)
    return weights
