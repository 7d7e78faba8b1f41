"""The options of a run on a cluster, and the run: what a person is told is what one machine would tell."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paravent.cli.console import Console
from paravent.cli.options import Reading
from paravent.cli.plan_options import PlanOptions
from paravent.cli.summary import costs, counted, written
from paravent.errors import PlanError, TableError
from paravent.near import suggest

if TYPE_CHECKING:
    from paravent import Budget, Plan, SparkRelease
    from paravent.measures import Measures

_option = partial(typer.Option, rich_help_panel="A table that outgrows one machine")
_READS = ("delimiter", "table")


@dataclass(frozen=True)
class Cluster:
    """Where the work is done, if not here."""

    engine: Annotated[
        str | None, _option(metavar="spark", help="Run on a Spark cluster: TABLE is a folder of Parquet or CSV files.")
    ] = None
    master: Annotated[
        str | None, _option(metavar="URL", help="The cluster, spark://HOST:PORT (this machine: local[*]).")
    ] = None
    staging: Annotated[
        str | None, _option(metavar="FOLDER", help="Where the release waits for its verification (beside the output).")
    ] = None
    block: Annotated[
        int | None, _option(metavar="ROWS", help="About how many rows one process works on (by the method).")
    ] = None
    values: Annotated[
        int | None, _option(metavar="N", help="At most so many distinct values a column on the driver (2 million).")
    ] = None
    tuples: Annotated[
        int | None, _option(metavar="N", help="At most so many distinct rows on the driver (20 million).")
    ] = None
    dry_run: Annotated[bool, _option("--dry-run", help="Tell the steps, Spark's plan and an estimate; do nothing.")] = (
        False
    )

    def check(self, **others: object) -> bool:
        """Whether the work is done on a cluster. Options that mean nothing there, or here, are refused."""
        if self.engine is None:
            for field in fields(self):
                if getattr(self, field.name):
                    option = field.name.replace("_", "-")
                    raise TableError(f"--{option} is about a cluster. Say --engine spark too, or leave it out.")
            return False
        if self.engine != "spark":
            raise TableError(f"--engine: there is no engine {self.engine!r}. {suggest(self.engine, ['spark'])}")
        for name, given in others.items():
            if given not in (None, False, [], ()):
                option = name.replace("_", "-")
                raise TableError(f"--{option} is not for a release on a cluster. Leave it out.")
        return True

    def run(
        self,
        console: Console,
        source: str,
        options: PlanOptions,
        reading: Reading,
        output: str | None,
        save_plan: Path | None,
        budget: Path | None,
    ) -> None:
        """Anonymize on the cluster and write the release, or tell what would be done."""
        from paravent.engine import Spark, anonymize_on_spark, estimate, open_source, session

        for field in fields(reading):
            if getattr(reading, field.name) not in (field.default, []) and field.name not in _READS:
                option = field.name.replace("_", "-")
                raise TableError(f"--{option} means nothing on a cluster. Leave it out.")
        limits = {"values": self.values, "tuples": self.tuples}
        given: dict[str, Any] = {name: limit for name, limit in limits.items() if limit is not None}
        engine = Spark(master=self.master, staging=self.staging, block=self.block, **given)
        spark = session(engine)
        place = source if reading.table is None else f"table:{reading.table}"
        opened = open_source(spark, place, delimiter=reading.delimiter)
        plan = options.to_plan(lambda: opened.frame.columns)
        if self.dry_run:
            found = estimate(spark, opened, plan, engine)
            console.heading("What would be done")
            console.say(str(found))
            console.give(found.to_dict())
            return
        ledger = ledger_for(plan, budget)
        with console.progress() as progress:
            release = anonymize_on_spark(opened, plan, engine, progress=progress, target=output, budget=ledger)
            measures = release.measure()
        files: dict[str, str] = {}
        if output is not None:
            release.write(output)
            files["release"] = output
        if save_plan is not None:
            plan.save(save_plan)
            files["plan"] = str(save_plan)
        _tell(console, release, measures)
        written(console, files or {"nothing": "was written; name a folder with -o"})
        console.give(_document(release, measures, files))
        release.close()


def ledger_for(plan: Plan, path: Path | None) -> Budget | None:
    """The ledger that a method writes to before it draws. One that nothing would be written to is refused."""
    if path is None:
        return None
    if not plan.method.is_mechanism():
        raise PlanError(
            f"--budget: {type(plan.method).__name__} spends no budget of differential privacy. Leave it out, or take "
            "SafePub."
        )

    import paravent as pv

    return pv.Budget(path)


def _tell(console: Console, release: SparkRelease, measures: Measures) -> None:
    rows, quasi = release.provenance["input"]["rows"], list(release.plan.quasi)
    console.heading("What was done")
    console.pairs(
        {
            "table": f"{counted(rows, 'row')}, {counted(len(quasi), 'quasi-identifier')}: {', '.join(quasi)}",
            "asked for": ", ".join(promise.describe() for promise in release.plan.protect) or "no promise",
            "method": repr(release.plan.method),
            **({"treated": " ".join(release.treated)} if release.treated else {}),
            "how": " ".join(release.trace[len(release.treated) :][:1]),
            "time": f"{sum(release.timings.values()):.1f} s to anonymize and verify on Spark",
        }
    )
    for known, checks in release.verdict.by_knowledge.items():
        console.heading(f"What holds, {known}")
        console.pairs({check.demand: check.found for check in checks})
    for note in release.verdict.notes:
        console.say(note)
    console.heading("What it cost")
    console.pairs(costs(measures))
    console.heading("The risk of being found")
    shown = ("prosecutor.max", "prosecutor.average", "uniques")
    console.pairs({measures.about(f"risk.{n}").title.lower(): measures.about(f"risk.{n}").text for n in shown})


def _document(release: SparkRelease, measures: Measures, files: dict[str, str]) -> dict[str, Any]:
    return {
        "holds": release.verdict.holds,
        "guarantees": release.verdict.guarantees,
        "rows": {"original": release.provenance["input"]["rows"], "released": release.verdict.rows},
        "measures": measures.to_dict(),
        "files": files,
        "timings": dict(release.timings),
        "provenance": release.provenance,
    }
