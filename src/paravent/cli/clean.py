"""paravent clean: drop what you name, and say what was dropped."""

from __future__ import annotations

from typing import Annotated

import typer

from paravent.cli.groups import grouped
from paravent.cli.options import Json, Reading, Source, check_targets
from paravent.cli.voice import Voice

EXAMPLES = "Example: paravent clean data.csv --empty-columns --missing-rows -o clean.csv"


@grouped
def clean(
    ctx: typer.Context,
    source: Source,
    reading: Reading,
    empty_columns: Annotated[
        bool, typer.Option("--empty-columns", help="Drop columns without a single value.")
    ] = False,
    missing_rows: Annotated[bool, typer.Option("--missing-rows", help="Drop rows with a missing value.")] = False,
    duplicates: Annotated[
        bool, typer.Option("--duplicates", help="Keep one of rows that are equal throughout.")
    ] = False,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="The cleaned table, in the format of its ending."),
    ] = None,
    json: Json = False,
) -> None:
    """Drop what you name, and nothing unasked; say what was dropped and why."""
    voice = Voice.of(ctx, json=json)
    check_targets(output, source=source)
    from paravent.table.clean import clean as clean_table
    from paravent.table.write import write

    table, cleaning = clean_table(
        reading.open(source), empty_columns=empty_columns, missing_rows=missing_rows, duplicates=duplicates
    )
    if output is not None:
        write(table.frame, output)
    voice.say(str(cleaning))
    voice.give({**cleaning.to_dict(), "files": {} if output is None else {"table": output}})
