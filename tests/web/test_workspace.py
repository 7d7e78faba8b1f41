"""Projects on disk: saved at once, undone, joined with what others change, and gone when they are deleted."""

from __future__ import annotations

import io
import json
import random
import subprocess
import sys
import weakref
import zipfile
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

import paravent as pv
from paravent.errors import PlanError, TableError
from paravent.web.workspace import CleaningStep, Conflict, Project, Quota, Workspace
from paravent.web.workspace.files import Missing, NotAllowed, TooLarge
from paravent.web.workspace.zips import refuse_bomb

AGES = b"age,job\n" + b"".join(b"%d,%s\n" % (20 + i, (b"clerk", b"nurse")[i % 2]) for i in range(40))
PLAN = {
    "columns": {"age": {"role": "quasi"}, "job": {"role": "quasi"}},
    "protect": [{"model": "KAnonymity", "k": 3}],
}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "work")


@pytest.fixture
def project(workspace: Workspace) -> Project:
    made = workspace.create("Ages")
    made.add_file("ages.csv", io.BytesIO(AGES))
    return made


def again(project: Project) -> Project:
    """The project as another process finds it on disk."""
    return Project(project.folder)


def test_everything_is_there_after_a_restart(project: Project) -> None:
    project.change("Set the plan", plan=PLAN)
    project.change("Chose French", language="fr")
    project.undo()
    found = again(project)
    assert found.document == project.document
    assert found.version == project.version == 4
    assert [each.what for each in found.history] == ["Uploaded ages.csv", "Set the plan"]
    assert [each.what for each in found.undone] == ["Chose French"]
    assert found.redo().language == "fr"
    assert found.table().frame.equals(project.table().frame)
    assert found.plan() == project.plan()


def test_undo_goes_all_the_way_back_and_forth(project: Project) -> None:
    states = [project.document]
    for at in range(30):
        states.append(project.change(f"step {at}", context={"risk": (at + 1) / 100}))
    for state in reversed(states[:-1]):
        assert project.undo() == state
    assert project.undo().source is None
    assert project.undo() == project.document
    project.redo()
    for state in states[1:]:
        assert project.redo() == state
    project.undo()
    project.change("Something else", language="fr")
    assert project.undone == []


def test_a_change_that_changes_nothing_is_no_step(project: Project) -> None:
    version = project.version
    project.change("The same", language="en")
    assert (project.version, len(project.history)) == (version, 1)


def test_two_tabs_lose_nothing(project: Project) -> None:
    """Both read the same version; each change of another entry is joined, of the same entry it is asked about."""
    project.change("Set the plan", plan=PLAN)
    seen = project.version
    one = {**PLAN, "columns": {**PLAN["columns"], "age": {"role": "insensitive"}}}
    other = {**PLAN, "columns": {**PLAN["columns"], "job": {"role": "sensitive"}}, "suppression": 0.1}
    project.change("Tab one", expect=seen, plan=one)
    project.change("Tab two", expect=seen, plan=other, language="fr")
    assert project.document.plan == {
        "columns": {"age": {"role": "insensitive"}, "job": {"role": "sensitive"}},
        "protect": PLAN["protect"],
        "suppression": 0.1,
    }
    assert project.document.language == "fr"
    with pytest.raises(Conflict, match=r"plan.columns.age.role was changed elsewhere meanwhile"):
        project.change("Tab three", expect=seen, plan={**PLAN, "columns": {**PLAN["columns"], "age": {"role": "drop"}}})
    assert project.document.plan["columns"]["age"] == {"role": "insensitive"}
    assert project.undo().plan == one  # Tab two is one step


def test_two_tabs_in_any_order_end_alike(workspace: Workspace) -> None:
    """Changes of different entries, made from any earlier version, are all there at the end."""
    draw = random.Random(19)
    for _ in range(20):
        project = workspace.create("Two tabs")
        versions, wanted = [0], {}
        for step in range(12):
            seen = draw.choice(versions)
            name = f"c{step}"
            wanted[name] = {"role": draw.choice(["quasi", "drop"])}
            base = project._history.at(seen, project.version, project.document.model_dump(mode="json"))
            assert base is not None
            columns = base["plan"].get("columns", {})
            project.change(name, expect=seen, plan={"columns": {**columns, name: wanted[name]}})
            versions.append(project.version)
        assert project.document.plan == {"columns": wanted}


