"""What is published row by row by coding: each cell follows from its original alone, and says less.

What is checked is told by the originals and the finished cells; how a treatment came to them does not matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl

from paravent.errors import UnsafeReleaseError
from paravent.hierarchy.cells import place_of, read_interval
from paravent.published.by_row import ByRow, missing_cells
from paravent.published.published import Source
from paravent.table.kinds import Kind
from paravent.table.line import to_line
from paravent.table.text import as_text
from paravent.table.whole import as_integers


@dataclass(frozen=True, eq=False)
class Capped(ByRow):
    """Cells beyond a limit, `above` it or `below` it, all became one and the same; the others are as they were. `order`
    has the values of an ordinal column from lowest to highest."""

    above: Any = None
    below: Any = None
    order: tuple[str, ...] | None = None

    def check_kind(self, source: Source) -> None:
        there = ~missing_cells(source.cells)
        beyond = there & self._beyond(source.cells)
        sound = bool((missing_cells(self.cells) == ~there).all())
        coded = self.cells.alias("cells").filter(pl.Series(beyond))
        sound = sound and coded.n_unique() <= 1 and same_cells(source.cells, self.cells, there & ~beyond)
        if not sound:
            raise UnsafeReleaseError(
                f"column {source.name!r}: a cell is not coded by the limit that was given. Nothing is released."
            )

    def _beyond(self, cells: pl.Series) -> np.ndarray:
        integers = as_integers(cells)
        line, above, below = cells if integers is None else integers, self.above, self.below
        if self.order is not None:
            line, above, below = on_scale(self.order, cells, above, below)
        found = np.zeros(len(cells), dtype=bool)
        if above is not None:
            found |= (line > above).fill_null(False).to_numpy()
        if below is not None:
            found |= (line < below).fill_null(False).to_numpy()
        return found


def on_scale(order: tuple[str, ...], cells: pl.Series, *limits: Any) -> tuple[pl.Series, *tuple[Any, ...]]:
    """Ordinal cells, and limits, as numbers that can be compared: the ranks of values, or, where a limit is a number,
    the numbers that values write. A value beyond a limit (`>75`) lies beyond all numbers.

    >>> line, limit = on_scale(("<18", "18", "30"), pl.Series(["18", None, "<18"]), 20)
    >>> line.to_list(), limit
    ([18.0, None, -inf], 20)
    """
    if any(isinstance(limit, int | float) for limit in limits):
        place = {value: _place(value) for value in order}
        return as_text(cells).replace_strict(place, return_dtype=pl.Float64), *limits
    rank = {value: float(at) for at, value in enumerate(order)}
    told = (None if limit is None else rank[limit] for limit in limits)
    return as_text(cells).replace_strict(rank, return_dtype=pl.Float64), *told


def _place(value: str) -> float | None:
    """The number that a value writes; none for a word."""
    beyond = read_interval(value)
    if beyond is not None and np.isinf((beyond.low, beyond.high)).any():
        return float(beyond.high if np.isinf(beyond.high) else beyond.low)
    return place_of(value)


@dataclass(frozen=True, eq=False)
class Coded(ByRow):
    """Equal values became equal cells. Where `covers` says so, a cell is an interval that its original lies in."""

    covers: bool = False

    def check_kind(self, source: Source) -> None:
        there = ~missing_cells(source.cells)
        sound = bool((missing_cells(self.cells) == ~there).all())
        if sound:
            before = source.cells.filter(pl.Series(there))
            after = as_text(self.cells.alias("cells").filter(pl.Series(there)))
            labels = after.unique()
            codes = after.cast(pl.Enum(labels)).to_physical()
            pairs = pl.DataFrame({"before": before, "code": codes}).unique()
            sound = pairs["before"].n_unique() == pairs.height
            sound = sound and (not self.covers or _covered(before, codes.to_numpy(), labels))
        if not sound:
            raise UnsafeReleaseError(
                f"column {source.name!r}: a cell does not follow from the value that it replaces. Nothing is released."
            )


@dataclass(frozen=True, eq=False)
class Rounded(ByRow):
    """Each cell is a multiple of `base` next to its original; the nearest one where `nearest` says so."""

    base: float = 1
    nearest: bool = True

    def check_kind(self, source: Source) -> None:
        there = ~missing_cells(source.cells)
        sound = bool((missing_cells(self.cells) == ~there).all())
        old, new = as_integers(source.cells), as_integers(self.cells)
        if sound and old is not None and new is not None:
            before, after = (cells.filter(pl.Series(there)).to_numpy() for cells in (old, new))
            apart = np.abs(after - before)
            near = 2 * apart <= self.base if self.nearest else apart < self.base
            sound = bool((near & (after % int(self.base) == 0)).all())
        elif sound:
            exact = Fraction(str(self.base))
            columns = (cells.filter(pl.Series(there)).cast(pl.Float64) for cells in (source.cells, self.cells))
            before, after = (cells.to_numpy() for cells in columns)
            nearly = self.base * (1 + 1e-9) + 1e-15 * np.abs(before)
            near = np.abs(after - before) <= (nearly / 2 if self.nearest else nearly)
            steps = np.rint(after / self.base)
            sound = bool((near & (after == steps * exact.numerator / exact.denominator)).all())
        if not sound:
            raise UnsafeReleaseError(
                f"column {source.name!r}: a cell is no multiple next to the value that it replaces. "
                "Nothing is released."
            )


@dataclass(frozen=True, eq=False)
class Masked(ByRow):
    """Each cell is its original with signs at its beginning and its end replaced by `sign`."""

    sign: str = "*"

    def check_kind(self, source: Source) -> None:
        there = pl.Series(~missing_cells(source.cells))
        sound = bool((missing_cells(self.cells) == ~there.to_numpy()).all())
        before, after = (as_text(cells.alias("cells").filter(there)) for cells in (source.cells, self.cells))
        rest = after.str.strip_chars_start(self.sign)
        shown = rest.str.strip_chars_end(self.sign)
        place = after.str.len_chars() - rest.str.len_chars()
        same = pl.DataFrame({"text": before, "place": place, "length": shown.str.len_chars()}).select(
            pl.col("text").str.slice(pl.col("place"), pl.col("length"))
        )
        sound = sound and bool((before.str.len_chars() == after.str.len_chars()).all())
        sound = sound and bool((same.to_series() == shown).all())
        if not sound:
            raise UnsafeReleaseError(
                f"column {source.name!r}: a cell shows what its original does not. Nothing is released."
            )


@dataclass(frozen=True, eq=False)
class Blanked(ByRow):
    """Each cell is as it was, or missing."""

    def check_kind(self, source: Source) -> None:
        kept = ~missing_cells(self.cells)
        if missing_cells(source.cells)[kept].any() or not same_cells(source.cells, self.cells, kept):
            raise UnsafeReleaseError(
                f"column {source.name!r}: a cell is not the one that was there. Nothing is released."
            )


def _covered(cells: pl.Series, code: np.ndarray, labels: pl.Series) -> bool:
    """Whether every cell lies in the interval that its label writes."""
    places = to_line(cells, Kind.DATE if cells.dtype.is_temporal() else Kind.FLOAT)
    read = [read_interval(label) for label in labels]
    known = [interval for interval in read if interval is not None]
    if places is None or len(known) < len(read):
        return False
    low, high, open_low, open_high = (
        np.array([getattr(each, side) for each in known])[code] for side in ("low", "high", "open_low", "open_high")
    )
    above = np.where(open_low, places > low, places >= low)
    below = np.where(open_high, places < high, places <= high)
    return bool((above & below).all())


def same_cells(before: pl.Series, after: pl.Series, where: np.ndarray) -> bool:
    """Whether some cells are as they were: as numbers where both columns hold numbers, else as texts."""
    rows = pl.Series(where)
    before, after = before.alias("cells").filter(rows), after.alias("cells").filter(rows)
    if before.dtype.is_numeric() and after.dtype.is_numeric():
        return bool((before == after).all())
    return bool((as_text(before) == as_text(after)).all())
