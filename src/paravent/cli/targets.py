"""Before the work: every output can be written, and nothing that is there already is lost."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from paravent.errors import TableError

Force = Annotated[bool, typer.Option("--force", help="Replace what is there already (never the table itself).")]


def check_targets(*targets: Path | str | None, source: str | None = None, force: bool = False) -> None:
    """Each output has a folder to lie in, none is named twice, none is the source, and none is there already."""
    from paravent.table import Place, real_path

    seen: set[str] = set()
    if source is not None and "://" not in source:
        real_path(source)
    original = Place() if source is None else Place.of(source)
    for target in targets:
        if target is None or "://" in str(target):
            continue
        path = Path(target)
        if path.is_dir():
            raise TableError(f"{path} is a folder. Name a file in it.")
        if not path.parent.is_dir():
            raise TableError(f"The folder {path.parent} does not exist. Make it first, or name another.")
        if not os.access(path.parent, os.W_OK | os.X_OK):
            raise TableError(f"The folder {path.parent} cannot be written to. Name another.")
        if original.is_same_file(path) and not _is_database(path):
            raise TableError(f"{path} is the table itself. Name another file, so that the original stays.")
        place = str(real_path(path)).casefold()  # some file systems do not tell A from a
        if place in seen:
            raise TableError(f"{path} is named for two outputs. Give each its own file.")
        seen.add(place)
        if not force and not _is_database(path):
            refuse_existing(path)


def refuse_existing(path: Path | str) -> None:
    if os.path.lexists(path):
        raise TableError(f"{path} is there already. Name another file, or replace it with --force.")


def refuse_existing_files(paths: Iterable[Path], *, force: bool) -> None:
    for path in () if force else paths:
        refuse_existing(path)


def check_table_target(target: str, table: str | None, *, force: bool) -> None:
    """The format of the output is known and, where it is a database, no table of that name is there already."""
    from paravent.table import table_of_target

    name = table_of_target(target, table)
    if "://" not in target and name is not None and not _is_database(Path(target)):
        raise TableError(f"{target} is not a database. Leave out --output-table.")
    if "://" in target and name is None:
        raise TableError(
            f"-o {target.split('://', maxsplit=1)[0]}://… is a database. Name the table with --output-table."
        )
    if name is None or force:
        return
    from paravent.table import has_table

    if has_table(target, name):
        raise TableError(f"the database has a table {name!r} already. Name another, or replace it with --force.")


def _is_database(path: Path) -> bool:
    from paravent.table import Format, format_by_name

    return format_by_name(path) is Format.SQLITE
