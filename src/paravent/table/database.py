"""Databases: SQLite by Python's own module, all others by a SQLAlchemy URL (extra `sql`), PostgreSQL by columns."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote as percent

from paravent.errors import TableError, either
from paravent.table.names import check_names
from paravent.table.postgres import read_arrow
from paravent.table.query import check_query, only_asking
from paravent.table.raw import Raw, reading
from paravent.table.rows import Undecodable, batches, first_words, frame_of

_TABLES = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY 1"
_ALIAS = "Name it with AS in the query."


def read_sqlite(path: Path, query: str | None, table: str | None, format_choice: str, *, exact: bool = False) -> Raw:
    """A table or query of a SQLite file, opened so that nothing can be written and no other file be read."""
    if query is not None:
        check_query(query, str(path))
    with _sqlite(path) as connection:
        try:
            if query is None:
                table = choose_table(str(path), [name for (name,) in connection.execute(_TABLES)], table)
            cursor = connection.execute(query if query is not None else f"SELECT * FROM {_quoted(str(table))}")
            if cursor.description is None:
                raise TableError(f"{path}: the query gives no rows. Pass a SELECT.")
            names = [column[0] for column in cursor.description]
            check_names(names, f"the result of the query on {path}", _ALIAS)
            found = frame_of(names, batches(cursor), str(path), exact=exact)
        except (sqlite3.Error, sqlite3.Warning, OverflowError) as error:
            raise TableError(f"{path}: SQLite said {first_words(error)}.") from None
    what = f"{path}, table {table!r}" if query is None else f"{path}, a query"
    choices = {"format": format_choice, "rows": "in the order SQLite gave them", **_asked(query, table)}
    return Raw(found.frame, what, choices, found.notes, source=found.frame, dates=True, exact=found.exact)


@contextlib.contextmanager
def _sqlite(path: Path) -> Iterator[sqlite3.Connection]:
    try:
        # A journal beside the file is left by a killed run; to take its half-done work back, SQLite must write.
        mode = "rw" if path.with_name(f"{path.name}-journal").exists() and os.access(path, os.W_OK) else "ro"
        connection = sqlite3.connect(f"file:{percent(str(path.absolute()))}?mode={mode}", uri=True)
    except sqlite3.Error as error:
        raise TableError(f"{path} cannot be opened: SQLite said {first_words(error)}.") from None
    connection.text_factory = _decoded
    try:
        with contextlib.closing(connection):
            connection.execute("PRAGMA query_only = ON")
            connection.set_authorizer(only_asking)
            yield connection
    except sqlite3.Error as error:
        raise TableError(f"{path}: SQLite said {first_words(error)}.") from None


def _decoded(raw: bytes) -> str | Undecodable:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return Undecodable(raw)


def read_url(url: str, query: str | None, table: str | None, *, exact: bool = False) -> Raw:
    """A table or query of any database that SQLAlchemy knows."""
    if (path := sqlite_path(url)) is not None:
        if not path.is_file():
            raise TableError(f"{path} does not exist.")
        return read_sqlite(path, query, table, "SQLite (by the URL)", exact=exact)
    sa, (address, what) = sqlalchemy(), parse_url(url)
    options: dict[str, Any] = {"stream_results": True, "max_row_buffer": 50_000}
    if address.get_backend_name() == "postgresql":
        options["postgresql_readonly"] = True
    if query is not None:
        check_query(query, what)
    with connected(url) as engine, reading(what):
        try:
            with engine.connect().execution_options(**options) as connection:
                if query is None:
                    inspector = sa.inspect(connection)
                    schema, bare = _split(inspector, table)
                    bare = choose_table(what, _tables(inspector, schema), bare)
                    table = f"{schema}.{bare}" if schema else bare
                    statement = sa.select(sa.text("*")).select_from(sa.table(bare, schema=schema))
                else:
                    statement = sa.text(query.replace(":", r"\:"))
                found = None
                if address.get_backend_name() == "postgresql" and not exact:
                    words = query or str(statement.compile(dialect=engine.dialect)).replace("%%", "%")
                    found = read_arrow(address, words)
                if found is None:
                    result = connection.execute(statement)
                    if not result.returns_rows:
                        raise TableError(f"{what}: the query gives no rows. Pass a SELECT.")
                    names = list(result.keys())
                    check_names(names, f"the result of the query on {what}", _ALIAS)
                    found = frame_of(names, batches(result), what, exact=exact)
                else:
                    check_names(found.frame.columns, f"the result of the query on {what}", _ALIAS)
        except sa.exc.SQLAlchemyError as error:
            raise TableError(f"{what}: the database said {first_words(error)}.") from None
    description = f"{what}, table {table!r}" if query is None else f"{what}, a query"
    choices = {"format": "SQL (by the URL)", "rows": "in the order the server gave them", **_asked(query, table)}
    return Raw(found.frame, description, choices, found.notes, source=found.frame, exact=found.exact)


def sqlite_path(url: str) -> Path | None:
    """The file of a SQLite URL, which needs no SQLAlchemy.

    >>> sqlite_path("sqlite:///data/people.db").as_posix(), sqlite_path("postgresql://host/people")
    ('data/people.db', None)
    """
    if not url.startswith("sqlite:///"):
        return None
    name = url.removeprefix("sqlite:///").split("?")[0]
    if name in ("", ":memory:"):
        raise TableError(f"{url} names no file. Write it like sqlite:///people.db.")
    return Path(name)


def sqlalchemy() -> Any:
    try:
        import sqlalchemy as module
        import sqlalchemy.exc
    except ImportError:
        raise TableError("databases need one more package: pip install 'paravent[sql]'.") from None
    return module


def parse_url(url: str) -> tuple[Any, str]:
    """The URL, with psycopg for PostgreSQL, and its text without the password."""
    sa = sqlalchemy()
    try:
        address = sa.make_url(url)
    except (sa.exc.ArgumentError, ValueError):
        raise TableError("the URL of the database is not one. Write it like postgresql://user@host/name.") from None
    if address.drivername in ("postgresql", "postgres"):
        address = address.set(drivername="postgresql+psycopg")
    return address, address.set(drivername=address.get_backend_name()).render_as_string(hide_password=True)


@contextlib.contextmanager
def connected(url: str) -> Iterator[Any]:
    """An engine for one job."""
    sa = sqlalchemy()
    address, what = parse_url(url)
    try:
        engine = sa.create_engine(address, poolclass=sa.pool.NullPool)
    except sa.exc.NoSuchModuleError:
        raise TableError(f"{what}: SQLAlchemy does not know {address.drivername!r}. Is the URL right?") from None
    except ImportError as error:
        raise TableError(f"{what} needs one more package: pip install {error.name}.") from None
    except (sa.exc.SQLAlchemyError, ValueError, TypeError) as error:
        raise TableError(f"{what}: SQLAlchemy said {first_words(error)}.") from None
    try:
        yield engine
    except sa.exc.SQLAlchemyError as error:
        raise TableError(f"{what}: the database said {first_words(error)}.") from None
    finally:
        engine.dispose()


def choose_table(what: str, known: Sequence[str], table: str | None) -> str:
    if table is not None:
        if table not in known:
            listed = ", ".join(map(repr, known[:20])) or "none"
            raise TableError(f"{what} has no table {table!r}. Its tables are: {listed}.")
        return table
    if len(known) == 1:
        return known[0]
    listed = ", ".join(map(repr, known[:20])) or "none"
    how = either("table=… or query=…", "--table or --query")
    raise TableError(f"{what}: say which table to read with {how}. Its tables are: {listed}.")


def _tables(inspector: Any, schema: str | None) -> list[str]:
    return [*inspector.get_table_names(schema), *inspector.get_view_names(schema)]


def _split(inspector: Any, table: str | None) -> tuple[str | None, str | None]:
    """`clinic.patients` is table patients of schema clinic, unless there is a table of that whole name."""
    if table is None or "." not in table or table in _tables(inspector, None):
        return None, table
    schema, bare = table.split(".", 1)
    return schema, bare


def _asked(query: str | None, table: str | None) -> dict[str, str]:
    return {"query": "as you said"} if query is not None else {"table": str(table)}


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
