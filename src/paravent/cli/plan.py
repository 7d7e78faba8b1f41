"""paravent plan: draft a plan for a table, and check a plan against one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from paravent.cli.console import Console
from paravent.cli.groups import grouped
from paravent.cli.options import Json, Reading, Source, Vocabularies
from paravent.cli.page import Page, examples, group
from paravent.cli.targets import Force, check_targets

app = group("Draft a plan for a table, and check a plan against one.")


@app.command(cls=Page, epilog=examples("paravent plan draft patients.csv -k 5 -l 3 -o plan.toml"))
@grouped
def draft(
    ctx: typer.Context,
    source: Source,
    reading: Reading,
    k: Annotated[int, typer.Option("--k", "-k", metavar="NUMBER", help="Everybody hides among at least k rows.")] = 5,
    l: Annotated[  # noqa: E741  the name of the model's parameter
        int | None,
        typer.Option("--l", "-l", metavar="NUMBER", help="At least l values of each sensitive column in every class."),
    ] = None,
    vocabulary: Vocabularies = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="The plan (TOML); without it, it is printed.")
    ] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Write a first plan for a table: roles, trees and models as the profile proposes them, each with its reason.

    In the comments ? is likely and ?? a guess. It is a start: read it, and correct what only you can know, which
    columns others may look up and what is sensitive.
    """
    console = Console.of(ctx, json=json)
    check_targets(output, source=source, force=force)
    import paravent as pv
    from paravent.plan import draft_text, profiled, write_text

    found = profiled(reading.open(source), vocabulary or ())
    plan = pv.draft(found, k=k, l=l)
    text = draft_text(found, plan)
    if output is not None:
        write_text(text, output)
        console.say(f"The plan lies in {output}. Read it, then: paravent anonymize {source} --plan {output} -o …")
    else:
        console.say(text)
    console.give({"plan": plan.to_document(), "files": {} if output is None else {"plan": str(output)}})


@app.command(cls=Page, epilog=examples("paravent plan check plan.toml patients.csv"))
@grouped
def check(
    ctx: typer.Context,
    plan: Annotated[Path, typer.Argument(metavar="PLAN", help="A plan (TOML).", show_default=False)],
    source: Source,
    reading: Reading,
    json: Json = False,
) -> None:
    """Check that a plan fits a table: columns, trees, missing values. Nothing is anonymized.

    Exit code 0: it fits; 1: it leaves columns that could name people without a role; 2: it does not fit, with the
    first entry that is wrong.
    """
    console = Console.of(ctx, json=json)
    import paravent as pv
    from paravent.plan import check_fits

    wanted = pv.Plan.load(plan)
    table = reading.open(source)
    check_fits(wanted, table)
    demands = ", ".join(model.describe() for model in wanted.protect)
    console.say(f"The plan fits: {len(wanted.quasi)} quasi-identifiers, {demands}.")
    console.give({"fits": True, "plan": wanted.to_document()})
