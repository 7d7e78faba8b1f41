"""paravent plan: draft a plan for a table, and check a plan against one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from paravent.cli.groups import grouped
from paravent.cli.options import Json, Reading, Source, check_targets
from paravent.cli.page import Page, examples, group
from paravent.cli.voice import Voice

app = group("Draft a plan for a table, and check a plan against one.")


@app.command(cls=Page, epilog=examples("paravent plan draft patients.csv -o plan.toml"))
@grouped
def draft(
    ctx: typer.Context,
    source: Source,
    reading: Reading,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="The plan (TOML); without it, it is printed.")
    ] = None,
    json: Json = False,
) -> None:
    """Write a first plan for a table: roles and trees as the profile proposes them.

    It is a start. Read it, and correct what only you can know: which columns others may look up, and what is sensitive.
    """
    voice = Voice.of(ctx, json=json)
    check_targets(output, source=source)
    from paravent.plan.draft import draft as draft_plan
    from paravent.plan.file import dumps

    plan = draft_plan(reading.open(source))
    if output is not None:
        plan.save(output)
        voice.say(f"The plan lies in {output}. Read it, then: paravent anonymize {source} --plan {output} -o …")
    else:
        voice.say(dumps(plan))
    voice.give({"plan": plan.to_document(), "files": {} if output is None else {"plan": str(output)}})


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
    voice = Voice.of(ctx, json=json)
    import paravent as pv
    from paravent.plan.encode import encode
    from paravent.plan.exposed import check_roles

    wanted = pv.Plan.load(plan)
    table = reading.open(source)
    wanted.check(table)
    check_roles(wanted, table)
    encode(table, wanted)  # builds the trees and looks for values that they do not cover
    demands = ", ".join(model.describe() for model in wanted.protect)
    voice.say(f"The plan fits: {len(wanted.quasi)} quasi-identifiers, {demands}.")
    voice.give({"fits": True, "plan": wanted.to_document()})
