"""Tables that were read once: in memory for the next click, on disk for the processes that work on them."""

from __future__ import annotations

import contextlib
import pickle
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import polars as pl

import paravent as pv
from paravent.web.workspace.files import private_folder

_KEPT = 4
"""Tables that stay in memory."""
_SMALL = 20_000
"""Cells up to which a table is read again rather than kept on disk."""
_tables: OrderedDict[str, pv.Table] = OrderedDict()
_lock = threading.Lock()


def cached_table(folder: Path, key: str, make: Callable[[], pv.Table]) -> pv.Table:
    """The table of a key, made where it is not known yet. What is on disk was written by this program into a folder
    that only its user can write to; what cannot be read there is made again."""
    name = f"{folder}/{key}"
    with _lock:
        if name in _tables:
            _tables.move_to_end(name)
            return _tables[name]
    table = _from_disk(folder / key)
    if table is None:
        table = make()
        if table.frame.height * table.frame.width > _SMALL:
            _to_disk(folder, key, table)
    with _lock:
        _tables[name] = table
        while len(_tables) > _KEPT:
            _tables.popitem(last=False)
    return table


def forget_tables(folder: Path) -> None:
    """Let go of the tables in memory that belong to a folder."""
    with _lock:
        for name in [name for name in _tables if name.startswith(f"{folder}/")]:
            del _tables[name]


def _from_disk(path: Path) -> pv.Table | None:
    with contextlib.suppress(Exception):
        table: pv.Table = pickle.loads(path.with_suffix(".table").read_bytes())
        return replace(table, frame=pl.read_ipc(path.with_suffix(".arrow")))
    return None


def _to_disk(folder: Path, key: str, table: pv.Table) -> None:
    with contextlib.suppress(Exception):  # it is faster with it, and right without
        from paravent.table import replacing

        path = private_folder(folder) / key
        source = table.origin.source
        bare = replace(
            table,
            frame=table.frame.clear(),
            origin=replace(
                table.origin, fingerprint=table.fingerprint, source=None if isinstance(source, pl.DataFrame) else source
            ),
        )
        with replacing(path.with_suffix(".arrow")) as part:
            table.frame.write_ipc(part)
        with replacing(path.with_suffix(".table")) as part:
            part.write_bytes(pickle.dumps(bare))