def test_a_tab_from_before_a_restart_is_asked(project: Project) -> None:
    found = again(project)
    found.change("Later", language="fr")
    fresh = again(found)
    with pytest.raises(Conflict, match="Load the page again"):
        fresh.change("An old tab", expect=0, context={"risk": 0.1})


def test_listeners_hear_of_changes(project: Project) -> None:
    heard: list[str] = []
    stop = project.listen(heard.append)
    project.listen(lambda _: 1 / 0)  # a tab that fails does not disturb the others
    project.change("French", language="fr")
    project.undo()
    stop()
    project.redo()
    assert heard == ["document", "document"]


@pytest.mark.parametrize("id", ["", "..", "../x", "0123456789abcdeg", "0123456789ABCDEF", "0" * 17, "/etc", "\0" * 16])
def test_only_ids_are_looked_for(workspace: Workspace, id: str) -> None:
    with pytest.raises(Missing, match="there is no such project"):
        workspace.open(id)


@pytest.mark.parametrize(
    "name",
    [
        "../../../etc/cron.d/x.csv",
        "/etc/passwd.csv",
        "..\\..\\x.csv",
        "a\0b.csv",
        ".csv",
        "x" * 5000 + ".csv",
        "ｅ\u202e.csv",
    ],
)
def test_names_never_become_paths(project: Project, name: str) -> None:
    before = {path for path in project.folder.parents[2].rglob("*") if "sources" not in path.parts}
    source = project.add_file(name, io.BytesIO(AGES))
    assert {path for path in project.folder.parents[2].rglob("*") if "sources" not in path.parts} == before
    assert len(source.name) <= 120
    assert not set(source.name) & set("/\\\0\n")
    kept = [path.name for path in (project.folder / "sources").iterdir()]
    assert source.id in kept
    assert all(len(each) == len("0123456789abcdef.csv") for each in kept)


def test_a_forged_source_opens_nothing_else(project: Project) -> None:
    assert project.document.source is not None
    project.change("Forged", source=project.document.source.model_copy(update={"id": "../project.json"}))
    with pytest.raises(TableError, match="there is no such table"):
        project.table()


@pytest.mark.parametrize(
    "told",
    [
        {"columns": {"age": {"role": "quasi", "tree": "/etc/passwd"}}},
        {"columns": {"age": {"role": "quasi", "tree": "../../key"}}},
        {"columns": {"age": {"role": "quasi", "tree": {"tree_file": "trees/../../x.csv"}}}},
        {"treat": [{"treatment": "Pseudonymize", "column": "job", "key_file": "/tmp/key"}]},
        {"protect": [{"model": "KMap", "k": 3, "population": "/etc/passwd"}]},
    ],
)
def test_a_plan_names_no_file_of_the_machine(project: Project, told: dict[str, object]) -> None:
    with pytest.raises(PlanError, match=r"names a file|no entry"):
        project.plan_from({**PLAN, **told})


def test_edited_trees_are_used(project: Project) -> None:
    rows = [[str(age), "young" if age < 40 else "old", "*"] for age in range(20, 60)]
    project.change("Set the plan", plan=PLAN)
    project.change("Edited the trees", trees={"age": {"rows": rows}, "job": {"rows": [["clerk", "*"], ["nurse", "*"]]}})
    tree = project.plan().columns["age"].tree
    release = pv.anonymize(project.table(), project.plan().replace(method=pv.methods.Datafly()))
    assert set(release.frame["age"]) <= {"young", "old", "*"}
    assert str(tree).startswith("trees/")


