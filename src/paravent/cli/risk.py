"""paravent risk: who could be found in a table, original or released."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from paravent.cli.console import Console
from paravent.cli.groups import grouped
from paravent.cli.options import Json, Reading, Source, names
from paravent.cli.page import examples
from paravent.cli.targets import Force, check_table_target, check_targets
from paravent.errors import PlanError

EXAMPLES = examples(
    "paravent risk data.csv --quasi age,zip,sex --population 83_000_000 --suda 3",
    "paravent risk survey.csv --quasi age,sex --weights weight --household home --json",
    "paravent risk release.csv --plan plan.toml --original data.csv",
    "paravent risk data.csv --quasi age,zip,sex,job --subsets 3",
)
_WHOM = "Which columns may be known (a plan file, or their names)"
_AGAINST = "What else is known"
_SEARCH = "What to look for"


@grouped
def risk(
    ctx: typer.Context,
    source: Source,
    reading: Reading,
    plan: Annotated[
        Path | None, typer.Option("--plan", "-p", metavar="FILE", help="A plan (TOML).", rich_help_panel=_WHOM)
    ] = None,
    quasi: Annotated[
        list[str] | None,
        typer.Option(
            "--quasi",
            "-q",
            metavar="NAMES",
            help="Columns that others may know about a person. Comma-separated and repeatable.",
            rich_help_panel=_WHOM,
        ),
    ] = None,
    population: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="How many people the table was drawn from, the share of them in it (0.05), or a table of all of them.",
            rich_help_panel=_AGAINST,
        ),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The column with survey weights.", rich_help_panel=_AGAINST),
    ] = None,
    person: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The column that says whose each row is: people are counted then, not rows.",
            rich_help_panel=_WHOM,
        ),
    ] = None,
    household: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The column that names each row's household.", rich_help_panel=_AGAINST),
    ] = None,
    original: Annotated[
        str | None,
        typer.Option(
            metavar="TABLE",
            help="What the table was made from: numbers are linked back, and rows left as they were are counted.",
            rich_help_panel=_AGAINST,
        ),
    ] = None,
    numbers: Annotated[
        list[str] | None,
        typer.Option(metavar="NAMES", help="The perturbed numbers, if not all.", rich_help_panel=_AGAINST),
    ] = None,
    suda: Annotated[
        int | None,
        typer.Option(
            metavar="SIZE",
            help="Search for minimal sets of up to so many columns that single a row out.",
            rich_help_panel=_SEARCH,
        ),
    ] = None,
    subsets: Annotated[
        int | None,
        typer.Option(
            metavar="SIZE",
            help="Compare all sets of up to so many columns: how many rows each singles out.",
            rich_help_panel=_SEARCH,
        ),
    ] = None,
    threshold: Annotated[
        list[float] | None,
        typer.Option(metavar="RISK", help="Count the rows above this risk. Repeatable.", rich_help_panel=_SEARCH),
    ] = None,
    exact: Annotated[
        bool,
        typer.Option("--exact", help="Individual risk without the usual approximation.", rich_help_panel=_SEARCH),
    ] = False,
    rows: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write each row's risks, without its values.", rich_help_panel=_SEARCH),
    ] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Who could be found in a table, original or released, and under which assumption.

    Cells are compared exactly as they stand in the file; missing ones are equal to one another. Estimates say below
    what they take for granted.
    """
    console = Console.of(ctx, json=json)
    check_targets(rows, source=source, force=force)
    if rows is not None:
        check_table_target(str(rows), None, force=force)
    import paravent as pv

    wanted = _known_columns(plan, quasi)
    table = reading.released(source, wanted) if isinstance(wanted, pv.Plan) else reading.open(source).frame
    known: Any = wanted if isinstance(wanted, pv.Plan) else names("--quasi", wanted, table.columns)
    counted: dict[str, Any] = {"thresholds": tuple(threshold)} if threshold else {}
    found = pv.risk(
        table,
        known,
        population=None if population is None else _population(population),
        weights=None if weights is None else names("--weights", [weights], table.columns)[0],
        household=None if household is None else names("--household", [household], table.columns)[0],
        suda=suda,
        original=original,
        numbers=None if not numbers else names("--numbers", numbers, table.columns),
        exact=exact,
        person=None if person is None else names("--person", [person], table.columns)[0],
        **counted,
    )
    sets = None if subsets is None else pv.quasi_identifiers(table, list(found.quasi), max_size=subsets)
    if rows is not None:
        pv.write(found.by_row(), rows)
    console.say(str(found))
    if sets is not None:
        console.heading("Sets of columns")
        console.say(str(sets))
    if rows is not None:
        console.say(f"\nEach row's risks are in {rows}.")
    console.give(
        {
            **found.to_dict(),
            "sentences": list(found.sentences),
            "assumptions": found.assumptions,
            "notes": list(found.notes),
            **({} if sets is None else {"subsets": sets.to_dict()}),
            "files": {} if rows is None else {"rows": str(rows)},
        }
    )


def _known_columns(plan: Path | None, quasi: list[str] | None) -> Any:
    import paravent as pv

    if plan is not None and quasi:
        raise PlanError("--quasi and --plan both say which columns may be known. Leave one of them out.")
    if plan is None and not quasi:
        raise PlanError("Nothing says which columns others may know. Name them with --quasi, or give a --plan.")
    return quasi if plan is None else pv.Plan.load(plan)


def _population(text: str) -> Any:
    """A number of people, a sampling fraction, or else the table of all people."""
    if Path(text).exists() or "://" in text:
        return text
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    raise PlanError(
        f"--population: {text!r} is no number and no file. Give a number of people, a sampling fraction such as 0.05, "
        "or a table of the whole population."
    )
