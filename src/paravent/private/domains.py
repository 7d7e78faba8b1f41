"""Domains: what a column can hold, in the analyst's words. Nothing is looked up in the data.

A number has bounds: `(0, 120)`, or `range(17, 91)` for whole numbers from 17 to 90; a day has two days,
`(date(1920, 1, 1), date(2020, 12, 31))`. Values beyond are moved to the
nearest bound, infinities among them; what is missing or no number (NaN, a text) has no value. Anything else has
categories: a list of values, or the file of a tree, whose leaves they are. A cell that is none of them goes to a cell
of its own, *other*, and a missing one to *missing*: nobody is dropped in silence.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from paravent.errors import PlanError, quote
from paravent.near import suggest
from paravent.private.matching import matched, plain_text
from paravent.table.text import as_text

OTHER, MISSING = "other", "missing"
_FINEST = 2**24
_EPOCH = date(1970, 1, 1).toordinal()
_LONGEST = 2**30


@dataclass(frozen=True)
class Bounds:
    """Numbers from low to high; `whole` where they are integers."""

    low: float
    high: float
    whole: bool = False
    dates: bool = False
    """Whether they are days since 1970-01-01."""

    @property
    def middle(self) -> float:
        """The number in the middle; a whole one where all are."""
        middle = (self.low + self.high) / 2
        return float(math.floor(middle)) if self.whole else middle

    def clamp(self, values: np.ndarray) -> np.ndarray:
        return np.asarray(np.clip(values, self.low, self.high))


@dataclass(frozen=True)
class Grid:
    """Numbers as whole steps from an origin, none further than `reach` steps: what noise can be added to, exactly.

    >>> grid = Grid.of(Bounds(0, 10, whole=True), origin=5)
    >>> grid.reach, grid.steps(np.array([0.0, 5.0, 10.0])).tolist()
    (5, [-5, 0, 5])
    """

    origin: float
    step: float
    reach: int

    @classmethod
    def of(cls, bounds: Bounds, origin: float) -> Grid:
        furthest = max(abs(bounds.low - origin), abs(bounds.high - origin))
        if bounds.whole:
            return cls(origin, 1.0, max(1, round(furthest)))
        return cls(origin, furthest / _FINEST, _FINEST)

    @property
    def furthest(self) -> float:
        """What one row adds to a sum at most."""
        return self.step * self.reach

    def steps(self, values: np.ndarray) -> np.ndarray:
        found = np.rint((values - self.origin) / self.step)
        return np.clip(found, -self.reach, self.reach).astype(np.int64)


@dataclass(frozen=True)
class Categories:
    """Values by their text, in columns of numbers by the number. `cells` are they, then other and missing."""

    values: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.values) + 2

    @property
    def cells(self) -> list[tuple[str | None, str]]:
        """The label of each cell and what it is."""
        return [*((value, "value") for value in self.values), (None, OTHER), (None, MISSING)]

    def codes(self, cells: pl.Series) -> np.ndarray:
        """The cell of each row."""
        return matched(self.values, cells)


Domain = Bounds | Categories


def numbers(cells: pl.Series, *, dates: bool = False) -> np.ndarray:
    """Each cell as a number; NaN where it is missing or none. Dates are days since 1970-01-01, where dates are wanted,
    and no numbers otherwise.

    >>> numbers(pl.Series(["1970-01-03", "x"]), dates=True).tolist()
    [2.0, nan]
    """
    cells = cells.alias("cells")
    if dates:
        if cells.dtype in (pl.Date, pl.Datetime):
            cells = cells.dt.date()
        else:
            cells = as_text(cells).str.slice(0, 10).str.to_date("%Y-%m-%d", strict=False)
        cells = cells.to_physical().cast(pl.Int64)
    elif cells.dtype.is_temporal():
        cells = cells.clear(len(cells))
    found = cells if cells.dtype.is_numeric() or cells.dtype == pl.Boolean else as_text(cells)
    return np.asarray(found.cast(pl.Float64, strict=False).fill_null(float("nan")).to_numpy(), dtype=np.float64)


def read_domains(words: Mapping[str, Any], columns: Sequence[str]) -> dict[str, Domain]:
    """What the analyst says of each column."""
    for name in words:
        if name not in columns:
            raise PlanError(f"domains: the table has no column {name!r}. {suggest(name, columns)}")
    return {name: _domain(name, word) for name, word in words.items()}


def _domain(name: str, word: Any) -> Domain:
    if isinstance(word, Bounds | Categories):
        return word
    if isinstance(word, str | os.PathLike):
        from paravent.hierarchy.files import read_tree

        return _categories(name, read_tree(Path(word), name=name).leaves)
    if isinstance(word, range):
        return _whole_bounds(name, word)
    if isinstance(word, tuple) and len(word) == 2 and all(isinstance(end, date) for end in word):
        first, last = (float((end.date() if isinstance(end, datetime) else end).toordinal() - _EPOCH) for end in word)
        if not first < last:
            raise PlanError(f"domains: {name!r} goes from {word[0]} to {word[1]}. The earlier day comes first.")
        return Bounds(first, last, whole=True, dates=True)
    if isinstance(word, tuple) and len(word) == 2 and all(_is_number(end) for end in word):
        low, high = map(float, word)
        if not math.isfinite(high - low):
            raise PlanError(f"domains: the bounds of {name!r} are not finite. Say between which numbers it lies.")
        if not low < high:
            raise PlanError(f"domains: {name!r} goes from {low:g} to {high:g}. The lower bound comes first.")
        return Bounds(low, high)
    if isinstance(word, list | tuple):
        return _categories(name, word)
    raise PlanError(
        f"domains: {name!r} must be two bounds such as (0, 120), two dates, a range, a list of values, or a tree file."
    )


def _whole_bounds(name: str, word: range) -> Bounds:
    if len(word) < 2 or word.step != 1:
        raise PlanError(f"domains: {name!r} must be a range of at least two numbers in steps of 1.")
    if max(abs(word[0]), abs(word[-1])) > _LONGEST:
        raise PlanError(f"domains: {name!r} is a range of numbers beyond 2^30. Give two bounds as a tuple.")
    return Bounds(float(word[0]), float(word[-1]), whole=True)


def _categories(name: str, values: Sequence[Any]) -> Categories:
    texts = [text for value in values for text in plain_text(pl.Series([value], strict=False)).to_list()]
    if not texts or None in texts:
        raise PlanError(f"domains: {name!r} names no values, or a missing one. Missing cells are counted anyhow.")
    if len(set(texts)) < len(texts):
        twice = next(text for at, text in enumerate(texts) if text in texts[:at])
        raise PlanError(f"domains: {name!r} names {quote(twice)} twice.")
    return Categories(tuple(texts))


def _is_number(end: Any) -> bool:
    return isinstance(end, int | float) and not isinstance(end, bool)