def test_cleaning_says_what_goes(project: Project) -> None:
    project.add_file("gaps.csv", io.BytesIO(b"age,job,fax\n31,,\n400,cook,\n31,cook,\n31,cook,\n"))
    steps = [
        {"kind": "empty_columns"},
        {"kind": "missing_rows", "columns": ["job"]},
        {"kind": "outliers", "rules": {"age": [0, 120]}},
        {"kind": "duplicates"},
    ]
    project.change("Cleaned", cleaning=steps)
    assert project.table().frame.rows() == [(31, "cook")]
    assert [step.what for step in project.cleaning().steps] == [
        "dropped 1 column",
        "dropped 1 row",
        "dropped 1 row",
        "dropped 1 row",
    ]
    project.undo()
    assert len(project.table()) == 4


def test_nothing_stays_of_a_deleted_table(project: Project) -> None:
    project.change("Set the plan", plan=PLAN)
    project.change("Edited a tree", trees={"job": {"rows": [["clerk", "*"], ["nurse", "*"]]}})
    project.table()
    project.plan()
    project.forget_tables()
    left = b"".join(path.read_bytes() for path in project.folder.rglob("*") if path.is_file())
    assert b"clerk" not in left
    assert b"ages.csv" not in left
    assert project.document.source is None
    assert project.undo().source is None
    with pytest.raises(TableError, match="the project has no table yet"):
        project.table()


def test_a_deleted_project_is_gone(workspace: Workspace, project: Project) -> None:
    workspace.delete(project.id)
    assert workspace.projects() == []
    assert list((workspace.folder / "projects").iterdir()) == []
    with pytest.raises(Missing):
        workspace.open(project.id)


def test_old_tables_are_retired(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, quota=Quota(retention=30))
    old, young = (workspace.create(name) for name in ("old", "young"))
    for each in (old, young):
        each.add_file("ages.csv", io.BytesIO(AGES))
    path = old.folder / "project.json"
    told = json.loads(path.read_text())
    path.write_text(json.dumps({**told, "changed": told["changed"] - 31 * 86400}))
    assert workspace.retire() == [old.id]
    assert (old.document.source, young.document.source is None) == (None, False)
    assert not (old.folder / "sources").exists()


def test_who_only_looks_changes_nothing(workspace: Workspace, project: Project) -> None:
    looking = Workspace(workspace.folder, read_only=True)
    seen = looking.open(project.id)
    assert seen.table().names == ["age", "job"]
    before = {path: path.stat().st_mtime_ns for path in workspace.folder.rglob("project.json")}
    for act in (
        lambda: seen.change("x", language="fr"),
        seen.undo,
        lambda: seen.add_file("x.csv", io.BytesIO(AGES)),
        seen.forget_tables,
        lambda: seen.jobs.start("profile"),
        lambda: looking.create("mine"),
        lambda: looking.delete(project.id),
    ):
        with pytest.raises(NotAllowed, match="you may look"):
            act()
    assert {path: path.stat().st_mtime_ns for path in workspace.folder.rglob("project.json")} == before
    project.change("French", language="fr")
    assert looking.open(project.id).document.language == "fr"


def test_an_upload_ends_where_it_may_not_go_on(workspace: Workspace) -> None:
    project = Workspace(workspace.folder, quota=Quota(upload=1 << 20)).create("Large")
    taken = 0

    def endless() -> Iterator[bytes]:
        nonlocal taken
        while True:
            taken += 1
            yield b"1,2,3\n" * 10_000

    with pytest.raises(TooLarge, match="is larger than the 1 MB that may be uploaded"):
        project.add_file("endless.csv", endless())
    assert taken < 25
    assert list((project.folder / "sources").iterdir()) == []


def test_an_upload_that_breaks_off_leaves_nothing(project: Project) -> None:
    def breaking() -> Iterator[bytes]:
        yield b"a,b\n1,"
        raise ConnectionError

    before = list((project.folder / "sources").iterdir())
    with pytest.raises(ConnectionError):
        project.add_file("x.csv", breaking())
    assert list((project.folder / "sources").iterdir()) == before


