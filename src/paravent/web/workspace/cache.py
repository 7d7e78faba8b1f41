"""Tables that were read once: in memory for the next click, on disk for the processes that work on them. What was found
in them is kept in memory beside them."""

from __future__ import annotations

import contextlib
import pickle
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import polars as pl

import paravent as pv
from paravent.table import replacing
from paravent.web.workspace.files import private_folder

MEMORY = 1 << 30
"""Bytes of tables that stay in memory; the one that was asked for last always does."""

FOUND = 32
"""Findings that stay in memory: of so many tables, pictures of their columns, say."""

T = TypeVar("T")
_tables: OrderedDict[str, pv.Table] = OrderedDict()
_findings: OrderedDict[str, object] = OrderedDict()
_lock = threading.Lock()


def known_table(folder: Path, key: str) -> pv.Table | None:
    """The table of a key, if it was read before. What is on disk was written by this program, into a folder that only
    its user can write to; what cannot be read there is read from its source again."""
    name = f"{folder}/{key}"
    with _lock:
        if name in _tables:
            _tables.move_to_end(name)
            return _tables[name]
    table = _from_disk(folder / key)
    return None if table is None else _remembered(name, table)


def keep_table(folder: Path, key: str, table: pv.Table) -> pv.Table:
    """Keep a table that was read."""
    _to_disk(folder, key, table)
    return _remembered(f"{folder}/{key}", table)


def finding(folder: Path, key: str, find: Callable[[], T]) -> T:
    """What was found in a table of a folder; it is looked for where that has not been done, or is long ago."""
    name = f"{folder}/{key}"
    with _lock:
        if name in _findings:
            _findings.move_to_end(name)
            return _findings[name]  # type: ignore[return-value]
    found = find()
    with _lock:
        _findings[name] = found
        while len(_findings) > FOUND:
            _findings.popitem(last=False)
    return found


def forget_tables(folder: Path) -> None:
    """Let go of the tables in memory that belong to a folder, and of what was found in them."""
    with _lock:
        kept: OrderedDict[str, pv.Table] | OrderedDict[str, object]
        for kept in (_tables, _findings):
            for name in [name for name in kept if name.startswith(f"{folder}/")]:
                del kept[name]


def _remembered(name: str, table: pv.Table) -> pv.Table:
    with _lock:
        _tables[name] = table
        _tables.move_to_end(name)
        while len(_tables) > 1 and sum(each.frame.estimated_size() for each in _tables.values()) > MEMORY:
            _tables.popitem(last=False)
    return table


def _from_disk(path: Path) -> pv.Table | None:
    with contextlib.suppress(Exception):
        table: pv.Table = pickle.loads(path.with_suffix(".table").read_bytes())
        return replace(table, frame=pl.read_ipc(path.with_suffix(".arrow")))
    return None


def _to_disk(folder: Path, key: str, table: pv.Table) -> None:
    path = private_folder(folder) / key
    source = None if isinstance(table.origin.source, pl.DataFrame) else table.origin.source
    origin = replace(table.origin, fingerprint=table.fingerprint, source=source)
    with replacing(path.with_suffix(".arrow")) as part:
        table.frame.write_ipc(part)
    with replacing(path.with_suffix(".table")) as part:
        part.write_bytes(pickle.dumps(replace(table, frame=table.frame.clear(), origin=origin)))
