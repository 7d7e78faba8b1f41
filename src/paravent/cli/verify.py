"""paravent verify: does a released table hold what its plan promises?"""

from __future__ import annotations

import typer

from paravent.cli.door import DOES_NOT_HOLD
from paravent.cli.groups import grouped
from paravent.cli.options import Json, Reading, Source
from paravent.cli.page import examples
from paravent.cli.voice import Voice
from paravent.cli.wishes import Wishes

EXAMPLES = examples(
    "paravent verify release.csv --plan plan.toml",
    "paravent verify release.csv --quasi age,zip --sensitive disease --k 5 --l 3",
)


@grouped
def verify(ctx: typer.Context, source: Source, wishes: Wishes, reading: Reading, json: Json = False) -> None:
    """Check a released table, whoever made it. Exit code 0: it holds; 1: it does not.

    Cells are compared as text, exactly as they stand in the file: a suppressed cell is a value like any other.
    """
    voice = Voice.of(ctx, json=json)
    import paravent as pv

    plan = wishes.to_plan(lambda: reading.open(source).names)
    verdict = pv.verify(reading.released(source, plan), plan)
    voice.say(str(verdict))
    voice.give(verdict.to_dict())
    if not verdict.holds:
        raise typer.Exit(DOES_NOT_HOLD)
