"""Writing a release: every table of it, or none."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from paravent.table.atomic import together
from paravent.table.place import Place, refuse_own_source
from paravent.table.table import Table
from paravent.table.write import table_of_target, write


def write_tables(
    tables: Mapping[str, pl.DataFrame], original: Table, target: str | os.PathLike[str], options: Mapping[str, Any]
) -> None:
    """Write the tables of a release. The first goes to `target` itself, the others beside it:
    `out.csv`, `out.groups.csv`; in a folder under their own names; in a database with their names behind the table's.
    """
    given = dict(options)
    if given.get("dialect", "input") == "input":
        given["dialect"] = original.origin.dialect or "plain"
    folder = len(tables) > 1 and "://" not in os.fspath(target) and Path(target).is_dir()
    table = None if folder else table_of_target(target, given.get("table"), given.get("format"))
    with together():
        for i, (name, frame) in enumerate(tables.items()):
            where, here = os.path.join(target, f"{name}.csv"), None
            if not folder:
                where, here = _place(os.fspath(target), table, name, first=i == 0)
            refuse_own_source(original.origin.place, where, here)
            write(frame, where, **{**given, **({} if here is None else {"table": here})})


def _place(text: str, table: str | None, name: str, *, first: bool) -> tuple[str, str | None]:
    if first:
        return text, table
    if table is not None or Place.of(text).server is not None:
        return text, f"{table}_{name}"
    stem, dot, endings = Path(text).name.partition(".")
    return os.path.join(os.path.dirname(text), f"{stem}.{name}{dot}{endings}"), None
