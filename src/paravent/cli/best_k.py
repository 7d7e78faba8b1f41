"""paravent best-k: which k comes with a demand of diversity or closeness."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from paravent.cli.console import Console
from paravent.cli.groups import grouped
from paravent.cli.options import Json, Reading, Source
from paravent.cli.page import examples
from paravent.cli.plan_options import PlanOptions
from paravent.cli.summary import written
from paravent.cli.writing import Writing
from paravent.errors import PlanError

EXAMPLES = examples(
    "paravent best-k data.csv --plan plan.toml -o release.csv",
    "paravent best-k data.csv --quasi age,zip --sensitive disease -l 3",
    "paravent best-k data.csv -q age,zip -s disease --protect \"TCloseness(0.2, 'disease')\" --ks 1,2,4,8",
)
_out = partial(typer.Option, rich_help_panel="What to write")
_how = partial(typer.Option, rich_help_panel="What to try")


@grouped
def best_k(
    ctx: typer.Context,
    source: Source,
    options: PlanOptions,
    reading: Reading,
    writing: Writing,
    ks: Annotated[
        str | None, _how("--ks", metavar="NUMBERS", help="The k to begin with, comma-separated; 1 asks for none.")
    ] = None,
    by: Annotated[str, _how(metavar="MEASURE", help="What the best one has least of.")] = "utility.alteration.nllm",
    save_plan: Annotated[Path | None, _out(metavar="FILE", help="The plan of the best one, to run it again.")] = None,
    json: Json = False,
) -> None:
    """Find the k that comes with a demand of diversity or closeness.

    The demand is met by merging (GAA), begun with several k and two strategies; of the verified tables the one that
    loses least is the best, and its k is the size of its smallest class.
    """
    console = Console.of(ctx, json=json)
    writing.check(save_plan, source=source)
    import paravent as pv
    from paravent.table import together

    table = reading.open(source)
    writing.check_source(table)
    plan = options.to_plan(lambda: table.names)
    asked: dict[str, Any] = {"ks": _numbers(ks)} if ks else {}
    with console.progress() as progress:
        found = pv.best_k(table, plan, by=by, progress=progress, **asked)
    console.heading(f"k = {found.k}")
    head = ["", "asked k", "strategy", "k", by]
    rows = [head, *found.rows()]
    widths = [max(len(row[j]) for row in rows) for j in range(len(head))]
    for row in rows:
        console.say("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    console.say("", *(f"  {check}" for check in found.release.verdict.checks))
    files: dict[str, str] = {}
    with together():
        if save_plan is not None:
            found.release.plan.save(save_plan)
            files["plan"] = str(save_plan)
        files |= writing.write(found.release.write)
    written(console, files or {"nothing": "was written; name a file with -o"})
    trials = [{**vars(trial), "best": trial is found.best} for trial in found.trials]
    console.give({"k": found.k, "by": found.by, "loss": found.best.loss, "trials": trials, "files": files})


def _numbers(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise PlanError(f"--ks: {text!r} must be whole numbers with commas between them, such as 1,2,5.") from None
