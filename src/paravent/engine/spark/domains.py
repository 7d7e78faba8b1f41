"""The distinct values of columns and how often each occurs, counted on the cluster in one pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from paravent.engine.spark.faults import on_worker, one_sentence
from paravent.engine.spark.rows import Rows, frame_of
from paravent.errors import TableError

_MERGE = 500_000
"""A worker adds up its counts when it holds more than these."""
_ALL, _DROPPED = -1, -2
"""Numbers of no column: all rows that a job sees, and those that a missing value drops."""
COUNTS = "column int, value string, n long"


@dataclass(frozen=True, eq=False)
class Counted:
    """One column: its distinct values (their order means nothing), how often each occurs, and how many are missing."""

    values: pl.Series
    counts: np.ndarray
    missing: int


@dataclass(frozen=True, eq=False)
class Domains:
    """The columns that were counted, and how many rows there are; `dropped` more have a missing value that drops
    them."""

    columns: Mapping[str, Counted]
    n_rows: int
    dropped: int


def domains_of(session: Any, frame: Any, names: Sequence[str], rows: Rows, limit: int) -> Domains:
    """Count the values of some columns of a Spark frame. A column of more than `limit` distinct values is refused."""
    needed = list(dict.fromkeys([*names, *rows.drop]))
    types = dtypes_of(frame.select(*[quoted(name) for name in needed]))
    task = session.sparkContext.broadcast((tuple(names), rows))
    with one_sentence("counting values"):
        counted = frame.select(*[quoted(name) for name in needed]).mapInArrow(_counter(task), COUNTS)
        totals = counted.groupBy("column", "value").sum("n").withColumnRenamed("sum(n)", "n")
        held = totals.limit(limit * max(len(names), 1) + 3).toArrow()
    found = frame_of(held)
    by_column = dict(found.group_by("column").len().iter_rows())
    worst = max(range(len(names)), key=lambda i: by_column.get(i, 0), default=0)
    if by_column.get(worst, 0) > limit:
        raise TableError(
            f"column {names[worst]!r} has more than {limit} different values, too many to be held in one place. Round "
            "or shorten it before, or allow more with values= (--values)."
        )
    columns = {}
    for i, name in enumerate(names):
        own = found.filter(pl.col("column") == i).sort("value", nulls_last=False)
        present = own.filter(pl.col("value").is_not_null())
        columns[name] = Counted(
            values_of(present["value"], types[name]).alias(name),
            present["n"].to_numpy().astype(np.int64),
            int(own["n"].to_numpy().sum() - present["n"].to_numpy().sum()),
        )
    number = dict(found.filter(pl.col("column") < 0).select("column", "n").iter_rows())
    return Domains(columns, number.get(_ALL, 0), number.get(_DROPPED, 0))


def _counter(task: Any) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def count(batches: Iterator[Any]) -> Iterator[Any]:
        names, rows = task.value
        parts: list[pl.DataFrame] = []
        seen = kept = 0
        for batch in batches:
            frame = rows.of(batch)
            seen, kept = seen + batch.num_rows, kept + frame.height
            for i, name in enumerate(names):
                texts = keys_of(frame[name].alias("value"))
                some = texts.value_counts(name="n")
                parts.append(some.select(pl.lit(i, pl.Int32).alias("column"), "value", pl.col("n").cast(pl.Int64)))
            if sum(part.height for part in parts) > _MERGE:
                parts = [_added(parts)]
        own = pl.DataFrame(
            {"column": [_ALL, _DROPPED], "value": [None, None], "n": [kept, seen - kept]},
            schema={"column": pl.Int32, "value": pl.String, "n": pl.Int64},
        )
        yield from arrow_batches(_added([*parts, own]), COUNTS)

    return on_worker(count)


def _added(parts: list[pl.DataFrame]) -> pl.DataFrame:
    return pl.concat(parts).group_by("column", "value").agg(pl.col("n").sum())


def keys_of(cells: pl.Series) -> pl.Series:
    """A text for each cell, equal where cells are, from which `values_of` makes the value again."""
    if cells.dtype == pl.String:
        return cells
    if cells.dtype.is_float():
        return (cells.fill_nan(None) + 0.0).cast(pl.String)  # + 0.0: −0.0 is 0.0
    if isinstance(cells.dtype, pl.Enum | pl.Categorical):
        return cells.cast(pl.String)
    return (cells.to_physical() if cells.dtype.is_temporal() else cells).cast(pl.String)


def values_of(keys: pl.Series, dtype: pl.DataType) -> pl.Series:
    """The values that texts of `keys_of` stand for.

    >>> import datetime
    >>> days = pl.Series([datetime.date(2026, 11, 18)])
    >>> values_of(keys_of(days), days.dtype).to_list()
    [datetime.date(2026, 11, 18)]
    """
    if dtype == pl.String or isinstance(dtype, pl.Enum | pl.Categorical):
        return keys
    if dtype == pl.Boolean:
        return keys == "true"
    if dtype.is_temporal():
        return keys.cast(pl.Int32 if dtype == pl.Date else pl.Int64).cast(dtype)
    return keys.cast(dtype)


def dtypes_of(frame: Any) -> dict[str, pl.DataType]:
    """The types of the columns of a Spark frame, as batches of them will have in polars."""
    try:
        empty = pl.from_arrow(arrow_schema(frame.sparkSession, frame.schema).empty_table())
    except Exception:
        raise TableError("a column holds values of a type that cannot be read. Leave it out of the frame.") from None
    assert isinstance(empty, pl.DataFrame)
    return dict(empty.schema)


def arrow_schema(session: Any, schema: Any) -> Any:
    """A schema of Spark as its batches have it in Arrow: moments in the time zone of the session."""
    from pyspark.sql.pandas.types import to_arrow_schema

    return to_arrow_schema(schema, timezone=session.conf.get("spark.sql.session.timeZone"))


def quoted(name: str) -> str:
    """A column name as Spark takes it, dots and all."""
    return f"`{name}`"


def arrow_batches(frame: pl.DataFrame, schema: str) -> Iterator[Any]:
    """A frame as Arrow batches of the types that a job has declared."""
    import pyarrow as pa

    types = {"int": pa.int32(), "long": pa.int64(), "string": pa.string(), "double": pa.float64()}
    fields = [part.strip().rsplit(" ", 1) for part in schema.split(",")]
    wanted = pa.schema([(name.strip("`"), types[kind]) for name, kind in fields])
    yield from frame.to_arrow().select(wanted.names).cast(wanted).to_batches()
