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
class IntervalDisclosure:
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


def rank_disclosure(pair: Perturbed, percents: Sequence[float] = PERCENTS) -> IntervalDisclosure:
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
    for j in range(pair.masked.shape[1]):
        ranked = np.sort(pair.masked[:, j])
        # Equal values share the ranks from the first to the last of them.
        first = np.searchsorted(ranked, pair.masked[:, j], side="left")
        last = np.searchsorted(ranked, pair.masked[:, j], side="right") - 1
        for percent in percents:
            reach = floor(percent * rows / 100)
            low, high = ranked[np.maximum(first - reach, 0)], ranked[np.minimum(last + reach, rows - 1)]
            inside[:, j] += (pair.original[:, j] >= low) & (pair.original[:, j] <= high)
    return IntervalDisclosure("rank", pair.columns, inside / len(percents))


def deviation_disclosure(pair: Perturbed, deviations: float = DEVIATIONS) -> IntervalDisclosure:
    """Intervals of so many standard deviations of the perturbed column up and down.

    >>> import polars as pl
    >>> pair = Perturbed.of(pl.DataFrame({"x": [0.0, 10.0]}), pl.DataFrame({"x": [0.1, 15.0]}))
    >>> deviation_disclosure(pair).share
    0.5
    """
    if not deviations >= 0:
        raise PlanError(f"deviations must be zero or more, not {deviations!r}.")
    rows = len(pair.masked)
    spread = pair.masked.std(axis=0, ddof=1) if rows > 1 else np.zeros(pair.masked.shape[1])
    low, high = pair.masked - deviations * spread, pair.masked + deviations * spread
    inside = ((pair.original >= low) & (pair.original <= high)).astype(float)
    return IntervalDisclosure("deviation", pair.columns, inside)
