"""paravent anonymize --memory: a table that is not held as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from paravent.cli.console import Console
from paravent.cli.plan_options import PlanOptions
from paravent.cli.summary import counted, written
from paravent.cli.writing import Writing
from paravent.errors import PlanError


def part_by_part(
    console: Console, source: str, options: PlanOptions, writing: Writing, memory: str, others: Mapping[str, Any]
) -> None:
    """Anonymize Parquet files part by part, and tell what holds."""
    said = [option for option, value in others.items() if value is not None]
    if said:
        raise PlanError(f"{said[0]} needs the whole table. Leave it out, or --memory.")
    if writing.output is None:
        raise PlanError("--memory: name the file to write, with -o release.parquet.")
    if options.plan is None:
        raise PlanError("--memory: say what is wanted in a plan file, with --plan. `paravent plan draft` begins one.")
    import paravent as pv

    plan = options.to_plan(lambda: ())
    with console.progress() as progress:
        found = pv.anonymize_file(source, writing.output, plan, memory=memory, progress=progress)
    verdict = found.verdict
    console.heading("What was done")
    console.pairs(
        {
            "table": f"{counted(found.provenance['input']['rows'], 'row')}, part by part in {memory}",
            "method": repr(plan.method),
            "time": f"{sum(found.timings.values()):.2f} s to anonymize and verify",
        }
    )
    for known, checks in verdict.by_knowledge.items():
        console.heading(f"What holds, {known}")
        console.pairs({check.demand: check.found for check in checks})
    console.heading("What it cost")
    console.pairs({"rows suppressed": str(verdict.suppressed), "classes": str(len(verdict.classes))})
    written(console, {"release": str(found.path)})
    console.give({"files": {"release": str(found.path)}, "provenance": found.provenance, "verdict": verdict.to_dict()})
