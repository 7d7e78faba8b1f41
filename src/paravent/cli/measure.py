"""paravent measure: what a release cost, beside its original."""

from __future__ import annotations

from typing import Annotated

import typer

from paravent.cli.groups import grouped
from paravent.cli.options import Json, Reading, Source
from paravent.cli.page import examples
from paravent.cli.voice import Voice
from paravent.cli.wishes import Wishes

EXAMPLES = examples("paravent measure data.csv release.csv --plan plan.toml")


@grouped
def measure(
    ctx: typer.Context,
    source: Source,
    release: Annotated[str, typer.Argument(metavar="RELEASE", help="The released table.", show_default=False)],
    wishes: Wishes,
    reading: Reading,
    json: Json = False,
) -> None:
    """Measure a release against its original: privacy reached, detail lost, risk before and after."""
    voice = Voice.of(ctx, json=json)
    import paravent as pv

    table = reading.open(source)
    measures = pv.measure(table, release, wishes.to_plan(lambda: table.names))
    voice.say(str(measures))
    voice.give(measures.to_dict())
