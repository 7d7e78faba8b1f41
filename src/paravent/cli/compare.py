"""paravent compare: several plans or releases side by side, at equal protection."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paravent.cli.console import Console
from paravent.cli.door import DOES_NOT_HOLD, STOPPED, WRONG_INPUT
from paravent.cli.groups import grouped
from paravent.cli.options import Json, Reading, Source
from paravent.cli.page import examples
from paravent.cli.plan_options import PlanOptions
from paravent.cli.summary import written
from paravent.cli.targets import Force, check_targets
from paravent.errors import PlanError, TableError

if TYPE_CHECKING:
    from paravent import Comparison, Table

EXAMPLES = examples(
    "paravent compare data.csv careful.toml fast.toml --report comparison.html",
    "paravent compare data.csv plan.toml other.toml=their-release.csv",
    "paravent compare data.csv --plan plan.toml --sweep k=2,5,10,25 --sweep suppression=0..0.1:0.02",
    "paravent compare data.csv a.toml b.toml --sweep k=2..64:*2 --results results.json --report curves.html",
)
_out = partial(typer.Option, rich_help_panel="What to write")
_how = partial(typer.Option, rich_help_panel="What to compare by")
_IN_VAIN = {"InfeasibleError", "UnsafeReleaseError"}


@grouped
def compare(
    ctx: typer.Context,
    source: Source,
    options: PlanOptions,
    reading: Reading,
    plans: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PLAN[=RELEASE]",
            help="Plan files; with =RELEASE the table that was released by one.",
            show_default=False,
        ),
    ] = None,
    sweep: Annotated[
        list[str] | None,
        _how(
            metavar="NAME=VALUES",
            help="Vary a parameter: k=2,5,10 or suppression=0..0.1:0.02 or method.labels=tree,set. Repeatable.",
        ),
    ] = None,
    one_at_a_time: Annotated[
        bool, _how("--one-at-a-time", help="Vary each parameter alone instead of all combinations.")
    ] = False,
    by: Annotated[str, _how(metavar="MEASURE", help="Rank by this.")] = "utility.gcp",
    risk: Annotated[str, _how(metavar="MEASURE", help="The risk of the R-U map.")] = "risk.prosecutor.average",
    utility: Annotated[str, _how(metavar="MEASURE", help="The utility of the R-U map.")] = "utility.gcp",
    measure: Annotated[
        list[str] | None,
        _how(metavar="FAMILY", help="Measures that take time and only run when asked for. Repeatable."),
    ] = None,
    control: Annotated[
        str | None,
        _how(metavar="TABLE", help="People who are not in the table, for figures of attacks.", show_default=False),
    ] = None,
    report: Annotated[Path | None, _out(metavar="FILE", help="The comparison as one HTML page.")] = None,
    map: Annotated[Path | None, _out("--map", metavar="FILE", help="The R-U map (SVG).")] = None,
    results: Annotated[
        Path | None,
        _out(metavar="FILE", help="Keep what is finished here (JSON), and take it up again from here."),
    ] = None,
    releases: Annotated[Path | None, _out(metavar="FOLDER", help="The released tables, one file each.")] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Compare plans or finished releases of one table: privacy, risk and utility at equal protection.

    Every release is checked against the demands of all plans. Only candidates that satisfy the same demands are ranked
    against each other; what misses a demand is said in words. A plan that fails is listed with the reason, and the
    others go on. Exit code 1: at least one candidate failed, or does not hold what its plan promises. Ctrl-C keeps what
    was finished.
    """
    console = Console.of(ctx, json=json)
    check_targets(report, map, source=source, force=force)
    check_targets(report, map, results, source=source, force=True)  # results that are there are taken up again
    if releases is not None and releases.exists() and not releases.is_dir():
        raise TableError(f"--releases: {releases} is a file. Name a folder.")
    import paravent as pv
    from paravent.cli.sweeps import read_sweeps

    swept = read_sweeps(sweep or ())
    if one_at_a_time and not swept:
        raise PlanError("--one-at-a-time is about sweeps. Name what shall vary with --sweep.")
    table = reading.open(source)
    candidates = _candidates(plans or [], options, table)
    study: dict[str, Any] = {"by": by, "risk": risk, "utility": utility, "measures": tuple(measure or ())}
    if control is not None:
        study["control"] = reading.open(control)
    with console.progress() as progress:
        study |= {"results": results, "releases": releases, "overwrite": force, "progress": progress}
        if swept:
            found = pv.sweep(table, candidates, swept, one_at_a_time=one_at_a_time, **study)
        else:
            found = pv.compare(table, candidates, **study)
    files = _write(found, report=report, map=map, results=results, releases=releases)
    console.say(str(found))
    if files:
        written(console, files)
    console.give({**found.to_document(), "files": files})
    code = _exit_code(found)
    if code:
        raise typer.Exit(code)


def _candidates(plans: Sequence[str], options: PlanOptions, table: Table) -> Any:
    """What the arguments and options name: plan files, pairs with a release, and the plan of the options."""
    found: list[Any] = [_pair(text) for text in plans]
    if options.given or not found:
        alone = options.given == ["--plan"]
        found.insert(0, options.plan if alone else options.to_plan(lambda: table.names))
    return found


def _pair(text: str) -> Any:
    """`plan.toml`, or `plan.toml=release.csv`; a file whose name holds an equals sign is a file."""
    if "=" not in text or Path(text).exists():
        return text
    plan, _, released = text.partition("=")
    return plan, released


def _write(
    found: Comparison, *, report: Path | None, map: Path | None, results: Path | None, releases: Path | None
) -> dict[str, str]:
    files: dict[str, str] = {}
    if map is not None and found.done:
        found.map(map)
        files["map"] = str(map)
    if report is not None:
        found.report(report)
        files["report"] = str(report)
    if results is not None:
        files["results"] = str(results)
    if releases is not None and any(entry.file for entry in found.entries):
        files["releases"] = str(releases)
    return files


def _exit_code(found: Comparison) -> int:
    """0 where every candidate has a release that holds; 2 where there is none because the input is wrong."""
    if found.stopped:
        return STOPPED
    if not found.done and any(entry.failure and entry.failure.kind not in _IN_VAIN for entry in found.failed):
        return WRONG_INPUT
    return DOES_NOT_HOLD if found.failed or any(entry.promise for entry in found.done) else 0
