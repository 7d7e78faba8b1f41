"""paravent synthesize: rows of nobody, by differential privacy."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paravent.cli.calls import read_call
from paravent.cli.console import Console
from paravent.cli.groups import grouped
from paravent.cli.options import Json, Reading, Source, names, pair
from paravent.cli.page import examples
from paravent.cli.plan_options import known
from paravent.cli.summary import written
from paravent.cli.writing import Writing
from paravent.errors import PlanError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paravent import Plan

EXAMPLES = examples(
    "paravent synthesize data.csv --epsilon 1 --domain sex=f,m --domain age=17..90 --domain job=trees/job.csv -o s.csv",
    "paravent synthesize data.csv --plan plan.toml --budget data.ledger -o s.csv --transcript s.json",
)
_out = partial(typer.Option, rich_help_panel="What to write")
_option = partial(typer.Option, rich_help_panel="What is wanted (a plan file, or the options below)")


@grouped
def synthesize(
    ctx: typer.Context,
    source: Source,
    reading: Reading,
    writing: Writing,
    plan: Annotated[Path | None, _option("--plan", "-p", metavar="FILE", help="A plan (TOML).")] = None,
    epsilon: Annotated[float | None, _option(metavar="NUMBER", help="How much one person may change, at most.")] = None,
    delta: Annotated[float | None, _option(metavar="NUMBER", help="Far below 1 / the people (1e-6).")] = None,
    method: Annotated[
        str | None, _option(metavar="METHOD", help="AIM(), MST(), PrivBayes() or NaiveBayes(target='…') (AIM()).")
    ] = None,
    domain: Annotated[
        list[str] | None,
        _option(
            metavar="NAME=VALUES",
            help="What a column can hold: f,m or 17..90 or 0..99999/20 (in 20 cells) or a tree file. Repeatable.",
        ),
    ] = None,
    drop: Annotated[list[str] | None, _option(metavar="NAMES", help="Columns to leave out.")] = None,
    person: Annotated[str | None, _option(metavar="NAME", help="The column that says whose each row is.")] = None,
    rows: Annotated[int | None, _option(metavar="NUMBER", help="How many rows to draw (about as many).")] = None,
    seed: Annotated[int | None, _option(metavar="NUMBER", help="For drawing rows; noise has no seed.")] = None,
    budget: Annotated[
        Path | None, typer.Option(metavar="LEDGER", help="What is spent is written there first: `paravent budget`.")
    ] = None,
    transcript: Annotated[
        Path | None, _out(metavar="FILE", help="What was measured (JSON), by which the rows can be checked.")
    ] = None,
    json: Json = False,
) -> None:
    """Draw a synthetic table whose rows are nobody's, with differential privacy.

    What columns can hold is said here or in the plan, and never read from the data. What was spent is worked out again
    from the transcript, and the rows are drawn from it again, before anything is written.
    """
    console = Console.of(ctx, json=json)
    writing.check(transcript, source=source)
    import paravent as pv
    from paravent.table import together

    table = reading.open(source)
    writing.check_source(table)
    given = {"--epsilon": epsilon, "--delta": delta, "--method": method, "--domain": domain, "--drop": drop,
             "--person": person, "--rows": rows, "--seed": seed}  # fmt: skip
    if plan is not None:
        for option, value in given.items():
            if value not in (None, []):
                raise PlanError(f"{option} and --plan both say what is wanted. Put it into the plan, or leave one out.")
        wanted = pv.Plan.load(plan)
    else:
        wanted = _plan(table.names, epsilon, delta, method, domain or [], drop or [], person, rows, seed or 0)
    ledger = None if budget is None else pv.Budget(budget)
    with console.progress() as progress:
        release = pv.anonymize(table, wanted, progress=progress, budget=ledger)
    files: dict[str, str] = {}
    with together():
        if transcript is not None and release.transcript is not None:
            release.transcript.save(transcript)
            files["transcript"] = str(transcript)
        files |= writing.write(release.write)
    console.heading("What holds, by construction")
    console.pairs({check.demand: check.found for check in release.verdict.checks})
    for note in release.verdict.notes:
        console.say(note)
    written(console, files or {"nothing": "was written; name a file with -o"})
    console.give({"verdict": release.verdict.to_dict(), "rows": release.frame.height, "files": files})


def _plan(
    columns: Sequence[str],
    epsilon: float | None,
    delta: float | None,
    method: str | None,
    domains: Sequence[str],
    drop: Sequence[str],
    person: str | None,
    rows: int | None,
    seed: int,
) -> Plan:
    from dataclasses import replace

    import paravent as pv

    if epsilon is None:
        raise PlanError("nothing says how private the table shall be. Give --epsilon, such as --epsilon 1, or --plan.")
    made = read_call("--method", method or "AIM()", known("method"))
    if not made.draws_rows:
        raise PlanError(
            f"--method: {type(made).__name__} draws no synthetic rows. Take AIM, MST, PrivBayes or NaiveBayes."
        )
    told = dict(_domain(text, columns) for text in domains)
    made = replace(made, domains={**made.domains, **told}, rows=rows if rows is not None else made.rows)
    roles: dict[str, Any] = {name: pv.Insensitive() for name in columns}
    roles |= {name: pv.Drop() for name in names("--drop", drop, columns)}
    if person is not None:
        roles[names("--person", [person], columns)[0]] = pv.Identifier()
    promise = pv.DifferentialPrivacy(epsilon=epsilon, delta=1e-6 if delta is None else delta)
    return pv.Plan(roles, [promise], made, person=person, seed=seed)


def _domain(text: str, columns: Sequence[str]) -> tuple[str, Any]:
    """`sex=f,m`, `age=17..90`, `pay=0..99999/20`, `job=trees/job.csv`."""
    name, told = pair("--domain", text, columns)
    if Path(told).suffix.lower() in (".csv", ".tsv", ".toml", ".json"):
        return name, told
    if ".." not in told:
        return name, [value.strip() for value in told.split(",")]
    bounds, _, bins = told.partition("/")
    low, _, high = bounds.partition("..")
    return name, {"from": low, "to": high, **({"bins": bins} if bins else {})}
