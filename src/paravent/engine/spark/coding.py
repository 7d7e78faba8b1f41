"""Codes of rows: every machine looks values up in the same tables, which the driver made from their counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from paravent.engine.spark.domains import keys_of
from paravent.engine.spark.rows import matched
from paravent.errors import TableError
from paravent.table.text import as_text

_NARROW = 4_000_000


@dataclass(frozen=True, eq=False)
class Lookup:
    """The codes of one column: `values[i]` has code `codes[i]`, and a missing cell has code `missing` (−1: there was
    none when values were counted)."""

    name: str
    values: pl.Series
    codes: np.ndarray
    missing: int
    size: int

    @cached_property
    def _by_place(self) -> tuple[int, np.ndarray] | None:
        """For whole numbers of a narrow span, the code of each by its distance to the lowest."""
        if not self.values.dtype.is_integer() or not len(self.values):
            return None
        low, high = int(str(self.values.min())), int(str(self.values.max()))
        if high - low >= _NARROW:
            return None
        found = np.full(high - low + 1, -1, dtype=np.int32)
        found[self.values.to_numpy().astype(np.int64) - low] = self.codes
        return low, found

    def of(self, cells: pl.Series) -> np.ndarray:
        """The code of each cell."""
        narrow = self._by_place
        if narrow is not None and cells.dtype.is_integer() and not cells.null_count():
            low, table = narrow
            place = cells.cast(pl.Int64).to_numpy() - low
            if len(place) and (place.min() < 0 or place.max() >= len(table)):
                raise self._changed()
            codes = table[place]
        else:
            keys = keys_of(cells.alias("value"))
            known = matched(keys, keys_of(self.values), pl.Series(self.codes.astype(np.int32)))
            absent = keys.is_null()
            if absent.any():
                known = known.set(absent, self.missing)
            codes = known.fill_null(-1).to_numpy().astype(np.int32)
        if len(codes) and codes.min() < 0:
            raise self._changed()
        return np.ascontiguousarray(codes)

    @cached_property
    def texts(self) -> list[str | None]:
        """The text of each code; None for a missing cell."""
        found: list[str | None] = [None] * self.size
        for code, text in zip(self.codes.tolist(), as_text(self.values.alias("cells")).to_list(), strict=True):
            found[code] = text
        return found

    def _changed(self) -> TableError:
        return TableError(
            f"column {self.name!r} holds values that were not there when values were counted: the source changes while "
            "it is read. Take a copy, or persist the frame."
        )


@dataclass(frozen=True, eq=False)
class Packing:
    """Codes of several columns as few whole numbers, in mixed radix."""

    sizes: tuple[int, ...]

    @cached_property
    def parts(self) -> list[list[int]]:
        """The columns of each number."""
        found: list[list[int]] = [[]]
        span = 1
        for j, size in enumerate(self.sizes):
            if span * size >= 2**62 and found[-1]:
                found.append([])
                span = 1
            found[-1].append(j)
            span *= size
        return found

    @property
    def names(self) -> list[str]:
        return [f"k{i}" for i in range(len(self.parts))]

    @property
    def schema(self) -> str:
        return ", ".join(f"{name} long" for name in self.names)

    def pack(self, columns: Sequence[np.ndarray]) -> list[np.ndarray]:
        keys = []
        for part in self.parts:
            key = np.zeros(len(columns[0]), dtype=np.int64)
            for j in part:
                key *= self.sizes[j]
                key += columns[j]
            keys.append(key)
        return keys

    def unpack(self, keys: Sequence[np.ndarray]) -> list[np.ndarray]:
        found: list[np.ndarray] = [np.zeros(0, dtype=np.int32)] * len(self.sizes)
        for part, packed in zip(self.parts, keys, strict=True):
            left = packed.copy()
            for j in reversed(part):
                found[j] = (left % self.sizes[j]).astype(np.int32)
                left //= self.sizes[j]
        return found
