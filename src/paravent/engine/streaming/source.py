"""Parquet files as one table that is never held as a whole: its columns, their counts, and its rows batch by batch."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import polars as pl

from paravent.errors import TableError
from paravent.table.domain import Coded
from paravent.table.fingerprint import SLICE, FileStamp, bytes_of, fingerprint_of_file, heading
from paravent.table.infer import infer_columns, places_of_sample
from paravent.table.kinds import Column, Kind
from paravent.table.names import check_names
from paravent.table.parquet_check import check_parquet
from paravent.table.raw import reading
from paravent.table.table import Origin, Table


@dataclass(frozen=True, eq=False)
class Files:
    """A Parquet file, or all of a folder in the order of their names, which have the same columns."""

    paths: tuple[Path, ...]
    schema: pl.Schema
    heights: tuple[int, ...]
    stamps: tuple[FileStamp, ...]

    @classmethod
    def of(cls, source: str | os.PathLike[str]) -> Files:
        path = Path(source)
        paths = tuple(sorted(path.glob("*.parquet"))) if path.is_dir() else (path,)
        if not paths or not all(each.is_file() for each in paths):
            raise TableError(f"{path}: there is no Parquet file. Name one, or a folder of them.")
        schema, heights = pl.Schema(), []
        for each in paths:
            with reading(str(each)):
                with each.open("rb", buffering=0) as file:
                    check_parquet(file)
                found = pl.read_parquet_schema(each)
                heights.append(
                    int(pl.scan_parquet(each, glob=False, hive_partitioning=False).select(pl.len()).collect().item())
                )
            schema = schema or pl.Schema(found)
            _check_same(each, pl.Schema(found), paths[0], schema)
        check_names(list(schema), str(path), "Rename it.")
        for name, dtype in schema.items():
            if dtype.is_nested() or dtype in (pl.Binary, pl.Object, pl.Duration, pl.Null):
                raise TableError(
                    f"{path}: column {name!r} holds {dtype}, which is not read a part at a time. Drop it, or turn it "
                    "into plain values first."
                )
        return cls(paths, schema, tuple(heights), tuple(map(FileStamp.of, paths)))

    @property
    def rows(self) -> int:
        return sum(self.heights)

    @property
    def description(self) -> str:
        return str(self.paths[0] if len(self.paths) == 1 else self.paths[0].parent)

    def scan(self, names: Sequence[str], *paths: Path) -> pl.LazyFrame:
        """Some columns, as tables have them: words are texts, NaN is missing, −0.0 is 0.0."""
        at = {name: i for i, name in enumerate(self.schema)}
        cells = [_plain(pl.nth(at[name]), self.schema[name]).alias(name) for name in names]  # names may be patterns
        return pl.scan_parquet(list(paths or self.paths), glob=False, hive_partitioning=False).select(cells)

    def batches(self, names: Sequence[str], rows: int) -> Iterator[pl.DataFrame]:
        """The rows in their order, so many at a time: what is read ahead of its use would be held."""
        for path, height in zip(self.paths, self.heights, strict=True):
            for begin in range(0, height, rows):
                with reading(self.description):
                    batch = self.scan(names, path).slice(begin, rows).collect()
                yield batch

    def counted(self, column: Column) -> tuple[pl.Series, Coded]:
        """The values of a column, and how often each occurs."""
        with reading(self.description):
            values = self.scan([column.name]).select(pl.nth(0).alias("value"))
            found = values.group_by("value").len().collect(engine="streaming").sort("value")
        missing = int(found.filter(pl.col("value").is_null())["len"].sum())
        known = found.filter(pl.col("value").is_not_null())
        counts = known["len"].to_numpy().astype(np.int64)
        return known["value"], Coded.counted(column, known["value"], counts, missing)

    @cached_property
    def columns(self) -> dict[str, Column]:
        """The columns with their kinds, which a sample tells, as for a table that is read whole."""
        spread = places_of_sample(self.rows)
        with reading(self.description):
            numbered = self.scan(list(self.schema)).with_row_index(_INDEX)
            sample = numbered.filter(pl.col(_INDEX).is_in(spread.tolist())).collect(engine="streaming").drop(_INDEX)
        return {name: self._settled(column) for name, column in infer_columns(sample).items()}

    def _settled(self, column: Column) -> Column:
        """An order that a sample shows must hold for all values."""
        if column.kind is not Kind.ORDINAL:
            return column
        values, _ = self.counted(replace(column, kind=Kind.NOMINAL, order=None))
        return infer_columns(pl.DataFrame([values.alias(column.name)]))[column.name]

    @cached_property
    def empty(self) -> Table:
        """The table without its rows, for checks of its columns."""
        frame = self.scan(list(self.schema)).head(0).collect()
        return Table(frame, self.columns, np.zeros(0, dtype=np.int64), Origin(self.description))

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the file; of those of all files, where there are several."""
        each = [fingerprint_of_file(stamp) for stamp in self.stamps]
        if len(each) == 1:
            return each[0]
        return f"sha256:{hashlib.sha256(''.join(each).encode()).hexdigest()}"

    @cached_property
    def order_key(self) -> str:
        """The hash that the shuffle of a release is keyed with: that of the same cells in memory."""
        digest = hashlib.sha256(f"the order of the rows\n{self.rows}\n".encode())
        schema = self.empty.frame.schema
        for name in self.schema:
            digest.update(heading(name, schema[name]))
            for cells in self._slices(name):
                for part in bytes_of(cells):
                    digest.update(part)
        return f"sha256:{digest.hexdigest()}"

    def _slices(self, name: str) -> Iterator[pl.Series]:
        """A column in slices of the size that fingerprints are defined by."""
        held: list[pl.Series] = []
        for batch in self.batches([name], SLICE):
            held.append(batch.to_series().alias("cells"))
            while sum(map(len, held)) >= SLICE:
                whole = pl.concat(held)
                yield whole.head(SLICE)
                held = [whole.slice(SLICE)]
        whole = pl.concat(held) if held else pl.Series("cells", [])
        if len(whole):
            yield whole


_INDEX = "the row of a source, counted from 0"


def _plain(cells: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    if isinstance(dtype, pl.Categorical | pl.Enum):
        return cells.cast(pl.String)
    return cells.fill_nan(None) + 0.0 if dtype.is_float() else cells


def _check_same(path: Path, found: pl.Schema, first: Path, schema: pl.Schema) -> None:
    for name in {**schema, **found}:
        if found.get(name) != schema.get(name):
            raise TableError(
                f"{path}: column {name!r} is {found.get(name, 'absent')} there, and {schema.get(name, 'absent')} in "
                f"{first}. Give all files the same columns."
            )
    if list(found) != list(schema):
        raise TableError(f"{path}: its columns stand in another order than those of {first}. Give all files the same.")
