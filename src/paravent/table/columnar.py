"""Parquet and Arrow files: the types are in the file, so they are read as they are."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from paravent.table.arrow_check import MAGIC, check_arrow
from paravent.table.fingerprint import FileStamp
from paravent.table.parquet_check import check_parquet
from paravent.table.raw import Raw, reading


def read_parquet(path: Path, format_choice: str) -> Raw:
    stamp = FileStamp.of(path)
    with reading(str(path)):
        with path.open("rb", buffering=0) as file:
            check_parquet(file)
        frame = pl.read_parquet(path, glob=False, hive_partitioning=False)
    return Raw(frame, str(path), {"format": format_choice}, source=stamp)


def read_arrow(path: Path, format_choice: str) -> Raw:
    """Arrow IPC, as a file (Feather) or as a stream."""
    stamp = FileStamp.of(path)
    with reading(str(path)), path.open("rb", buffering=0) as file:
        check_arrow(file)
    with reading(str(path)), path.open("rb") as file:
        is_file = file.read(len(MAGIC)) == MAGIC
        file.seek(0)
        # From an open file: a path may be mapped into memory, where damage is not an error but a crash.
        frame = pl.read_ipc(file) if is_file else pl.read_ipc_stream(file)
    return Raw(frame, str(path), {"format": format_choice}, source=stamp)
