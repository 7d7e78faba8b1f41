"""paravent clean: drop what you name, and say what was dropped."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated

import typer

from paravent.cli.console import Console
from paravent.cli.groups import grouped
from paravent.cli.options import Json, Reading, Source, pair
from paravent.cli.page import examples
from paravent.cli.writing import Writing
from paravent.errors import TableError

Bounds = tuple[float | None, float | None]
EXAMPLES = examples(
    "paravent clean data.csv --empty-columns --missing-rows --outliers age=0:110 -o clean.csv",
    "paravent clean data.csv --alike",
)


@grouped
def clean(
    ctx: typer.Context,
    source: Source,
    reading: Reading,
    writing: Writing,
    empty_columns: Annotated[bool, typer.Option("--empty-columns", help="Drop columns without any value.")] = False,
    alike: Annotated[
        bool,
        typer.Option("--alike", help="Give values that look alike (flu, Flu, 'flu ') one spelling, and say which."),
    ] = False,
    missing_rows: Annotated[bool, typer.Option("--missing-rows", help="Drop rows with a missing value.")] = False,
    impute: Annotated[bool, typer.Option("--impute", help="Fill missing values: the median, or the mode.")] = False,
    duplicates: Annotated[bool, typer.Option("--duplicates", help="Keep one of all equal rows.")] = False,
    outliers: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=LOW:HIGH",
            help="Drop rows outside of what is right for a column (an end may be left out), or iqr for all numbers.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Drop what you name, and nothing unasked; say what was dropped and why."""
    console = Console.of(ctx, json=json)
    writing.check(source=source)
    import paravent as pv

    table = reading.open(source)
    writing.check_source(table)
    cleaned, cleaning = pv.clean(
        table,
        empty_columns=empty_columns,
        alike=alike,
        missing_rows=missing_rows,
        impute=impute,
        duplicates=duplicates,
        outliers=_outliers(outliers or [], table.names),
    )
    files = writing.write(partial(pv.write, cleaned), called="table")
    console.say(str(cleaning))
    console.give({**cleaning.to_dict(), "files": files})


def _outliers(
    given: list[str], columns: Sequence[str]
) -> str | dict[str, str | tuple[float | None, float | None]] | None:
    if not given or given == ["iqr"]:
        return "iqr" if given else None
    wanted: dict[str, str | Bounds] = {}
    for text in given:
        name, bounds = pair("--outliers", text, columns)
        wanted[name] = "iqr" if bounds == "iqr" else _bounds(text, bounds)
    return wanted


def _bounds(text: str, bounds: str) -> Bounds:
    low, colon, high = (part.strip() for part in bounds.partition(":"))
    try:
        if colon and (low or high):
            return float(low) if low else None, float(high) if high else None
    except ValueError:
        pass
    raise TableError(f"--outliers: {text!r} must be NAME=LOW:HIGH or NAME=iqr, such as age=0:110.")
