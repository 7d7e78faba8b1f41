"""Nearness: how far every original row lies from a released row, column by column, whatever the columns hold.

On a line (numbers, dates, times) a distance is in standard deviations of the original, counted from the stretch that
the released cell stands for; a number is a stretch of no length. Elsewhere a value is at distance 0 from a cell that
covers it and at distance 1 from any other. A released cell that says nothing is at distance 0 from everybody, and a
value that is missing at distance 1 from a cell that says something.

Whoever measures knows more than an intruder: a cell that cannot be read is taken to stand for just those values that it
was published for.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
import polars as pl

from paravent.errors import TableError
from paravent.hierarchy.cells import place_of, places_of, read_interval
from paravent.hierarchy.tree import ROOT_LABEL
from paravent.privacy.attacks.covering import Covering, distinct
from paravent.privacy.language import Language

_MISSING = "\x00missing"


class Nearness(ABC):
    """One column of a release beside the same column of the original."""

    @abstractmethod
    def gaps(self, row: int, some: np.ndarray) -> np.ndarray:
        """How far some originals lie from a released cell."""


def nearness(released: pl.Series, original: pl.Series, kept: np.ndarray, language: Language | None = None) -> Nearness:
    """How near the originals are to the released cells of a column; row i was made from the original `kept[i]`.

    >>> ages = nearness(pl.Series(["[20, 29]", "40"]), pl.Series([20, 40, 45]), np.array([0, 1]))
    >>> ages.gaps(0, np.arange(3)).round(2).tolist(), ages.gaps(1, np.arange(3)).round(2).tolist()
    ([0.0, 1.85, 2.31], [1.85, 0.0, 0.46])
    """
    released, original = released.alias("cells"), original.alias("cells")
    if original.dtype.is_float():
        original = original.fill_nan(None)
    if released.dtype.is_float():
        released = released.fill_nan(None)
    own = bool((released.is_null() == original.gather(kept).is_null()).all())
    before, after = _places(original), _places(released)
    if before is not None and after is not None and original.dtype.is_numeric() == released.dtype.is_numeric():
        return OnLine.of(before, after, after, own=own)
    if before is not None:
        return _stretches(released, original, kept, language, own=own)
    return Covered.of(released, original, kept, language, own=own)


def _places(cells: pl.Series) -> np.ndarray | None:
    """Numbers and moments as numbers, nan where they are missing or infinite; None for other cells."""
    if cells.dtype in (pl.Date, pl.Datetime):
        cells = cells.cast(pl.Datetime("us")).to_physical()
    elif cells.dtype.is_temporal():
        cells = cells.to_physical()
    elif not cells.dtype.is_numeric():
        return None
    places = cells.cast(pl.Float64).fill_null(float("nan")).to_numpy()
    return np.where(np.isfinite(places), places, np.nan)


@dataclass(frozen=True, eq=False)
class OnLine(Nearness):
    """Originals at `places`, released cells from `low` to `high`, all in standard deviations; nan is missing. `own`
    tells that cells are missing in the release just where they are in the original: then they match one another."""

    places: np.ndarray
    low: np.ndarray
    high: np.ndarray
    own: bool

    @classmethod
    def of(cls, places: np.ndarray, low: np.ndarray, high: np.ndarray, *, own: bool) -> OnLine:
        known = places[~np.isnan(places)]
        spread = (float(known.std()) if len(known) else 0.0) or 1.0
        return cls(places / spread, low / spread, high / spread, own)

    def gaps(self, row: int, some: np.ndarray) -> np.ndarray:
        places, low, high = self.places[some], self.low[row], self.high[row]
        if np.isnan(low):
            return (~np.isnan(places)).astype(float) if self.own else np.zeros(len(places))
        if low == -np.inf and high == np.inf:
            return np.zeros(len(places))
        gap = np.maximum(np.maximum(low - places, places - high), 0.0)
        return np.where(np.isnan(gap), 1.0, gap)


def _stretches(
    released: pl.Series, original: pl.Series, kept: np.ndarray, language: Language | None, *, own: bool
) -> OnLine:
    """Numbers or moments that are published as texts."""
    codes, texts = distinct(original)
    of_value = places_of(texts)
    places = np.full(len(original), np.nan) if of_value is None else of_value[codes]
    labels, texts = distinct(released)
    low, high = np.full(len(texts), np.nan), np.full(len(texts), np.nan)
    covering = _covering(released, original, language)
    behind = _ends(labels, places[kept], len(texts))
    held = np.full(0 if covering is None else covering.n_values, np.nan)
    if covering is not None:
        held[covering.values] = places
    for label, text in enumerate(texts):
        if text is None:
            continue
        interval, place = read_interval(text), place_of(text)
        if text in (ROOT_LABEL, ""):
            low[label], high[label] = -np.inf, np.inf
        elif covering is not None and covering.widths[label]:
            low[label], high[label] = held[covering.first[label]], held[covering.last[label] - 1]
        elif place is not None:
            low[label] = high[label] = place
        elif interval is not None:
            low[label], high[label] = interval.low, interval.high
        else:
            low[label], high[label] = behind[0][label], behind[1][label]
    return OnLine.of(places, low[labels], high[labels], own=own)


def _ends(labels: np.ndarray, places: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The least and the greatest original that each label was published for; everything where all are missing."""
    low, high = np.full(count, np.inf), np.full(count, -np.inf)
    known = ~np.isnan(places)
    np.minimum.at(low, labels[known], places[known])
    np.maximum.at(high, labels[known], places[known])
    return np.where(low > high, -np.inf, low), np.where(low > high, np.inf, high)


