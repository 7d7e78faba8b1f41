"""What is published row by row: values drawn, permuted or randomised, or the cells as they were.

Such a cell is not true of its row. What is checked is what its kind says of the column as a whole, and that the
finished column holds the cells that the method gave, no others.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from paravent.errors import UnsafeReleaseError
from paravent.published.published import Place, Published, Source, marked_as_root, without
from paravent.table.text import as_text


@dataclass(frozen=True, eq=False)
class Untouched(Published):
    """The cells as they were."""

    def fits(self, source: Source, n_classes: int) -> bool:  # noqa: ARG002
        return True

    def column(self, source: Source, place: Place) -> pl.Series:
        # In one piece first: rows picked from the many pieces of a large file cost ten times as much.
        cells = _told_apart(source.cells.rechunk().gather(place.rows))
        return without(cells, place.marked) if source.axis is None else marked_as_root(cells, place.marked)

    def check(self, source: Source, released: pl.Series, place: Place) -> None:
        check_same(source.name, source.cells, released, place)


@dataclass(frozen=True, eq=False)
class ByRow(Published, ABC):
    """One released column, with a cell for each row of the table."""

    cells: pl.Series

    def fits(self, source: Source, n_classes: int) -> bool:  # noqa: ARG002
        return len(self.cells) == len(source.cells)

    def column(self, source: Source, place: Place) -> pl.Series:
        cells = _told_apart(self.cells.alias("cells").gather(place.rows))
        return without(cells, place.marked) if source.axis is None else marked_as_root(cells, place.marked)

    def check(self, source: Source, released: pl.Series, place: Place) -> None:
        check_same(source.name, self.cells, released, place)
        self.check_kind(source)

    @abstractmethod
    def check_kind(self, source: Source) -> None:
        """Raise when the cells are not what their kind promises of them."""


@dataclass(frozen=True, eq=False)
class Drawn(ByRow):
    """Each cell is drawn around its original, as noise does: no cell is promised to be near it. Cells that were
    missing are missing, and no others."""

    def check_kind(self, source: Source) -> None:
        if not (missing_cells(self.cells) == missing_cells(source.cells)).all():
            raise UnsafeReleaseError(
                f"column {source.name!r}: a cell is missing on one side only. Nothing is released."
            )


@dataclass(frozen=True, eq=False)
class Permuted(ByRow):
    """The values have changed places: each group of rows has the same ones as before, equally often. `groups` is the
    group of each row; None: all rows are one."""

    groups: np.ndarray | None = None

    def check_kind(self, source: Source) -> None:
        groups = np.zeros(len(self.cells), dtype=np.int64) if self.groups is None else np.asarray(self.groups)
        if not _tally(self.cells, groups).equals(_tally(source.cells, groups)):
            raise UnsafeReleaseError(f"column {source.name!r}: its values are not those it had. Nothing is released.")


@dataclass(frozen=True, eq=False)
class Randomised(ByRow):
    """Each cell is one of `values`, drawn by a rule that depends on its original. Cells that were missing are missing,
    and no others."""

    values: Sequence[Any] = ()

    def check_kind(self, source: Source) -> None:
        known = set(as_text(pl.Series("cells", list(self.values), dtype=self.cells.dtype)).to_list())
        found = set(as_text(self.cells.alias("cells")).drop_nulls().unique().to_list())
        if not found <= known or not (missing_cells(self.cells) == missing_cells(source.cells)).all():
            raise UnsafeReleaseError(
                f"column {source.name!r}: a cell is none of the values that it may be. Nothing is released."
            )


def _told_apart(cells: pl.Series) -> pl.Series:
    """The cells without a dictionary that is numbered as values appear in the source, which nobody shall see."""
    return cells.cast(pl.String) if isinstance(cells.dtype, pl.Categorical) else cells


def missing_cells(cells: pl.Series) -> np.ndarray:
    """Which cells are missing; a float that is not a number is."""
    cells = cells.alias("cells")
    return (cells.fill_nan(None) if cells.dtype.is_float() else cells).is_null().to_numpy()


def _tally(cells: pl.Series, groups: np.ndarray) -> pl.DataFrame:
    texts = as_text(cells.alias("cells"))
    return pl.DataFrame({"group": groups, "cell": texts}).group_by("group", "cell").len().sort("group", "cell")


def check_same(name: str, given: pl.Series, released: pl.Series, place: Place) -> None:
    """The finished column holds just the given cells, as texts, where rows are not marked."""
    real = ~place.marked
    expected = as_text(given.alias("cells").gather(place.rows[real]))
    found = as_text(released.alias("cells").filter(pl.Series(real)))
    if not expected.equals(found, null_equal=True):
        raise UnsafeReleaseError(
            f"column {name!r}: a cell is not the one that was to be published. Nothing is released."
        )
