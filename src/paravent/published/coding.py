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
from paravent.hierarchy.cells import read_interval
from paravent.published.by_row import ByRow, missing_cells
from paravent.published.published import Source
from paravent.table.kinds import Kind
from paravent.table.line import to_line
from paravent.table.text import as_text


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
        line, above, below = cells, self.above, self.below
        if self.order is not None:
            rank = {value: place for place, value in enumerate(self.order)}
            line = as_text(cells).replace_strict(rank, return_dtype=pl.Int64)
            above, below = (None if limit is None else rank[limit] for limit in (above, below))
        found = np.zeros(len(cells), dtype=bool)
        if above is not None:
            found |= (line > above).fill_null(False).to_numpy()
        if below is not None:
            found |= (line < below).fill_null(False).to_numpy()
        return found


@dataclass(frozen=True, eq=False)
class Coded(ByRow):
    """Equal values became equal cells. Where `covers` says so, a cell is an interval that its original lies in."""

    covers: bool = False

    def check_kind(self, source: Source) -> None:
        pairs = _pairs(source.cells, self.cells)
        sound = bool((missing_cells(source.cells) == missing_cells(self.cells)).all())
        sound = sound and pairs["before"].n_unique() == pairs.height
        if not sound or (self.covers and not _covered(pairs)):
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
        if sound and source.cells.dtype.is_integer() and self.cells.dtype.is_integer():
            before, after = (cells.filter(pl.Series(there)).to_numpy() for cells in (source.cells, self.cells))
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
    """Each cell is its original with some of its signs replaced by `sign`."""

    sign: str = "*"

    def check_kind(self, source: Source) -> None:
        pairs = _pairs(as_text(source.cells), self.cells)
        sound = bool((missing_cells(source.cells) == missing_cells(self.cells)).all())
        before, after = (pairs[side].drop_nulls().str.split("") for side in ("before", "after"))
        sound = sound and bool((before.list.len() == after.list.len()).all())
        if sound:
            old, new = before.explode(), after.explode()
            sound = bool(((old == new) | (new == self.sign)).fill_null(True).all())
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


def _pairs(before: pl.Series, after: pl.Series) -> pl.DataFrame:
    """The different pairs of a value and the cell that replaces it, where there is a value."""
    frame = pl.DataFrame({"before": before, "after": after})
    return frame.filter(pl.Series(~missing_cells(before))).unique()


def _covered(pairs: pl.DataFrame) -> bool:
    """Whether every cell is an interval in which its original lies."""
    kind = Kind.DATE if pairs.schema["before"].is_temporal() else Kind.FLOAT
    for (label,), part in pairs.group_by("after"):
        interval, places = read_interval(str(label)), to_line(part["before"], kind)
        if interval is None or places is None or not interval.holds(places).all():
            return False
    return True


def same_cells(before: pl.Series, after: pl.Series, where: np.ndarray) -> bool:
    """Whether some cells are as they were: as numbers where both columns hold numbers, else as texts."""
    rows = pl.Series(where)
    before, after = before.alias("cells").filter(rows), after.alias("cells").filter(rows)
    if before.dtype.is_numeric() and after.dtype.is_numeric():
        return bool((before == after).all())
    return bool((as_text(before) == as_text(after)).all())
