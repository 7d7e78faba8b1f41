"""Domain: the distinct values of one column, in the order its kind gives them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from paravent.table.kinds import Kind
from paravent.table.table import Table
from paravent.table.text import as_text


@dataclass(frozen=True, eq=False)
class Domain:
    """The values that occur in a column, without the missing ones.

    Numbers and dates ascend, ordinal values follow their order, all others are sorted as text.
    `counts[i]` rows hold `values[i]`.
    """

    name: str
    kind: Kind
    values: pl.Series
    counts: np.ndarray

    @classmethod
    def of(cls, table: Table, name: str) -> Domain:
        column = table.columns[name]
        counted = table.frame.select(pl.col(name).alias("value")).drop_nulls().group_by("value").len("count")
        if column.kind is Kind.ORDINAL and column.order is not None:
            rank = {value: i for i, value in enumerate(column.order)}
            ranks = pl.Series("rank", [rank[text] for text in as_text(counted["value"])], dtype=pl.Int64)
            counted = counted.with_columns(ranks).sort("rank")
        elif column.kind in (Kind.NOMINAL, Kind.TEXT):
            counted = counted.with_columns(as_text(counted["value"]).alias("text")).sort("text")
        else:
            counted = counted.sort("value")
        return cls(name, column.kind, counted["value"], counted["count"].to_numpy().astype(np.int64))

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def text(self) -> list[str]:
        """The values as they are named in trees and labels."""
        return as_text(self.values).to_list()

    @cached_property
    def positions(self) -> np.ndarray | None:
        """Numbers and dates on a float line (days since 1970 for dates and times); None where there is no distance."""
        if self.kind.is_numeric:
            return self.values.cast(pl.Float64).to_numpy()
        if self.kind is Kind.DATE:
            if self.values.dtype == pl.Time:
                return self.values.cast(pl.Int64).to_numpy() / 86_400e9
            micros = self.values.cast(pl.Datetime("us")).cast(pl.Int64).to_numpy()
            return np.asarray(micros / 86_400e6, dtype=np.float64)
        return None