def _covering(released: pl.Series, original: pl.Series, language: Language | None) -> Covering | None:
    try:
        return Covering.of(released, original, language)
    except TableError:  # a cell that nobody can read
        return None


@dataclass(frozen=True, eq=False)
class Covered(Nearness):
    """Originals by the codes of their `values`; a released row has label `labels[row]`. Labels that cannot be read
    cover what they were published for (`behind`)."""

    values: np.ndarray
    labels: np.ndarray
    covering: Covering | None
    behind: dict[int, np.ndarray]
    n_values: int

    @classmethod
    def of(
        cls, released: pl.Series, original: pl.Series, kept: np.ndarray, language: Language | None, *, own: bool
    ) -> Covered:
        if own:
            released, original = (_as_cells(cells).fill_null(_MISSING) for cells in (released, original))
        covering = _covering(released, original, language)
        if covering is not None:
            unread = np.flatnonzero(covering.widths == 0)
            values, labels, n_values = covering.values, covering.labels, covering.n_values
        else:
            values, known = distinct(original)
            labels, texts = distinct(released)
            unread, n_values = np.arange(len(texts)), len(known)
        behind = _published_for(unread, labels, values[kept])
        return cls(values, labels, covering, behind, n_values)

    def gaps(self, row: int, some: np.ndarray) -> np.ndarray:
        label = int(self.labels[row])
        if label in self.behind or self.covering is None:
            mask = np.zeros(self.n_values, dtype=bool)
            mask[self.behind[label]] = True
        else:
            mask = self.covering.covered(label)
        return np.asarray(~mask[self.values[some]], dtype=float)


def _as_cells(cells: pl.Series) -> pl.Series:
    return cells if cells.dtype == pl.String else cells.cast(pl.String)


def _published_for(unread: np.ndarray, labels: np.ndarray, values: np.ndarray) -> dict[int, np.ndarray]:
    """The values behind each of some labels."""
    asked = np.flatnonzero(np.isin(labels, unread))
    order = asked[np.argsort(labels[asked], kind="stable")]
    found, start = np.unique(labels[order], return_index=True)
    parts = np.split(values[order], start[1:]) if len(order) else []
    return {int(label): np.unique(part) for label, part in zip(found.tolist(), parts, strict=True)}
