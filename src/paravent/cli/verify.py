"""paravent verify: does a released table hold what its plan promises?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paravent.cli.console import Console
from paravent.cli.door import DOES_NOT_HOLD
from paravent.cli.groups import grouped
from paravent.cli.options import Json, Reading, Released, tables_beside
from paravent.cli.page import examples
from paravent.cli.plan_options import PlanOptions
from paravent.errors import TableError

if TYPE_CHECKING:
    import polars as pl

EXAMPLES = examples(
    "paravent verify release.csv --plan plan.toml",
    "paravent verify release.csv --quasi age,zip --sensitive disease --k 5 --l 3",
)


@grouped
def verify(
    ctx: typer.Context,
    source: Released,
    options: PlanOptions,
    reading: Reading,
    persons: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Whose each row of the release is, in one column and in its order, where the plan counts people "
            "(`anonymize --save-persons` writes it).",
        ),
    ] = None,
    transcript: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="What a synthetic release was drawn from (`synthesize --transcript`)."),
    ] = None,
    json: Json = False,
) -> None:
    """Check a released table, whoever made it. Exit code 0: it holds; 1: it does not.

    Cells are compared as text, exactly as they stand in the file: a suppressed cell is a value like any other.
    """
    console = Console.of(ctx, json=json)
    import paravent as pv

    plan = options.to_plan(lambda: reading.names_released(source))
    whose = None if persons is None else _one_column(persons)
    beside = tables_beside(source, plan)
    verdict = pv.verify(reading.released(source, plan), plan, persons=whose, beside=beside, transcript=transcript)
    console.say(str(verdict))
    console.give(verdict.to_dict())
    if not verdict.holds:
        raise typer.Exit(DOES_NOT_HOLD)


def _one_column(path: str) -> pl.Series:
    import paravent as pv

    frame = pv.read(path).frame
    if frame.width != 1:
        raise TableError(f"--persons: {path} has {frame.width} columns. Give one, which says whose each row is.")
    return frame.to_series()
