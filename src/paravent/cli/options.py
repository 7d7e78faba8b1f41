"""The options that commands share: which table, how to read it, what is wanted."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paravent.cli.console import printable
from paravent.errors import Note, PlanError, TableError
from paravent.near import suggest

if TYPE_CHECKING:
    import polars as pl

    from paravent import Plan, Table

_PLACE = (
    "A file (.csv, .tsv, .parquet, .arrow, .feather, .xlsx, .jsonl, .sqlite, .sav, .dta, .sas7bdat, .xpt) or the URL "
    "of a database."
)
Source = Annotated[str, typer.Argument(metavar="TABLE", help=_PLACE, show_default=False)]
Released = Annotated[str, typer.Argument(metavar="RELEASE", help=f"The released table. {_PLACE}", show_default=False)]
Json = Annotated[bool, typer.Option("--json", help="One JSON document on stdout, for machines.")]

_option = partial(typer.Option, rich_help_panel="Reading the table (sniffed unless you say so)")


Vocabularies = Annotated[
    list[Path] | None,
    typer.Option(
        "--vocabulary",
        metavar="FILE",
        help="A tree file of places, branches or the like: a column whose values all stand in it gets that tree. "
        "Repeatable.",
    ),
]


@dataclass(frozen=True)
class Reading:
    """How to read the table, where the reader should not decide for itself."""

    format: Annotated[str | None, _option(metavar="NAME", help="The format, whatever the ending says.")] = None
    delimiter: Annotated[str | None, _option(metavar="SIGN", help="What stands between two cells of a CSV.")] = None
    quote: Annotated[str | None, _option(metavar="SIGN", help="What may enclose a cell of a CSV.")] = None
    encoding: Annotated[str | None, _option(metavar="NAME", help="utf-8, latin-1, mixed, …")] = None
    decimal: Annotated[str | None, _option(metavar="SIGN", help="The decimal sign, . or ,")] = None
    header: Annotated[bool | None, _option("--header/--no-header", help="Whether the first row names the columns.")] = (
        None
    )
    repair_header: Annotated[
        bool, _option("--repair-header", help="Add the place to column names that are missing or not unique.")
    ] = False
    na: Annotated[list[str] | None, _option(metavar="TEXT", help="A text that means missing. Repeatable.")] = None
    kind: Annotated[
        list[str] | None,
        _option(
            metavar="NAME=KIND",
            help="A column's kind: integer, float, nominal, date, text, or an order such as low<mid<high. Repeatable.",
        ),
    ] = None
    sheet: Annotated[str | None, _option(metavar="NAME", help="The sheet of a workbook.")] = None
    query: Annotated[str | None, _option(metavar="SQL", help="What to ask the database.")] = None
    table: Annotated[str | None, _option(metavar="NAME", help="The table of the database.")] = None

    def open(self, source: str) -> Table:
        """Read the table. What its reader noticed goes to stderr."""
        import paravent as pv

        given = self._given()
        kinds = dict(map(_kind, given.pop("kind", ())))
        table = pv.read(source, **given, kinds=kinds or None)
        _tell(table.notes)
        return table

    def released(self, source: str, plan: Plan) -> pl.DataFrame:
        """A released table, its cells as they stand."""
        from paravent.plan import as_written
        from paravent.table import read_released

        given = self._given()
        kinds = dict(map(_kind, given.pop("kind", ())))
        frame, notes = read_released(source, as_written(plan), **given, kinds=kinds)
        _tell(notes)
        return frame

    def names_released(self, source: str) -> list[str]:
        """The columns of a released table, and those that were written beside it: a sensitive one may stand there."""
        from paravent.plan import lying_beside

        beside = lying_beside(source, "sensitive")  # as Anatomy calls its second table
        names = self.open(source).names
        return list(dict.fromkeys((*names, *(() if beside is None else self.open(beside).names))))

    def _given(self) -> dict[str, Any]:
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        if values.pop("repair_header"):
            values["header"] = "repair"
        return {name: value for name, value in values.items() if value not in (None, [])}


def tables_beside(source: str, plan: Plan) -> dict[str, str]:
    """The files of the further tables that were written with the first."""
    from paravent.plan import lying_beside

    derivation = plan.method.derivation
    found = {name: lying_beside(source, name) for name in (() if derivation is None else derivation.tables)}
    return {name: path for name, path in found.items() if path is not None}


def _tell(notes: Iterable[Note]) -> None:
    for note in notes:
        typer.echo(f"note: {printable(note.prompted)}", err=True)


def _kind(text: str) -> tuple[str, Any]:
    name, equals, kind = text.rpartition("=")
    if not equals or not name or not kind:
        raise TableError(f"--kind: {text!r} must be NAME=KIND, such as age=integer or grade=low<mid<high.")
    return name, tuple(value.strip() for value in kind.split("<")) if "<" in kind else kind.strip()


def names(option: str, given: Iterable[str], known: Sequence[str]) -> list[str]:
    """Column names from repeated and comma-separated options; a name may hold commas itself, or stand in quotes.

    >>> names("--quasi", ["age,zip", "income, monthly"], ["age", "zip", "income, monthly"])
    ['age', 'zip', 'income, monthly']
    """
    found: list[str] = []
    for text in given:
        parts = [text] if text in known else _split(text)
        for name in parts:
            if name not in known:
                column = name.partition("=")[0]
                remedy = f"To give it its tree, write {option} {column} --tree {name}." if column in known else ""
                raise PlanError(f"{option}: the table has no column {name!r}. {remedy or suggest(name, known)}")
            if name in found:
                raise PlanError(f"{option}: column {name!r} is named twice. Name it once.")
            found.append(name)
    return found


def _split(text: str) -> list[str]:
    try:
        return [part.strip() for row in csv.reader([text], skipinitialspace=True) for part in row] or [text]
    except csv.Error:
        return [text]


def pair(option: str, text: str, known: Sequence[str]) -> tuple[str, str]:
    """NAME=VALUE, where either may hold an equals sign: the first split that gives a column of the table.

    >>> pair("--tree", "a=b=flat()", ["a=b"])
    ('a=b', 'flat()')
    """
    splits = [(text[:at], text[at + 1 :]) for at, sign in enumerate(text) if sign == "="]
    for name, value in splits:
        if name in known:
            return name, value
    if not splits:
        raise PlanError(f"{option}: {text!r} must be NAME=VALUE, with the name of a column.")
    raise PlanError(f"{option}: the table has no column {splits[0][0]!r}. {suggest(splits[0][0], known)}")
