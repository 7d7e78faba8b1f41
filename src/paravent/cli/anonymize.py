"""paravent anonymize: a table goes in, a proven release comes out."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from paravent.cli.groups import grouped
from paravent.cli.options import Json, Reading, Source
from paravent.cli.page import examples
from paravent.cli.summary import document, tell, warn, written
from paravent.cli.voice import Voice
from paravent.cli.wishes import Wishes
from paravent.cli.writing import Writing

EXAMPLES = examples(
    "paravent anonymize data.csv --plan plan.toml -o release.csv --report report.html",
    "paravent anonymize data.csv --quasi age,zip --sensitive disease --k 5 -o release.parquet",
    "paravent anonymize data.csv -q age -q zip --tree 'age=intervals(5, 10, 20)' -s disease -k 5 -l 3 -o release.csv",
    "paravent anonymize postgresql://user@host/db --table patients --plan plan.toml -o release.csv",
)
_out = partial(typer.Option, rich_help_panel="What to write")


@grouped
def anonymize(
    ctx: typer.Context,
    source: Source,
    wishes: Wishes,
    reading: Reading,
    writing: Writing,
    report: Annotated[Path | None, _out(metavar="FILE", help="The report, one HTML page.")] = None,
    save_plan: Annotated[Path | None, _out(metavar="FILE", help="The plan, to run it again.")] = None,
    json: Json = False,
) -> None:
    """Anonymize a table and check the result before it leaves.

    The classes are derived again from the finished table by code that knows nothing of the algorithm. If what you
    asked for does not hold, nothing is written and the exit code is 1. Without -o it is a rehearsal.
    """
    voice = Voice.of(ctx, json=json)
    writing.check(report, save_plan, source=source)
    import paravent as pv
    from paravent.table.atomic import together

    table = reading.open(source)
    writing.check_source(table)
    plan = wishes.to_plan(lambda: table.names)
    with voice.progress() as progress:
        release = pv.anonymize(table, plan, progress=progress)
        measures = release.measure() if json or report is not None else release.summary()
    files: dict[str, str] = {}
    with together():  # all of it or nothing
        if save_plan is not None:
            plan.save(save_plan)
            files["plan"] = str(save_plan)
        if report is not None:
            release.report(report)
            files["report"] = str(report)
        files |= writing.write(release.write)
    tell(voice, release, measures)
    written(voice, files or {"nothing": "was written; name a file with -o"})
    warn(voice, release)
    voice.give(document(release, measures, files))
