"""Nothing is written over what was read or made by hand, and what is written is all of it or nothing."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner, Result

import paravent as pv
from paravent.cli.app import app
from paravent.table.atomic import replacing, together
from paravent.table.place import Place

Run = Callable[..., Result]
WISHES = ("--quasi", "age", "--sensitive", "disease", "--k", "3")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    return lambda *words: CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture
def people(tmp_path: Path) -> Path:
    rows = [f"{20 + i % 7},{('flu', 'ulcer')[i % 2]}" for i in range(30)]
    path = tmp_path / "people.csv"
    path.write_text("\n".join(["age,disease", *rows]) + "\n")
    return path


@pytest.fixture
def database(tmp_path: Path, people: Path) -> Path:
    path = tmp_path / "people.db"
    pv.write(pv.read(people).frame, path, table="people")
    return path


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def refused(result: Result, words: str, code: int = 2) -> None:
    assert result.exit_code == code, result.output
    assert words in result.output


# --- the input itself --------------------------------------------------------------------------------------------


def test_output_over_ones_own_input_is_refused_however_the_file_is_named(run: Run, people: Path) -> None:
    folder = people.parent
    (folder / "link.csv").symlink_to(people)
    os.link(people, folder / "hard.csv")
    (folder / "sub").mkdir()
    before = snapshot(folder)
    for name in ("people.csv", "./people.csv", "sub/../people.csv", people, "link.csv", "hard.csv"):
        for more in ((), ("--force",)):
            refused(run("anonymize", "people.csv", *WISHES, "-o", name, *more), "is the table itself")
            refused(run("clean", "people.csv", "--duplicates", "-o", name, *more), "is the table itself")
    assert snapshot(folder) == before


@pytest.mark.parametrize("source", ["people.db", "sqlite:///people.db", "sqlite:///{}/people.db", "link.db"])
@pytest.mark.parametrize("target", ["people.db", "sqlite:///people.db", "sqlite:///{}/people.db", "link.db"])
def test_a_database_table_is_not_replaced_by_its_release(run: Run, database: Path, source: str, target: str) -> None:
    """Also when a path and a URL name the same database, and when the table was not named."""
    (database.parent / "link.db").symlink_to(database)
    before = snapshot(database.parent)
    source, target = source.format(database.parent), target.format(database.parent)
    for more in (("--force",), ("--table", "people", "--force")):
        result = run("anonymize", source, *WISHES, "-o", target, "--output-table", "people", *more)
        refused(result, "table 'people' is the table itself")
    query = ("--query", "SELECT age, disease FROM People", "--force")
    refused(run("anonymize", source, *WISHES, "-o", target, "--output-table", "people", *query), "read by the query")
    assert snapshot(database.parent) == before
    done = run("anonymize", source, *WISHES, "-o", target, "--output-table", "release")
    assert done.exit_code == 0, done.output
    assert len(pv.read(database, table="people")) == len(pv.read(database, table="release")) == 30
    again = run("anonymize", source, *WISHES, "--table", "people", "-o", target, "--output-table", "release")
    refused(again, "has a table 'release' already")


def test_python_does_not_write_over_its_source_either(database: Path, people: Path) -> None:
    plan = pv.Plan({"age": pv.Quasi(), "disease": pv.Sensitive()}, pv.KAnonymity(3))
    before = snapshot(people.parent)
    with pytest.raises(pv.TableError, match="is the table itself"):
        pv.anonymize(people, plan).write(people)
    with pytest.raises(pv.TableError, match="is the table itself"):
        pv.write(pv.clean(pv.read(people), duplicates=True)[0], people)
    with pytest.raises(pv.TableError, match="table 'PEOPLE' is the table itself"):
        pv.anonymize(database, plan).write(f"sqlite:///{database}", table="PEOPLE")
    assert snapshot(people.parent) == before


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("postgresql://a:x@localhost/clinic", "postgresql+psycopg://b@127.0.0.1:5432/clinic", True),
        ("postgres:///clinic?host=localhost", "postgresql://localhost/clinic", True),
        ("postgresql://h/clinic", "postgresql://h/other", False),
        ("postgresql://h/clinic", "postgresql://g/clinic", False),
        ("postgresql://h:1/clinic", "postgresql://h:2/clinic", False),
        ("mysql://h/clinic", "postgresql://h/clinic", False),
    ],
)
def test_urls_of_one_database(one: str, other: str, same: bool) -> None:
    assert Place.of(one, "people").would_be_lost(Place.of(other, "public.people")) is same
    assert not Place.of(one, "people").would_be_lost(Place.of(other, "public.release"))


# --- what was made by hand -----------------------------------------------------------------------------------------


def test_files_that_are_there_are_not_replaced_without_force(run: Run, people: Path) -> None:
    folder = people.parent
    (folder / "trees").mkdir()
    kept = ["plan.toml", "tree.csv", "release.csv", "report.html", "map.svg", "rows.csv", "trees/age.csv"]
    for name in kept:
        (folder / name).write_text(f"by hand: {name}\n")
    (folder / "given.csv").write_text("\n".join(f"{age},*" for age in range(20, 27)) + "\n")
    assert run("plan", "draft", people, "-o", "drafted.toml").exit_code == 0
    before = snapshot(folder)
    commands = [
        ("anonymize", people, *WISHES, "-o", "release.csv"),
        ("anonymize", people, *WISHES, "--save-plan", "plan.toml"),
        ("anonymize", people, *WISHES, "--report", "report.html", "-o", "fresh.csv"),
        ("clean", people, "--duplicates", "-o", "release.csv"),
        ("best-k", people, *WISHES, "-l", "2", "-o", "release.csv"),
        ("plan", "draft", people, "-o", "plan.toml"),
        ("tree", "propose", people, "-c", "age", "-o", "trees"),
        ("tree", "convert", "given.csv", "tree.csv"),
        ("risk", people, "--quasi", "age", "--rows", "rows.csv"),
        ("compare", people, "drafted.toml", "--report", "report.html"),
        ("compare", people, "drafted.toml", "--map", "map.svg"),
        ("experiment", "metric-search", people, *WISHES, "--save-plan", "plan.toml"),
        ("experiment", "trees", "--page", "report.html"),
    ]
    for command in commands:
        result = run(*command)
        refused(result, "is there already")
        assert "--force" in result.output
    assert snapshot(folder) == before
    assert run("tree", "propose", people, "-c", "age", "-o", "trees", "--force").exit_code == 0
    assert run("anonymize", people, *WISHES, "-o", "release.csv", "--force").exit_code == 0
    assert "by hand" not in (folder / "trees" / "age.csv").read_text() + (folder / "release.csv").read_text()


def test_releases_of_a_comparison_are_not_replaced_without_force(run: Run, people: Path) -> None:
    assert run("plan", "draft", people, "-o", "drafted.toml").exit_code == 0
    folder = people.parent / "out"
    folder.mkdir()
    (folder / "drafted.csv").write_text("by hand\n")
    refused(run("compare", people, "drafted.toml", "--releases", "out"), "is there already")
    assert (folder / "drafted.csv").read_text() == "by hand\n"


def test_a_demo_keeps_a_plan_that_was_changed(run: Run, tmp_path: Path) -> None:
    (tmp_path / "demo").mkdir()
    (tmp_path / "demo" / "plan.toml").write_text("by hand\n")
    refused(run("demo", "--out", "demo"), "is not what this demo makes")
    assert snapshot(tmp_path) == {"demo/plan.toml": b"by hand\n"}


# --- all or nothing --------------------------------------------------------------------------------------------------


def test_targets_are_checked_before_the_work(run: Run, people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pv, "anonymize", lambda *_, **__: pytest.fail("the work has begun"))
    before = snapshot(people.parent)
    for words, targets in {
        "does not exist": ("-o", "absent/r.csv"),
        "tells no format": ("-o", "release.pdf"),
        "is a folder": ("--save-plan", people.parent),
        "named for two outputs": ("-o", "a.csv", "--report", "./A.csv"),
        "Name the table": ("-o", "postgresql://localhost/x"),
        "not a database": ("-o", "r.csv", "--output-table", "x"),
    }.items():
        refused(run("anonymize", people, *WISHES, "--save-plan", "p.toml", *targets), words)
    assert snapshot(people.parent) == before


def test_plan_report_and_release_are_written_together_or_not_at_all(
    run: Run, people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = people.parent
    for name in ("p.toml", "r.html", "out.csv"):
        (folder / name).write_text("old")
    before = snapshot(folder)
    everything = ("--save-plan", "p.toml", "--report", "r.html", "-o", "out.csv", "--force")

    def fails(*_: object, **__: object) -> None:
        raise pv.TableError("the disk is full.")

    with monkeypatch.context() as patch:
        patch.setattr("paravent.table.write._write", fails)
        refused(run("anonymize", people, *WISHES, *everything), "the disk is full")
    assert snapshot(folder) == before
    real = os.replace
    for at in (1, 2, 3):  # the renames themselves may fail, one after the other
        calls = iter(range(1, 100))

        def stubborn(a: str, b: str, at: int = at, calls=calls) -> None:
            if Path(b).parent == folder and next(calls) == at:
                raise OSError(28, "No space left on device")
            real(a, b)

        with monkeypatch.context() as patch:
            patch.setattr("paravent.table.atomic.os.replace", stubborn)
            refused(run("anonymize", people, *WISHES, *everything), "Nothing was written")
        assert snapshot(folder) == before, at
    assert run("anonymize", people, *WISHES, *everything).exit_code == 0
    assert b"old" not in snapshot(folder).values()


def test_a_database_that_refuses_takes_the_files_back(run: Run, database: Path) -> None:
    before = snapshot(database.parent)
    with sqlite3.connect(database) as connection:
        connection.execute("BEGIN EXCLUSIVE")  # somebody else is writing
        words = ("--table", "people", *WISHES, "--save-plan", "p.toml", "-o", "other.db")
        pv.write(pl.DataFrame({"x": [1]}), database.parent / "other.db", table="kept")
        with sqlite3.connect(database.parent / "other.db") as other:
            other.execute("BEGIN EXCLUSIVE")
            connection.rollback()
            result = run("anonymize", "people.db", *words, "--force")
            assert result.exit_code == 2, result.output
            other.rollback()
    assert not (database.parent / "p.toml").exists()
    assert pv.read(database.parent / "other.db").names == ["x"]
    assert snapshot(database.parent)["people.db"] == before["people.db"]


def test_files_written_together_leave_no_trace_when_one_fails(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")

    def both() -> None:
        with together():
            for name in ("a", "b"):
                with replacing(tmp_path / name) as part:
                    part.write_text("new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        both()
    assert snapshot(tmp_path) == {"a": b"old"}
    with together(), replacing(tmp_path / "a") as part:
        part.write_text("new")
    assert snapshot(tmp_path) == {"a": b"new"}
