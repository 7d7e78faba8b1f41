"""Published: what becomes of one column.

It owns how it turns into a column of the release and in which sense that column is true: a label covers every value
that it replaces, an average lies among them, a permuted column has the same values as before. The runner asks each for
its column, and before anything is released asks it to compare the finished column with the original.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
import polars as pl

from paravent.errors import UnsafeReleaseError
from paravent.hierarchy.axis import Axis
from paravent.hierarchy.tree import ROOT_LABEL
from paravent.table.text import is_text


@dataclass(frozen=True, eq=False)
class Source:
    """A column as it was: its cells, one for each row of the table, and its codes where it is a quasi-identifier."""

    name: str
    cells: pl.Series
    axis: Axis | None = None

    @property
    def codes(self) -> Axis:
        """The axis of what can only be published of a quasi-identifier."""
        if self.axis is None:
            raise UnsafeReleaseError(f"column {self.name!r} is no quasi-identifier. Nothing is released.")
        return self.axis


@dataclass(frozen=True, eq=False)
class Place:
    """Where the rows of a release come from: `rows[i]` is the row of the table, `of_row[i]` the class of row i (−1:
    suppressed), and `marked[i]` tells whether it only stands for a suppressed one."""

    rows: np.ndarray
    of_row: np.ndarray
    marked: np.ndarray

    @classmethod
    def of(cls, rows: np.ndarray, of_row: np.ndarray | None = None, marked: np.ndarray | None = None) -> Place:
        """Rows of one class where nothing else is said, none of them marked."""
        nothing = np.zeros(len(rows), dtype=np.int64)
        return cls(rows, nothing if of_row is None else of_row, nothing.astype(bool) if marked is None else marked)


class Published(ABC):
    """What is published in one column."""

    @abstractmethod
    def fits(self, source: Source, n_classes: int) -> bool:
        """Whether there is a cell for everything that needs one."""

    @abstractmethod
    def column(self, source: Source, place: Place) -> pl.Series:
        """The cells of the release. A marked row says nothing: `*` in a column of texts, else a missing cell."""

    @abstractmethod
    def check(self, source: Source, released: pl.Series, place: Place) -> None:
        """Raise UnsafeReleaseError when a finished column is not true in the sense of its kind. A missing cell says
        nothing; that it may be missing is checked elsewhere."""


def without(cells: pl.Series, blank: np.ndarray) -> pl.Series:
    """The column with some cells emptied; itself where there are none."""
    return pl.select(pl.when(~pl.Series(blank)).then(cells)).to_series() if blank.any() else cells


def marked_as_root(cells: pl.Series, marked: np.ndarray) -> pl.Series:
    """The column of a quasi-identifier with marked rows that say nothing."""
    if not marked.any() or not is_text(cells.dtype):
        return without(cells, marked)
    texts = cells.cast(pl.String)
    return pl.select(pl.when(pl.Series(marked)).then(pl.lit(ROOT_LABEL)).otherwise(texts)).to_series()
