"""What is published row by row by coding: each cell follows from its original alone, and says less.

What is checked is told by the originals and the finished cells; how a treatment came to them does not matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from paravent.errors import UnsafeReleaseError
from paravent.published.by_row import ByRow, missing_cells
from paravent.published.published import Source
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


def same_cells(before: pl.Series, after: pl.Series, where: np.ndarray) -> bool:
    """Whether some cells are as they were: as numbers where both columns hold numbers, else as texts."""
    rows = pl.Series(where)
    before, after = before.alias("cells").filter(rows), after.alias("cells").filter(rows)
    if before.dtype.is_numeric() and after.dtype.is_numeric():
        return bool((before == after).all())
    return bool((as_text(before) == as_text(after)).all())
