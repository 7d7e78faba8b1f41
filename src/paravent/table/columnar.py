"""Parquet and Arrow files: the types are in the file, so they are read as they are."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from paravent.table.fingerprint import FileStamp
from paravent.table.raw import Raw, reading


def read_parquet(path: Path, format_choice: str) -> Raw:
    stamp = FileStamp.of(path)
    with reading(str(path)):
        frame = pl.read_parquet(path, glob=False, hive_partitioning=False)
    return Raw(frame, str(path), {"format": format_choice}, source=stamp)


def read_arrow(path: Path, format_choice: str) -> Raw:
    """Arrow IPC, as a file (Feather) or as a stream."""
    stamp = FileStamp.of(path)
    with reading(str(path)), path.open("rb") as file:
        is_file = file.read(6) == b"ARROW1"
        file.seek(0)
        # From an open file: a path may be mapped into memory, where damage is not an error but a crash.
        frame = pl.read_ipc(file) if is_file else pl.read_ipc_stream(file)
    return Raw(frame, str(path), {"format": format_choice}, source=stamp)
