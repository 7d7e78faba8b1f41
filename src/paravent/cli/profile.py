"""paravent profile: what is in a table, and what it gives away."""

from __future__ import annotations

import typer

from paravent.cli.console import Console
from paravent.cli.groups import grouped
from paravent.cli.options import Json, Reading, Source, Vocabularies
from paravent.cli.page import examples

EXAMPLES = examples("paravent profile patients.csv", "paravent profile clinic.xlsx --sheet Cases --json")


@grouped
def profile(
    ctx: typer.Context, source: Source, reading: Reading, vocabulary: Vocabularies = None, json: Json = False
) -> None:
    """Say what is in a table: kinds, missing values, who is singled out by what, and a proposed role for each column.

    Nothing is changed or written.
    """
    console = Console.of(ctx, json=json)
    import paravent as pv

    found = pv.profile(reading.open(source), vocabularies=vocabulary or ())
    console.say(str(found))
    console.give(found.to_dict())
