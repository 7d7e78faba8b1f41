"""Writing a release: every table of it, or none."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from paravent.errors import TableError, either
from paravent.plan.assemble import FIRST
from paravent.table.atomic import make_folder, together
from paravent.table.place import refuse_own_source
from paravent.table.table import Table
from paravent.table.write import table_of_target, write, write_database


def write_tables(
    tables: Mapping[str, pl.DataFrame], original: Table, target: str | os.PathLike[str], options: Mapping[str, Any]
) -> None:
    """Write the tables of a release where `places` says. In a database they appear in one transaction."""
    given = dict(options)
    if given.get("dialect", "input") == "input":
        given["dialect"] = original.origin.dialect or "plain"
    found = places(tables, target, given.get("table"), given.get("format"))
    for where, table in found:
        refuse_own_source(original.origin.place, where, table)
    if len(found) > 1 and found[0][1] is not None:
        named = {str(table): frame for (_, table), frame in zip(found, tables.values(), strict=True)}
        write_database(named, target, **given)
        return
    with together():
        if len(found) > 1 and is_folder(target):
            make_folder(Path(target))
        for (where, table), frame in zip(found, tables.values(), strict=True):
            write(frame, where, **{**given, **({} if table is None else {"table": table})})


def places(
    names: Iterable[str], target: str | os.PathLike[str], table: str | None = None, format: str | None = None
) -> list[tuple[str, str | None]]:
    """Where the tables of a release lie: the first at `target` itself, the others beside it (`out.csv`,
    `out.groups.csv`); in a folder under their own names; in a database, by the table there, with their names behind
    that of the first.

    >>> places(["release", "groups"], "out.csv"), places(["release", "groups"], "sqlite:///a.db", "study")
    ([('out.csv', None), ('out.groups.csv', None)], [('sqlite:///a.db', 'study'), ('sqlite:///a.db', 'study_groups')])
    """
    first, *others = names
    text = os.fspath(target)
    if others and is_folder(text):
        return [(os.path.join(text, f"{name}.csv"), None) for name in (first, *others)]
    own = table_of_target(target, table, format)
    if own is not None:
        return [(text, own), *((text, f"{own}_{name}") for name in others)]
    if others and "://" in text:
        raise TableError("the database: say which table to write with " + either("table=….", "--output-table NAME."))
    return [(text, None), *((further(text, name), None) for name in others)]


def is_folder(target: str | os.PathLike[str]) -> bool:
    """Whether a target is a folder: one that is there, or a name that ends with a slash.

    >>> is_folder("study/"), is_folder("study"), is_folder("sqlite:///a/")
    (True, False, False)
    """
    text = os.fspath(target)
    return "://" not in text and (text.endswith(("/", os.sep)) or Path(text).is_dir())


def further(first: str, name: str) -> str:
    """The file of a further table, given that of the first.

    >>> further("study/out.csv.gz", "groups"), further("study/release.csv", "groups")
    ('study/out.groups.csv.gz', 'study/release.groups.csv')
    """
    stem, dot, endings = Path(first).name.partition(".")
    return os.path.join(os.path.dirname(first), f"{stem}.{name}{dot}{endings}")


def lying_beside(first: str | os.PathLike[str], name: str) -> str | None:
    """The file of a further table that was written with the first, beside it or in a folder with it; None: there is
    none."""
    text = os.fspath(first)
    found = [further(text, name)]
    if Path(text).name == f"{FIRST}.csv":
        found.append(os.path.join(os.path.dirname(text), f"{name}.csv"))
    return next((path for path in found if os.path.isfile(path)), None)
