"""paravent measure: what a release cost, beside its original."""

from __future__ import annotations

from typing import Annotated

import typer

from paravent.cli.console import Console
from paravent.cli.groups import grouped
from paravent.cli.options import Json, Reading, Source
from paravent.cli.page import examples
from paravent.cli.plan_options import PlanOptions

EXAMPLES = examples(
    "paravent measure data.csv release.csv --plan plan.toml",
    "paravent measure data.csv release.csv --plan plan.toml --with learning,queries --target income",
)


@grouped
def measure(
    ctx: typer.Context,
    source: Source,
    release: Annotated[str, typer.Argument(metavar="RELEASE", help="The released table.", show_default=False)],
    options: PlanOptions,
    reading: Reading,
    more: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="FAMILIES",
            help="Measures that take longer: learning, queries. Comma-separated and repeatable.",
        ),
    ] = None,
    target: Annotated[
        str | None, typer.Option(metavar="NAME", help="The column that classifiers shall learn to predict.")
    ] = None,
    json: Json = False,
) -> None:
    """Measure a release against its original: privacy reached, detail lost, risk before and after."""
    console = Console.of(ctx, json=json)
    import paravent as pv

    table = reading.open(source)
    asked = [name.strip() for text in more or () for name in text.split(",") if name.strip()]
    study = {} if target is None else {"target": target}
    measures = pv.measure(table, release, options.to_plan(lambda: table.names), *asked, **study)
    console.say(str(measures))
    if measures.absent:
        console.heading("Not measured")
        console.say(measures.why_not())
    console.give({**measures.to_dict(), "absent": dict(measures.absent)})