def bomb(path: Path, *, lie: bool) -> None:
    """A workbook of a few kilobytes that unpacks to 300 MB; its list says so, or says 1 KB."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as sheet:
            for _ in range(300):
                sheet.write(bytes(1 << 20))
        archive.writestr("[Content_Types].xml", "<Types/>")
    if lie:
        told = path.read_bytes()
        path.write_bytes(told.replace((300 << 20).to_bytes(4, "little"), (1024).to_bytes(4, "little")))


@pytest.mark.parametrize("lie", [False, True])
def test_a_workbook_that_would_fill_the_memory_is_refused(tmp_path: Path, lie: bool) -> None:
    bomb(tmp_path / "bomb.xlsx", lie=lie)
    with pytest.raises(TableError, match=r"which no ordinary workbook does|it is damaged"):
        refuse_bomb(tmp_path / "bomb.xlsx", "bomb.xlsx", Quota())


def test_an_ordinary_workbook_is_let_in(project: Project) -> None:
    sheet = io.BytesIO()
    pl.DataFrame({"age": list(range(20_000)), "job": ["clerk"] * 20_000}).write_excel(sheet)
    sheet.seek(0)
    project.add_file("ages.xlsx", sheet)
    assert len(project.table()) == 20_000


def test_too_many_columns_are_a_sentence(project: Project) -> None:
    wide = ",".join(f"c{i}" for i in range(20_000)) + "\n" + ",".join("1" * 20_000) + "\n"
    project.add_file("wide.csv", io.BytesIO(wide.encode()))
    with pytest.raises(TooLarge, match=r"wide.csv has 20000 columns; this page takes up to 5000"):
        project.table()


def test_bytes_that_are_no_text_are_a_sentence(project: Project) -> None:
    project.add_file("x.csv", io.BytesIO(b"name,age\nAnn,31\nB\xff\xfeb\x81,32\n"))
    assert project.document.source is not None
    utf_8 = project.document.source.model_copy(update={"options": {"encoding": "utf-8"}})
    with pytest.raises(TableError, match=r"^x\.csv") as found:
        project.look(utf_8)
    assert str(project.folder) not in str(found.value)


CHANGES = """
import sys
from paravent.web.workspace import Workspace
project = Workspace(sys.argv[1]).open(sys.argv[2])
print("ready", flush=True)
while True:
    at = project.version + 1
    project.change(f"step {at}", context={"risk": at / 1e6})
    print(at, flush=True)
"""


def test_what_was_saved_outlives_kill_9(tmp_path: Path) -> None:
    """A process changes a project without end, is killed at any moment, six times: what it said was saved is there."""
    workspace = Workspace(tmp_path)
    id = workspace.create("Killed").id
    draw = random.Random(7)
    for _ in range(6):
        process = subprocess.Popen(
            [sys.executable, "-c", CHANGES, str(tmp_path), id], stdout=subprocess.PIPE, text=True, encoding="ascii"
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        said = [process.stdout.readline() for _ in range(draw.randint(1, 40))]
        process.kill()
        last = int((said + process.stdout.read().splitlines())[-1])
        process.wait()
        found = Workspace(tmp_path).open(id)
        assert found.version in (last, last + 1)
        assert found.document.context == {"risk": found.version / 1e6}
        assert found.history[-1].what == f"step {found.version}"
    assert not list(found.folder.glob(".*.part"))


def test_what_is_found_in_a_table_follows_its_cleaning_and_goes_with_it(tmp_path: Path) -> None:
    from paravent.web.looks import look_of

    project = Workspace(tmp_path).create("Patients")
    project.add_file("people.csv", [b"age,nothing\n30,\n40,\n50,\n"])
    found = look_of(project)
    assert list(found.histograms) == ["age", "nothing"]
    assert look_of(project) is found
    project.change("Cleaned", cleaning=(CleaningStep(kind="empty_columns"),))
    assert list(look_of(project).histograms) == ["age"]  # as many rows as before, and another table
    project.undo()
    assert look_of(project) is found
    gone = weakref.ref(found)
    del found
    project.forget_tables()
    assert gone() is None
