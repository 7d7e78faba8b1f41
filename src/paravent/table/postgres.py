"""PostgreSQL by columns: Arrow batches come out of a query (ADBC), COPY takes tables in. Rows of Python values, as
other databases give and take them, cost many times as much."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import closing
from decimal import Decimal
from typing import Any

import polars as pl

from paravent.errors import Note
from paravent.table.rows import Fetched, column_of, joined

_AT_ONCE = 100_000
_NUMBERS = {"int2", "int4", "int8", "float4", "float8", "numeric", "bool"}
_KNOWN = _NUMBERS | {"date", "timestamp", "timestamptz", "time", "text", "varchar", "bpchar", "name", "uuid"}
"""Types that mean the same in a batch as in a row."""
_FIRST, _LAST = -719_162, 2_932_896  # 0001-01-01 and 9999-12-31, in days since 1970
_ESCAPED = {"\\": r"\\", "\t": r"\t", "\n": r"\n", "\r": r"\r"}


def read_arrow(address: Any, statement: str) -> Fetched | None:
    """What a query gives, typed as if its rows had been read one by one; None where it holds types that only those
    can tell, or where the driver is absent or fails: whoever reads rows then says why."""
    try:
        from adbc_driver_manager import Error
        from adbc_driver_postgresql import dbapi
    except ImportError:
        return None
    url = address.set(drivername="postgresql").render_as_string(hide_password=False)
    try:
        with closing(dbapi.connect(url)) as connection, closing(connection.cursor()) as cursor:
            cursor.execute("SET TRANSACTION READ ONLY")
            cursor.execute("SELECT current_setting('server_encoding'), current_setting('client_encoding')")
            if cursor.fetchone() != ("UTF8", "UTF8"):  # texts would not be what Arrow takes them for
                return None
            cursor.execute(statement)
            reader = cursor.fetch_record_batch()
            types = [(field.metadata or {}).get(b"POSTGRESQL:type", b"").decode() for field in reader.schema]
            if len(set(reader.schema.names)) < len(types) or not set(types) <= _KNOWN:
                return None
            parts = [_plain(batch, types) for batch in reader]
    except (Error, ValueError, OverflowError):
        return None
    if not parts or any(part is None for part in parts):
        return None
    return _whole([part for part in parts if part is not None])


def _plain(batch: Any, types: list[str]) -> pl.DataFrame | None:
    """A batch in the types of tables; None where a date lies beyond those that can be told."""
    columns = []
    for field, array, kind in zip(batch.schema, batch.columns, types, strict=True):
        values = pl.Series(field.name, array.storage if kind in ("numeric", "uuid") else array)
        if kind == "numeric":
            texts = values.to_list()
            values = column_of(field.name, [None if text is None else Decimal(text) for text in texts])
        elif kind == "uuid":
            values = _uuids(values)
        elif kind == "float4":  # 0.1 is 0.1, whatever its bits
            values = values.cast(pl.String).cast(pl.Float64)
        elif values.dtype.is_integer():
            values = values.cast(pl.Int64)
        elif kind in ("date", "timestamp", "timestamptz") and not _within(values):
            return None
        columns.append(values.alias(field.name))
    return pl.DataFrame(columns)


def _within(values: pl.Series) -> bool:
    """Whether all dates are of this calendar: PostgreSQL has infinite ones, and years before the first."""
    unit = 1 if values.dtype == pl.Date else 86_400_000_000
    days = values.to_physical() // unit
    return bool(days.is_between(_FIRST, _LAST).all())


def _uuids(values: pl.Series) -> pl.Series:
    digits = values.bin.encode("hex").alias("cells")
    ends = ((0, 8), (8, 4), (12, 4), (16, 4), (20, 12))
    return pl.select(pl.concat_str(*(pl.lit(digits).str.slice(*end) for end in ends), separator="-")).to_series()


def _whole(parts: list[pl.DataFrame]) -> Fetched:
    notes: list[Note] = []
    columns = [joined(name, [part[name] for part in parts], notes) for name in parts[0].columns]
    empty = [column.null_count() == len(column) for column in columns]  # nothing tells what it would hold
    columns = [column.cast(pl.String) if bare else column for column, bare in zip(columns, empty, strict=True)]
    return Fetched(pl.DataFrame(columns), tuple(notes))


def copy_in(connection: Any, frame: pl.DataFrame, table: str) -> None:
    """Fill a table, whose name is quoted, with the rows of a frame, in the transaction of a connection by psycopg."""
    with connection.cursor() as cursor:
        with cursor.copy(f"COPY {table} FROM STDIN") as copy:
            for text in _texts(frame):
                copy.write(text)
        if cursor.rowcount != frame.height:
            raise ValueError(f"it took {cursor.rowcount} of {frame.height} rows")


def trouble() -> tuple[type[Exception], ...]:
    """What COPY raises; nothing where psycopg is absent, for then there is none."""
    try:
        import psycopg
    except ImportError:
        return ()
    return (psycopg.Error,)


def _texts(frame: pl.DataFrame) -> Iterator[bytes]:
    """Rows in the text format of COPY, which has a sign for everything that could be mistaken for another."""
    words = pl.selectors.string().str.replace_many(list(_ESCAPED), list(_ESCAPED.values()))
    for part in frame.iter_slices(_AT_ONCE):
        out = io.BytesIO()
        part.with_columns(words).write_csv(
            out, include_header=False, separator="\t", quote_style="never", null_value=r"\N"
        )
        yield out.getvalue()
