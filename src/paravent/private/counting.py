"""Counting: how many rows lie where, asked for by questions before noise is added. This machine counts the rows that it
holds; a cluster has each worker count its own by the same code, and adds up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import polars as pl

from paravent.private.cells import Cells
from paravent.private.domains import Domain
from paravent.private.matching import plain_text
from paravent.private.rows import Rows, Where

Places = Mapping[str, tuple[Domain, int | None]]
"""Columns that are cut into cells: what each can hold, and into how many bins it is cut."""


class Counting(Protocol):
    """Whoever counts the rows that take part. What is counted is exact, and leaves with noise alone."""

    def tally(self, where: Where | None, places: Places, size: int) -> np.ndarray:
        """How many rows that meet the conditions lie in each of `size` combinations of cells."""

    def keys(self, where: Where | None, columns: Sequence[str]) -> pl.DataFrame:
        """The combinations of values that occur, as texts, each with the `rows` that have it."""


@dataclass(frozen=True, eq=False)
class Held(Counting):
    """Rows that this process holds."""

    rows: Rows

    def tally(self, where: Where | None, places: Places, size: int) -> np.ndarray:
        chosen = self.rows.matching(where)
        return np.bincount(self.combinations(places)[chosen], minlength=size).astype(np.int64)

    def combinations(self, places: Places) -> np.ndarray:
        """The combination of cells in which each row lies; the last column changes fastest."""
        codes = np.zeros(self.rows.frame.height, dtype=np.int64)
        for name, (domain, bins) in places.items():
            found = Cells.of(name, self.rows.column(name), domain, bins)
            codes = codes * len(found) + found.codes
        return codes

    def keys(self, where: Where | None, columns: Sequence[str]) -> pl.DataFrame:
        chosen = pl.Series(self.rows.matching(where))
        texts = texts_of([self.rows.column(name).filter(chosen) for name in columns])
        return texts.group_by(texts.columns).len("rows").with_columns(pl.col("rows").cast(pl.Int64))


def texts_of(columns: Sequence[pl.Series]) -> pl.DataFrame:
    """Cells as texts, in columns named by their place."""
    return pl.DataFrame([plain_text(column).alias(str(at)) for at, column in enumerate(columns)])
