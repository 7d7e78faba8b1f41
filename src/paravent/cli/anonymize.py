"""paravent anonymize: a table goes in, a proven release comes out."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from paravent.cli.cluster import Cluster, ledger_for
from paravent.cli.console import Console
from paravent.cli.groups import grouped
from paravent.cli.options import Json, Reading, Source
from paravent.cli.page import examples
from paravent.cli.part_by_part import part_by_part
from paravent.cli.plan_options import PlanOptions
from paravent.cli.summary import document, tell, warn, written
from paravent.cli.writing import Writing
from paravent.errors import PlanError

EXAMPLES = examples(
    "paravent anonymize data.csv --plan plan.toml -o release.csv --report report.html",
    "paravent anonymize data.csv --quasi age,zip --sensitive disease --k 5 -o release.parquet",
    "paravent anonymize data.csv -q age -q zip --tree 'age=intervals(5, 10, 20)' -s disease -k 5 -l 3 -o release.csv",
    "paravent anonymize lake/patients/ --engine spark --master spark://head:7077 --plan plan.toml -o lake/released/",
    "paravent anonymize lake/ --plan plan.toml --memory 2GiB -o release.parquet",
    "paravent anonymize postgresql://user@host/db --table patients --plan plan.toml -o release.csv",
)
_out = partial(typer.Option, rich_help_panel="What to write")


@grouped
def anonymize(
    ctx: typer.Context,
    source: Source,
    options: PlanOptions,
    reading: Reading,
    writing: Writing,
    cluster: Cluster,
    report: Annotated[Path | None, _out(metavar="FILE", help="The report, one HTML page.")] = None,
    save_plan: Annotated[Path | None, _out(metavar="FILE", help="The plan, to run it again.")] = None,
    save_persons: Annotated[
        Path | None,
        _out(metavar="FILE", help="Whose each released row is, by numbers, for `verify --persons`. Keep it apart."),
    ] = None,
    memory: Annotated[
        str | None,
        _out(
            metavar="SIZE",
            help="Hold no more than this at a time, such as 2GiB: Parquet files larger than memory, part by part.",
        ),
    ] = None,
    budget: Annotated[
        Path | None,
        typer.Option(metavar="LEDGER", help="What SafePub spends is written there first: `paravent budget`."),
    ] = None,
    json: Json = False,
) -> None:
    """Anonymize a table and check the result before it leaves.

    The classes are derived again from the finished table by code that is independent of the algorithm. If what you
    asked for does not hold, nothing is written and the exit code is 1. Without -o it is a rehearsal.
    """
    console = Console.of(ctx, json=json)
    if memory is not None and cluster.engine is not None:
        raise PlanError("--memory is for this machine, --engine for others. Leave one out.")
    if cluster.check(report=report, save_persons=save_persons, force=writing.force, output_table=writing.output_table):
        cluster.run(console, source, options, reading, writing.output, save_plan, budget)
        return
    writing.check(report, save_plan, save_persons, source=source, folder=True)
    if memory is not None:
        refused = {"--report": report, "--save-persons": save_persons, "--budget": budget}
        part_by_part(console, source, options, writing, memory, refused)
        return
    import polars as pl

    import paravent as pv
    from paravent.table import packed_table, together

    table = packed_table(reading.open(source))
    writing.check_source(table)
    plan = options.to_plan(lambda: table.names)
    writing.check_folder(several=plan.method.derivation is not None or bool(plan.treat))
    if save_persons is not None and not isinstance(plan.person, str):
        raise PlanError("--save-persons: the plan counts rows, not people. Say whose each row is with --person.")
    ledger = ledger_for(plan, budget)
    with console.progress() as progress:
        release = pv.anonymize(table, plan, progress=progress, budget=ledger)
        measures = release.measure() if json or report is not None else release.summary()
        if release.subject.astray:  # rows that look alike tell nothing: links are tried
            measures = release.measure("relinking")
    writing.check_folder(several=len(release.tables) > 1)
    others = writing.further(release.tables)
    files: dict[str, str] = {}
    with together():  # all of it or nothing
        if save_plan is not None:
            plan.save(save_plan)
            files["plan"] = str(save_plan)
        if report is not None:
            release.report(report)
            files["report"] = str(report)
        if save_persons is not None and release.persons is not None:
            pv.write(pl.DataFrame({"person": release.persons}), save_persons)
            files["persons"] = str(save_persons)
        files |= writing.write(release.write) | others
    tell(console, release, measures)
    written(console, files or {"nothing": "was written; name a file with -o"})
    warn(console, release)
    console.give(document(release, measures, files))
