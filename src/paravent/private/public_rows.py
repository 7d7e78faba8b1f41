"""Public rows: columns that everybody may know, kept as they are beside columns that are drawn.

What is protected is then whether somebody's other columns count. Neighbouring tables have the same public rows, so that
counts among public columns are exact and cost nothing, and so does the number of rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from paravent.private.graphical.fit import Noisy
from paravent.private.graphical.junction import Columns, cells_of
from paravent.private.graphical.sample import flat
from paravent.table.text import as_text

_EXACT = 0.1
"""What stands for the noise of counts that have none, in rows: the least that a model tells apart."""


@dataclass(frozen=True)
class PublicRows:
    """The distinct rows of some columns as texts, sorted, missing cells last, and how often each occurs. Their order in
    the table is not kept: it could follow from the other columns."""

    columns: Columns
    values: tuple[tuple[str | None, ...], ...]
    counts: tuple[int, ...]

    @classmethod
    def of(cls, columns: Columns, cells: Sequence[pl.Series]) -> PublicRows:
        """
        >>> PublicRows.of((2,), [pl.Series(["m", "f", None, "m"])]).counts
        (1, 2, 1)
        """
        plain = [own.fill_nan(None) if own.dtype.is_float() else own for own in cells]
        texts = pl.DataFrame([as_text(own.alias(str(at))) for at, own in enumerate(plain)])
        counted = texts.group_by(texts.columns).len("rows").sort(texts.columns, nulls_last=True)
        return cls(columns, tuple(counted.drop("rows").rows()), tuple(counted["rows"].to_list()))

    @property
    def rows(self) -> int:
        return sum(self.counts)

    def texts(self) -> list[pl.Series]:
        """Each column, row by row."""
        times = np.repeat(np.arange(len(self.counts)), self.counts)
        return [
            pl.Series([row[at] for row in self.values], dtype=pl.String).gather(times)
            for at in range(len(self.columns))
        ]

    def to_document(self) -> dict[str, Any]:
        return {
            "columns": list(self.columns),
            "values": [list(row) for row in self.values],
            "counts": list(self.counts),
        }

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> PublicRows:
        values = tuple(tuple(None if cell is None else str(cell) for cell in row) for row in document["values"])
        found = cls(tuple(map(int, document["columns"])), values, tuple(map(int, document["counts"])))
        if len(found.values) != len(found.counts) or any(len(row) != len(found.columns) for row in values):
            raise ValueError("public rows")
        return found


def exact_counts(codes: Mapping[int, np.ndarray], sizes: Sequence[int]) -> list[Noisy]:
    """The counts of public columns, each by itself and all together."""
    together = tuple(sorted(codes))
    sets = dict.fromkeys([*((column,) for column in together), together])
    found = []
    for columns in sets:
        shape = [sizes[column] for column in columns]
        cells = flat([codes[column] for column in columns], shape, len(codes[columns[0]]))
        counts = np.bincount(cells, minlength=cells_of(columns, sizes)).reshape(shape)
        found.append(Noisy(columns, counts.astype(np.float64), _EXACT))
    return found


def first_parameters(known: Sequence[Noisy], total: float) -> dict[Columns, np.ndarray]:
    """Where a fit begins, so that it need not find what is known: the logarithms of all public columns together."""
    if len(known) < 2:
        return {}
    joint = known[-1]
    alone = np.zeros(())
    for axis, noisy in enumerate(known[:-1]):
        logs = np.log(np.maximum(noisy.counts, noisy.sigma) / total)
        alone = alone + logs.reshape([-1 if at == axis else 1 for at in range(len(joint.columns))])
    return {joint.columns: np.log(np.maximum(joint.counts, joint.sigma) / total) - alone}
