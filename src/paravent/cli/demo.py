"""paravent demo: the whole way once, on a real table."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paravent.cli.console import Console
from paravent.cli.options import Json
from paravent.cli.page import examples
from paravent.cli.summary import counted, document, tell, warn, written
from paravent.cli.targets import Force, refuse_existing_files
from paravent.errors import TableError

if TYPE_CHECKING:
    from paravent import Plan

EXAMPLES = examples("paravent demo --out somewhere --k 10")


def demo(
    ctx: typer.Context,
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where to put what it makes.")] = Path("paravent-demo"),
    k: Annotated[int, typer.Option("--k", "-k", metavar="NUMBER", help="Everybody hides among at least k rows.")] = 5,
    force: Force = False,
    json: Json = False,
) -> None:
    """Anonymize the bundled census table end to end, and show what that gives.

    30 162 people, nine columns that could single them out, a tree for each. The folder then holds the table, its trees,
    the plan, the release and the report: a good place to try the other commands.
    """
    console = Console.of(ctx, json=json)
    import paravent as pv
    from paravent import data

    if out.exists() and not out.is_dir():
        raise TableError(f"{out} is a file. Name a folder with --out.")
    plan = _plan(k, out)
    if not force:
        _refuse_changed(out, plan)
    console.say(f"Writing the bundled table, its trees and a plan to {out}")
    out.joinpath("trees").mkdir(parents=True, exist_ok=True)
    for column in data.ADULT_TREES:
        shutil.copyfile(data.adult_tree_path(column), out / "trees" / f"{column}.csv")
    files = {"table": out / "adult.csv", "trees": out / "trees", "plan": out / "plan.toml"}
    files |= {"report": out / "report.html", "release": out / "release.csv"}
    pv.write(data.adult().frame, files["table"])
    plan.save(files["plan"])
    table = pv.read(files["table"])
    console.say(f"UCI Adult: {counted(len(table), 'row')} of the 1994 census of the USA.")
    console.say("Anonymizing it and verifying the result")
    with console.progress() as progress:
        release = pv.anonymize(table, plan, progress=progress)
    console.say("Measuring what that cost, and drawing the report")
    measures = release.measure()
    release.report(files["report"])
    release.write(files["release"])
    places = {name: str(path) for name, path in files.items()}
    tell(console, release, measures)
    written(console, places)
    warn(console, release)
    console.heading("Try next")
    console.say(
        f"  paravent verify {places['release']} --plan {places['plan']}",
        f"  paravent profile {places['table']}",
        f"  paravent tree show {files['trees'] / 'education.csv'}",
    )
    console.give(document(release, measures, places))


def _refuse_changed(out: Path, plan: Plan) -> None:
    """What an earlier demo left is made again; what somebody has put or changed there is not lost."""
    from paravent import data
    from paravent.plan import dumps, relocated

    own = {out / "trees" / f"{column}.csv": data.adult_tree_path(column).read_bytes() for column in data.ADULT_TREES}
    own[out / "plan.toml"] = dumps(relocated(plan, out.resolve())).encode()
    for path, content in own.items():
        if path.exists() and path.read_bytes() != content:
            raise TableError(f"{path} is there already and is not what this demo makes. Pass --out or --force.")
    if not (out / "plan.toml").exists():
        refuse_existing_files((out / name for name in ("adult.csv", "report.html", "release.csv")), force=False)


def _plan(k: int, out: Path) -> Plan:
    """Nine columns are generalized. Five more would undo that and are dropped: `education-num` and `relationship`
    repeat what `education`, `sex` and `marital-status` say, `fnlwgt` is all but unique, and gains and losses to the
    dollar are known to others. Without 2-diversity the hours of some would be given away by their class."""
    import paravent as pv
    from paravent.data import ADULT_TREES

    telling = ("fnlwgt", "education-num", "relationship", "capital-gain", "capital-loss")
    return pv.Plan(
        columns={
            **{column: pv.Quasi(f"trees/{column}.csv") for column in ADULT_TREES},
            **{column: pv.Drop() for column in telling},
            "hours-per-week": pv.Sensitive(),
        },
        protect=[pv.KAnonymity(k), pv.LDiversity(2, "hours-per-week")],
        method=pv.methods.Mondrian(),
        folder=out.resolve(),
    )
