"""Writing to databases: new tables are filled under other names and take the places of old ones in one transaction."""

from __future__ import annotations

import contextlib
import datetime as dt
import secrets
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from paravent.errors import TableError
from paravent.table.atomic import replacing, when_files_are_there
from paravent.table.database import connected, parse_url, sqlalchemy, sqlite_path
from paravent.table.postgres import copy_in, trouble
from paravent.table.rows import first_words

_AT_ONCE = 20_000


Tables = Mapping[str, pl.DataFrame]
"""Frames by the names of their tables."""


def write_sqlite(tables: Tables, path: Path) -> None:
    """Into a SQLite file that may hold other tables; a new file appears whole."""
    if path.exists() and path.is_file():
        _refuse_other_files(path)
        when_files_are_there(lambda: _fill_sqlite(tables, path, str(path)))
        return
    with replacing(path) as part:
        _fill_sqlite(tables, part, str(path))


def has_table(target: str, table: str) -> bool:
    """Whether a database holds a table or view of this name already."""
    path = sqlite_path(target) if "://" in target else Path(target)
    if path is not None:
        if not path.exists():
            return False
        _refuse_other_files(path)
        try:
            with contextlib.closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
                known = connection.execute("SELECT 1 FROM sqlite_master WHERE name = ? COLLATE NOCASE", (table,))
                return known.fetchone() is not None
        except sqlite3.Error as error:
            raise TableError(f"{path}: SQLite said {first_words(error)}.") from None
    schema, bare = table.split(".", 1) if "." in table else (None, table)
    with connected(target) as engine:
        inspector = sqlalchemy().inspect(engine)
        return bare in inspector.get_table_names(schema) or bare in inspector.get_view_names(schema)


def _refuse_other_files(path: Path) -> None:
    if path.is_file() and path.stat().st_size and path.open("rb").read(16) != b"SQLite format 3\0":
        raise TableError(f"{path} is there and is not a SQLite database. Give another name.")


def _fill_sqlite(tables: Tables, path: Path, what: str) -> None:
    try:
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("PRAGMA secure_delete = ON")  # or the pages of a replaced table keep its rows
            connection.execute("BEGIN IMMEDIATE")
            for table, frame in tables.items():
                name, part = _quoted(table), _quoted(f"{table}__{secrets.token_hex(4)}")
                columns = (f"{_quoted(column)} {_sqlite_type(dtype)}" for column, dtype in frame.schema.items())
                connection.execute(f"CREATE TABLE {part} ({', '.join(columns)})")
                for rows in _batches(frame, texts_for_dates=True):
                    connection.executemany(f"INSERT INTO {part} VALUES ({', '.join('?' * frame.width)})", rows)
                connection.execute(f"DROP TABLE IF EXISTS {name}")
                connection.execute(f"ALTER TABLE {part} RENAME TO {name}")
            connection.execute("COMMIT")
    except (sqlite3.Error, OverflowError, UnicodeError) as error:
        raise TableError(f"{what}: SQLite said {first_words(error)}.") from None


def _sqlite_type(dtype: pl.DataType) -> str:
    if dtype.is_integer() or dtype == pl.Boolean:
        return "INTEGER"
    return "REAL" if dtype.is_float() or dtype.is_decimal() else "TEXT"


def write_url(tables: Tables, url: str) -> None:
    if (path := sqlite_path(url)) is not None:
        write_sqlite(tables, path)
        return
    when_files_are_there(lambda: _fill_server(tables, url))


def _fill_server(tables: Tables, url: str) -> None:
    """All tables are filled before the first takes its place: where a server commits by itself whenever a table is made
    or renamed (MySQL), only the renaming, which is short, is not one step."""
    sa, (_, what) = sqlalchemy(), parse_url(url)
    with connected(url) as engine:
        try:
            with engine.begin() as connection:
                quoted = engine.dialect.identifier_preparer.quote
                renamed = []
                for table, frame in tables.items():
                    schema, bare = table.split(".", 1) if "." in table else (None, table)
                    part = _fill_part(sa, connection, frame, schema, bare)
                    place = f"{quoted(schema)}." if schema else ""
                    renamed.append(f"DROP TABLE IF EXISTS {place}{quoted(bare)}")
                    renamed.append(f"ALTER TABLE {place}{quoted(part)} RENAME TO {quoted(bare)}")
                for statement in renamed:
                    connection.execute(_literally(sa, statement))
        except (sa.exc.SQLAlchemyError, UnicodeError, ValueError, *trouble()) as error:
            raise TableError(f"{what}: the database said {first_words(error)}.") from None


def _fill_part(sa: Any, connection: Any, frame: pl.DataFrame, schema: str | None, bare: str) -> str:
    """A table with the rows of a frame, under a name of its own."""
    part = f"{bare[:40]}__{secrets.token_hex(4)}"
    columns = [sa.Column(name, _sql_type(sa, dtype)) for name, dtype in frame.schema.items()]
    made = sa.Table(part, sa.MetaData(), *columns, schema=schema)
    made.create(connection)
    if connection.dialect.name == "postgresql" and connection.dialect.driver == "psycopg":
        place = connection.dialect.identifier_preparer.format_table(made).replace("%%", "%")
        copy_in(connection.connection.driver_connection, _plain(frame), place)
        return part
    # Placeholders are numbered, for a column name may hold signs that no driver takes in a parameter's name.
    insert = made.insert().values({name: sa.bindparam(f"c{i}") for i, name in enumerate(frame.columns)})
    for rows in _batches(frame):
        connection.execute(insert, [{f"c{i}": value for i, value in enumerate(row)} for row in rows])
    return part


def _literally(sa: Any, statement: str) -> Any:
    """A statement with quoted names, whose colons are no placeholders and whose percent signs are doubled only once."""
    return sa.text(statement.replace("%%", "%").replace(":", r"\:"))


def _sql_type(sa: Any, dtype: pl.DataType) -> Any:
    if dtype in (pl.UInt64, pl.Int128, pl.UInt128):
        return sa.Numeric(39, 0)
    if dtype.is_integer():
        return sa.BigInteger()
    if dtype.is_float() or dtype.is_decimal():
        return sa.Double()
    if isinstance(dtype, pl.Datetime):
        return sa.DateTime(timezone=dtype.time_zone is not None)
    plain = {pl.Boolean: sa.Boolean, pl.Date: sa.Date, pl.Time: sa.Time}
    return plain.get(type(dtype), sa.Text)()


def _batches(frame: pl.DataFrame, *, texts_for_dates: bool = False) -> Iterator[list[tuple[Any, ...]]]:
    for part in _plain(frame).iter_slices(_AT_ONCE):
        rows = part.rows()
        yield [tuple(map(_iso, row)) for row in rows] if texts_for_dates else rows


def _plain(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame in types that databases have. NaN is a missing value."""
    words = pl.selectors.categorical() | pl.selectors.enum()
    numbers = pl.selectors.decimal()
    return frame.with_columns(words.cast(pl.String), numbers.cast(pl.Float64), pl.selectors.float().fill_nan(None))


def _iso(value: Any) -> Any:
    return value.isoformat() if isinstance(value, dt.date | dt.time) else value


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
