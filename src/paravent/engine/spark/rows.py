"""Rows as every job sees them: those that no missing value drops."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import polars as pl


@dataclass(frozen=True)
class Rows:
    """The rows of an Arrow batch but those in which one of the columns `drop` is missing."""

    drop: tuple[str, ...] = ()

    def kept(self, batch: Any) -> Any:
        """As an Arrow table."""
        import pyarrow as pa
        import pyarrow.compute as pc

        table = pa.Table.from_batches([batch])
        for name in self.drop:
            table = table.filter(pc.invert(pc.is_null(table[name], nan_is_null=True)))
        return table

    def of(self, batch: Any) -> pl.DataFrame:
        """As a polars frame."""
        return frame_of(self.kept(batch))


def frame_of(table: Any) -> pl.DataFrame:
    """An Arrow table or batch as a polars frame."""
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    return frame


def together(batches: Iterable[Any]) -> pl.DataFrame | None:
    """All rows of some batches as one frame; None where there is none."""
    held = [frame_of(batch) for batch in batches if batch.num_rows]
    return pl.concat(held) if held else None


def matched(cells: pl.Series, values: pl.Series, given: pl.Series) -> pl.Series:
    """For each cell what is given for its value; nothing for a missing cell and for a value that is not there."""
    left = pl.DataFrame([cells.alias("value")])
    right = pl.DataFrame([values.alias("value"), given.alias("given")])
    return left.join(right, on="value", how="left", maintain_order="left")["given"]
