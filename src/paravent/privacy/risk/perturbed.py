"""Original numbers and their perturbed copies, row beside row, ready to be compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from paravent.errors import TableError
from paravent.privacy.risk.windows import Windows

MOST_TRIED = 2_000
SEED = 20_001


@dataclass(frozen=True, eq=False)
class Perturbed:
    """Row i of `masked` was made from row i of `original`; one column an attribute."""

    columns: tuple[str, ...]
    original: np.ndarray
    masked: np.ndarray

    @classmethod
    def of(cls, original: pl.DataFrame, masked: pl.DataFrame, columns: Sequence[str] | None = None) -> Perturbed:
        """The columns named, or all that hold numbers in both frames.

        >>> found = Perturbed.of(pl.DataFrame({"x": [1, 2], "y": ["a", "b"]}), pl.DataFrame({"x": [1.5, 1.5]}))
        >>> found.columns, found.masked.ravel().tolist()
        (('x',), [1.5, 1.5])
        """
        if original.height != masked.height:
            raise TableError(
                f"the original has {original.height} rows and its perturbed copy {masked.height}. Rows are compared "
                "one by one: give both in the same order, without dropped rows."
            )
        names = tuple(numeric_columns(original, masked) if columns is None else columns)
        return cls(names, _numbers(original, names, "the original"), _numbers(masked, names, "the perturbed copy"))

    def standardised(self) -> tuple[np.ndarray, np.ndarray]:
        """Both in standard deviations of the original's columns, so that no unit outweighs another."""
        if not len(self.original):
            return self.original, self.masked
        spread = self.original.std(axis=0)
        spread[spread == 0] = 1.0
        return self.original / spread, self.masked / spread

    @cached_property
    def windows(self) -> Windows:
        """The originals, standardised, ready to be searched."""
        return Windows(self.standardised()[0])

    def tried(self, most: int | None) -> np.ndarray:
        """The rows to attack: all of them, or a sample that is the same in every run."""
        rows = len(self.masked)
        if most is None or rows <= most:
            return np.arange(rows)
        return np.sort(np.random.default_rng(SEED).choice(rows, most, replace=False))


def numeric_columns(original: pl.DataFrame, masked: pl.DataFrame) -> list[str]:
    """The columns that hold numbers in both frames, in the order of the original."""
    return [
        name
        for name, kind in original.schema.items()
        if kind.is_numeric() and name in masked.columns and masked.schema[name].is_numeric()
    ]


def _numbers(frame: pl.DataFrame, names: Sequence[str], which: str) -> np.ndarray:
    columns = []
    for name in names:
        if name not in frame.columns:
            raise TableError(f"{which} has no column {name!r}. It has: {', '.join(map(repr, frame.columns))}.")
        cells = frame[name]
        if not cells.dtype.is_numeric():
            raise TableError(f"{which}, column {name!r}: only numbers can be compared by distance.")
        values = cells.cast(pl.Float64).fill_null(float("nan")).to_numpy()
        bad = ~np.isfinite(values)
        if bad.any():
            raise TableError(
                f"{which}, column {name!r}: {int(bad.sum())} numbers are missing or infinite (first: row "
                f"{int(bad.argmax()) + 1}). Drop these rows or fill them first."
            )
        columns.append(values)
    return np.stack(columns, axis=1) if columns else np.empty((frame.height, 0))
