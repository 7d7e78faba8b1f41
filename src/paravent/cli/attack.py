"""paravent attack: what somebody could do with a released table."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from paravent.cli.calls import read_call
from paravent.cli.console import Console
from paravent.cli.groups import grouped
from paravent.cli.options import Json, Reading, Released, tables_beside
from paravent.cli.page import examples
from paravent.cli.plan_options import PlanOptions
from paravent.errors import PlanError

EXAMPLES = examples(
    "paravent attack release.csv --plan plan.toml --original data.csv --control others.csv",
    "paravent attack release.csv --quasi age,zip --sensitive disease --k 5 --against voters.csv",
    "paravent attack release.csv --plan plan.toml --only \"Similarity(column='salary', radius=1000)\"",
)
_KNOWN = "What an attacker may know"
_HOW = "Which attacks, and how many attempts"


@grouped
def attack(
    ctx: typer.Context,
    source: Released,
    options: PlanOptions,
    reading: Reading,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="TABLE", help="People whom an attacker can name, in the release or not.", rich_help_panel=_KNOWN
        ),
    ] = None,
    original: Annotated[
        str | None,
        typer.Option(metavar="TABLE", help="What the release was made from.", rich_help_panel=_KNOWN),
    ] = None,
    control: Annotated[
        str | None,
        typer.Option(
            metavar="TABLE", help="People like those of the original who are not in it.", rich_help_panel=_KNOWN
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ATTACK",
            help="An attack to try instead of all, such as \"Homogeneity(column='disease')\". Repeatable.",
            rich_help_panel=_HOW,
        ),
    ] = None,
    attempts: Annotated[
        int, typer.Option(metavar="NUMBER", help="At most so many attempts of sampled attacks.", rich_help_panel=_HOW)
    ] = 2000,
    dice: Annotated[
        int | None,
        typer.Option(metavar="SEED", help="For what is drawn at random (the plan's seed).", rich_help_panel=_HOW),
    ] = None,
    json: Json = False,
) -> None:
    """Try attacks on a released table, and say what each brings and what would stop it.

    Without any table beside the release, what its classes give away is looked for. With the original, people are linked
    to rows, singled out, linked and guessed about; a control group tells how much of that is due to the release. No
    value and no person is named.
    """
    console = Console.of(ctx, json=json)
    import paravent as pv

    plan = options.to_plan(lambda: reading.names_released(source))
    found = pv.attack(
        reading.released(source, plan),
        plan,
        against=against,
        original=original,
        control=control,
        beside=tables_beside(source, plan),
        attacks=None if not only else _named(only),
        attempts=attempts,
        seed=dice,
    )
    for finding in found.values():
        console.heading(f"{finding.attack.heading}  ({finding.key})")
        console.say(f"  {finding.sentence}", f"  Stopped by: {finding.attack.stopped_by}.")
    if found.skipped:
        console.heading("Not tried")
        console.pairs({title: f"needs {lack}" for title, lack in found.skipped.items()})
    console.give(found.to_dict())


def _named(only: list[str]) -> list[Any]:
    from paravent import attacks

    known = {name: getattr(attacks, name) for name in attacks.__all__}
    tried = {name: one for name, one in known.items() if isinstance(one, type) and issubclass(one, attacks.Attack)}
    tried.pop("Attack")
    found = [read_call("--only", text, tried) for text in only]
    if any(isinstance(one, attacks.Target) for one in found):
        raise PlanError("--only: an attack on one person is for Python alone (pv.attacks.Target).")
    return found
