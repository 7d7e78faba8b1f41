"""paravent bench: measured evaluations of every method, and the cube that holds them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paravent.cli.console import Console
from paravent.cli.options import Json
from paravent.cli.page import Page, examples, group

if TYPE_CHECKING:
    from paravent.knowledge import BuildProgress

app = group("Measure every method over a grid of tables and parameters, and keep what was found.")


@app.command(
    cls=Page,
    epilog=examples(
        "paravent bench cube --out cube.parquet",
        "paravent bench cube --out cube.parquet --only adult,dense --methods Datafly,Mondrian --within 600",
    ),
)
def cube(
    ctx: typer.Context,
    out: Annotated[Path, typer.Option(metavar="FILE", help="The Parquet file; its journal lies beside it.")],
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Real tables that do not ship: casc/, pima/, golden/. Those it lacks are left out."
        ),
    ] = None,
    jobs: Annotated[int, typer.Option(metavar="N", help="Processes that work side by side.")] = 2,
    limit: Annotated[float, typer.Option(metavar="SECONDS", help="A run that takes longer is stopped.")] = 60.0,
    within: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Begin no new work after these; go on another time.")
    ] = None,
    only: Annotated[str, typer.Option(metavar="NAMES", help="Some sources or tables alone, comma-separated.")] = "",
    methods: Annotated[str, typer.Option(metavar="NAMES", help="Some methods alone, comma-separated.")] = "",
    json: Json = False,
) -> None:
    """Run every method over a grid of tables and parameters, and store each result as an evaluation.

    A build that was stopped goes on where it stood. A run that fails is a result, too.
    """
    console = Console.of(ctx, json=json)
    from paravent.knowledge import build_cube

    def tell(at: BuildProgress) -> None:
        if not json:
            typer.echo(_line(at), err=True)

    found = build_cube(
        out, data=data, jobs=jobs, limit=limit, within=within, only=_names(only), methods=_names(methods), tell=tell
    )
    failed = dict(found.failures["status"].value_counts(sort=True).iter_rows())
    size = out.stat().st_size
    console.say(f"{out}: {len(found.values)} evaluations, {size / 1e6:.1f} MB")
    if failed:
        console.say("runs without a number: " + ", ".join(f"{count} {status}" for status, count in failed.items()))
    console.give({"cube": str(out), "evaluations": len(found.values), "without a number": failed, "bytes": size})


@app.command(
    cls=Page,
    epilog=examples("paravent bench turtle --out evaluations.ttl --method 'Datafly()' --metric utility.gcp"),
)
def turtle(
    ctx: typer.Context,
    out: Annotated[Path, typer.Option(metavar="FILE", help="The Turtle file.")],
    source: Annotated[
        Path | None, typer.Option("--cube", metavar="FILE", help="A cube of your own; else the one that ships.")
    ] = None,
    method: Annotated[str | None, typer.Option(metavar="NAME", help="Of one method alone.")] = None,
    metric: Annotated[str | None, typer.Option(metavar="NAME", help="Of one metric alone.")] = None,
    json: Json = False,
) -> None:
    """Write evaluations as individuals of the ontology."""
    console = Console.of(ctx, json=json)
    from paravent.knowledge import Cube

    count = Cube.load(source).save_turtle(out, method=method, metric=metric)
    console.say(f"{out}: {count} evaluations")
    console.give({"file": str(out), "evaluations": count})


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _line(at: BuildProgress) -> str:
    left = "" if at.left is None else f", {_span(at.left)} left"
    return f"{at.done} of {at.total} runs ({at.done / max(1, at.total):.0%}), {_span(at.seconds)}{left}: {at.at}"


def _span(seconds: float) -> str:
    """
    >>> _span(42), _span(300), _span(9000)
    ('42 s', '5 min', '2.5 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
