"""paravent demo: the whole way once, on a real table."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paravent.cli.options import Json
from paravent.cli.page import examples
from paravent.cli.summary import counted, document, tell, written
from paravent.cli.voice import Voice
from paravent.errors import TableError

if TYPE_CHECKING:
    from paravent import Plan

EXAMPLES = examples("paravent demo --out somewhere --k 10")


def demo(
    ctx: typer.Context,
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where to put what it makes.")] = Path("paravent-demo"),
    k: Annotated[int, typer.Option("--k", "-k", metavar="NUMBER", help="Everybody hides among at least k rows.")] = 5,
    json: Json = False,
) -> None:
    """Anonymize the bundled census table end to end, and show what that gives.

    30 162 people, nine columns that could single them out, a tree for each. The folder then holds the table, its trees,
    the plan, the release and the report: a good place to try the other commands.
    """
    voice = Voice.of(ctx, json=json)
    import paravent as pv
    from paravent import data

    if out.exists() and not out.is_dir():
        raise TableError(f"{out} is a file. Name a folder with --out.")
    table = data.adult()
    plan = _plan(k, out)
    voice.say(f"UCI Adult, {counted(len(table), 'row')} of the 1994 census of the USA, to be published.")
    out.joinpath("trees").mkdir(parents=True, exist_ok=True)
    for column in data.ADULT_TREES:
        shutil.copyfile(data.adult_tree_path(column), out / "trees" / f"{column}.csv")
    with voice.progress() as progress:
        release = pv.anonymize(table, plan, progress=progress)
        measures = release.measure()
    made = {
        "table": "adult.csv",
        "trees": "trees",
        "plan": "plan.toml",
        "report": "report.html",
        "release": "release.csv",
    }
    files = {name: str(out / file) for name, file in made.items()}
    pv.write(table.frame, files["table"])
    plan.save(files["plan"])
    release.report(files["report"])
    release.write(files["release"])
    tell(voice, release, measures)
    written(voice, files)
    voice.heading("Try next")
    voice.say(
        f"  paravent verify {files['release']} --plan {files['plan']}",
        f"  paravent profile {files['table']}",
        f"  paravent tree show {out / 'trees' / 'education.csv'}",
    )
    voice.give(document(release, measures, files))


def _plan(k: int, out: Path) -> Plan:
    """Nine columns are generalized. Three more would undo that and are dropped: `education-num` and `relationship`
    repeat what `education`, `sex` and `marital-status` say, and `fnlwgt` is all but unique."""
    import paravent as pv
    from paravent.data import ADULT_TREES

    return pv.Plan(
        columns={
            **{column: pv.Quasi(f"trees/{column}.csv") for column in ADULT_TREES},
            **{column: pv.Identifier() for column in ("fnlwgt", "education-num", "relationship")},
            **{column: pv.Sensitive() for column in ("capital-gain", "capital-loss")},
        },
        protect=[pv.KAnonymity(k)],
        method=pv.methods.Mondrian(),
        folder=out.resolve(),
    )
