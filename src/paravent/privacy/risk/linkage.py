"""Record linkage between original and perturbed numbers: how many copies lead back to the row they were made from.

*By distance* (Pagliuca and Seri 1999): a perturbed row is linked to the nearest original, all columns in standard
deviations. *By probability* (Fellegi and Sunter 1969; EM as in Jaro 1989): a pair of rows agrees in a column where
its values lie close; the columns' weights ln(m/u) come from how often matches and non-matches agree.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any, Literal

import numpy as np

from paravent.errors import PlanError
from paravent.privacy.risk.perturbed import MOST_TRIED, SEED, Perturbed
from paravent.privacy.risk.windows import Windows

ASSUMES = {
    "distance": "the intruder holds the original numbers of everybody and links each copy to the nearest",
    "probabilistic": "the intruder holds the original numbers of everybody and links each copy to the row that agrees "
    "with it in the most telling columns",
}
CLOSE = 0.1
_MOST_COLUMNS = 20
_MOST_CELLS = 20_000_000
"""Cells compared while the frequencies of agreement are estimated: of larger tables, a sample."""


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

    The link is right only where nobody is nearer than the row's own original, so that nobody further away than that in
    the most telling column has to be looked at.

    >>> import polars as pl
    >>> pair = Perturbed.of(pl.DataFrame({"x": [1.0, 2.0, 9.0]}), pl.DataFrame({"x": [1.5, 1.5, 9.0]}))
    >>> round(distance_linkage(pair).rate, 4)
    0.6667
    """
    original, masked = pair.standardised()
    tried = pair.tried(most)
    if not original.shape[1]:
        return Linkage("distance", 1 / len(masked) if len(tried) else 0.0, len(tried), len(masked))
    others = pair.windows
    own = _distance(list(original[tried].T), list(masked[tried].T))
    reach = np.sqrt(own) * (1 + 1e-9)
    right = 0.0
    for i, row in enumerate(tried.tolist()):
        alike = 0
        for some in others.walk(others.main, masked[row, others.main], reach[i]):
            distance = _distance([column[some] for column in others.columns], masked[row].tolist())
            if (distance < own[i]).any():
                break
            alike += int(others.counts[some][distance == own[i]].sum())
        else:
            right += 1 / alike
    return Linkage("distance", right / len(tried) if len(tried) else 0.0, len(tried), len(masked))


def _distance(columns: list[np.ndarray], point: list[Any]) -> np.ndarray:
    """Squared; the columns are always added in the same order, so that equal rows have equal distances."""
    total = np.zeros(len(columns[0]))
    for column, place in zip(columns, point, strict=True):
        total += (column - place) ** 2
    return total


def probabilistic_linkage(pair: Perturbed, *, close: float = CLOSE, most: int | None = MOST_TRIED) -> Linkage:
    """Link each perturbed row to the original with the highest Fellegi–Sunter weight.

    Two numbers agree when they are at most `close` standard deviations apart. That one pair in n is a match is known;
    how often matches and non-matches agree in each column is estimated by EM from all pairs of the rows tried with the
    originals, of large tables with a sample of them that is the same in every run.

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
    if not len(tried):
        return Linkage("probabilistic", 0.0, 0, len(masked))
    if not width:
        return Linkage("probabilistic", 1 / len(masked), len(tried), len(masked))
    # Half a billionth of a deviation more, so that a difference of exactly `close` is not lost to rounding.
    reach = close + 5e-10
    others = pair.windows
    weights = _Weights.estimated(_patterns(others, original, masked, tried, reach), matches=1 / len(original))
    own = weights.of[_agreement(list(original[tried].T), list(masked[tried].T), reach)]
    right = 0.0
    for i, row in enumerate(tried.tolist()):
        alike = _equally_good(others, masked[row].tolist(), reach, weights, float(own[i]))
        right += 1 / alike if alike else 0.0
    return Linkage("probabilistic", right / len(tried), len(tried), len(masked))


def _equally_good(others: Windows, point: list[float], reach: float, weights: _Weights, own: float) -> int:
    """How many originals have the weight of the row's own one; 0 where one has more.

    Whoever is as good agrees in at least one of the columns whose absence he could not make up for: only these windows
    are looked at, the most telling column first.
    """
    asked: list[int] = []
    for j in others.by_telling:
        if weights.best_without(asked) < own:
            break
        asked.append(j)
    alike = agreeing = 0
    mask = 0
    for j in asked:
        for some in others.walk(j, point[j], reach):
            pattern = _agreement([column[some] for column in others.columns], point, reach)
            new = pattern & mask == 0
            score, count = weights.of[pattern[new]], others.counts[some][new]
            if (score > own).any():
                return 0
            alike += int(count[score == own].sum())
            agreeing += int(count.sum())
        mask |= 1 << j
    if len(asked) == len(others.columns):
        nowhere, total = float(weights.of[0]), int(others.counts.sum())
        if agreeing < total and nowhere > own:
            return 0
        alike += total - agreeing if nowhere == own else 0
    return alike


def _patterns(others: Windows, original: np.ndarray, masked: np.ndarray, tried: np.ndarray, reach: float) -> np.ndarray:
    """How often each pattern of agreement occurs among the pairs of rows tried and originals."""
    width = original.shape[1]
    columns, count = others.columns, others.counts.astype(float)
    found = np.zeros(1 << width)
    sampled = len(tried) * len(others) * width > _MOST_CELLS
    if sampled:
        size = max(1_000, _MOST_CELLS // (len(tried) * width))
        drawn = np.sort(np.random.default_rng(SEED).choice(len(original), min(size, len(original)), replace=False))
        columns = [np.ascontiguousarray(original[drawn, j]) for j in range(width)]
        count = np.full(len(drawn), (len(original) - 1) / len(drawn))
        found += np.bincount(_agreement(list(original[tried].T), list(masked[tried].T), reach), minlength=1 << width)
    for row in tried.tolist():
        found += np.bincount(_agreement(columns, masked[row].tolist(), reach), weights=count, minlength=1 << width)
    return found


def _agreement(columns: list[np.ndarray], point: list[Any], reach: float) -> np.ndarray:
    """The pattern of each row with a point: bit j is set where they agree in column j."""
    pattern = np.zeros(len(columns[0]), dtype=np.int32)
    for j, (column, place) in enumerate(zip(columns, point, strict=True)):
        pattern |= (np.abs(column - place) <= reach).astype(np.int32) << j
    return pattern


@dataclass(frozen=True, eq=False)
class _Weights:
    """The Fellegi–Sunter weight of every pattern (`of`), the sum of what each column adds where it agrees or not."""

    of: np.ndarray
    agree: np.ndarray
    differ: np.ndarray

    def best_without(self, columns: list[int]) -> float:
        """The most that an original can have who agrees in none of these columns, rounded up."""
        best = np.maximum(self.agree, self.differ)
        best[columns] = self.differ[columns]
        return float(best.sum()) + 1e-9

    @classmethod
    def estimated(cls, counts: np.ndarray, matches: float, rounds: int = 500) -> _Weights:
        """By EM. m and u are kept off 0 and 1 by a millionth."""
        width = len(counts).bit_length() - 1
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
        agree, differ = np.log(m / u), np.log((1 - m) / (1 - u))
        return cls(np.round(agrees @ agree + (1 - agrees) @ differ, 12), agree, differ)
