"""Interval disclosure: a perturbed number that stays close to the original gives it away, found or not.

*By rank* (Domingo-Ferrer and Torra 2001): the interval around a perturbed value reaches p % of the rows up and down
its column's ranking; the share of originals inside, averaged over p = 1 … 10. *By deviation* (Mateo-Sanz, Sebé and
Domingo-Ferrer 2004): it reaches so many standard deviations of the perturbed column up and down.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor
from typing import Literal

import numpy as np

from paravent.errors import PlanError
from paravent.privacy.risk.perturbed import Perturbed

ASSUMES = "an original inside the interval counts as disclosed, whether or not anybody can tell whose it is"
PERCENTS = tuple(range(1, 11))
DEVIATIONS = 0.05


@dataclass(frozen=True, eq=False)
class Disclosed:
    """`inside` (rows × columns) is how often the original lies inside, over the intervals tried."""

    by: Literal["rank", "deviation"]
    columns: tuple[str, ...]
    inside: np.ndarray
    assumes: str = ASSUMES

    @property
    def share(self) -> float:
        """The mean share of original values inside."""
        return float(self.inside.mean()) if self.inside.size else 0.0

    @property
    def by_column(self) -> Mapping[str, float]:
        means = self.inside.mean(axis=0).tolist() if len(self.inside) else [0.0] * len(self.columns)
        return dict(zip(self.columns, means, strict=True))

    @property
    def rows(self) -> float:
        """The share of rows all of whose values are inside all intervals tried."""
        return float((self.inside == 1).all(axis=1).mean()) if self.inside.size else 0.0


def rank_disclosure(pair: Perturbed, percents: Sequence[float] = PERCENTS) -> Disclosed:
    """Intervals of p % of the rows up and down the ranking of the perturbed values.

    >>> import polars as pl
    >>> rows = pl.DataFrame({"x": range(100)})
    >>> rank_disclosure(Perturbed.of(rows, rows)).share
    1.0
    """
    if not percents or any(not 0 < p <= 100 for p in percents):
        raise PlanError("percents must be shares of the rows above 0 and up to 100, such as 1 to 10.")
    inside = np.zeros(pair.masked.shape)
    rows = len(pair.masked)
    reaches = np.sort([floor(percent * rows / 100) for percent in percents])
    for j in range(pair.masked.shape[1]):
        order = np.argsort(pair.masked[:, j])
        ranked = pair.masked[order, j]
        # Equal values share the ranks from the first to the last of them; an original has the ranks it would stand at.
        first, last = _ranks(ranked, ranked, order)
        order = np.argsort(pair.original[:, j])
        above, below = _ranks(ranked, pair.original[order, j], order)
        needed = np.maximum(first - below, above - last)
        needed[(below < 0) | (above >= rows)] = 2 * rows + 1  # beyond all perturbed values: in no interval
        inside[:, j] = len(percents) - np.searchsorted(reaches, needed, side="left")
    return Disclosed("rank", pair.columns, inside / len(percents))


def _ranks(ranked: np.ndarray, values: np.ndarray, order: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For sorted values that belong to the rows `order`: by row, the first rank not below it and the last not above."""
    first, last = np.empty(len(values), dtype=np.int64), np.empty(len(values), dtype=np.int64)
    first[order] = np.searchsorted(ranked, values, side="left")
    last[order] = np.searchsorted(ranked, values, side="right") - 1
    return first, last


def deviation_disclosure(
    pair: Perturbed, deviations: float = DEVIATIONS, *, spread: np.ndarray | None = None
) -> Disclosed:
    """Intervals of so many standard deviations of the perturbed column up and down, or of the `spread` that is given.

    >>> import polars as pl
    >>> pair = Perturbed.of(pl.DataFrame({"x": [0.0, 10.0]}), pl.DataFrame({"x": [0.1, 15.0]}))
    >>> deviation_disclosure(pair).share
    0.5
    """
    if not deviations >= 0:
        raise PlanError(f"deviations must be zero or more, not {deviations!r}.")
    rows = len(pair.masked)
    if spread is None:
        spread = pair.masked.std(axis=0, ddof=1) if rows > 1 else np.zeros(pair.masked.shape[1])
    low, high = pair.masked - deviations * spread, pair.masked + deviations * spread
    inside = ((pair.original >= low) & (pair.original <= high)).astype(float)
    return Disclosed("deviation", pair.columns, inside)
