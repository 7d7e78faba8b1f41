"""Several tables of a release: in files, in a folder, in a database, all of them or none, and read back."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from typer.testing import CliRunner

import paravent as pv
from paravent.cli.app import app
from paravent.errors import TableError

PEOPLE = pl.DataFrame(
    {
        "age": [31, 32, 38, 39, 45, 47, 52, 58],
        "zip": ["01", "01", "02", "02", "01", "02", "01", "02"],
        "disease": ["flu", "cold", "flu", "ulcer", "cold", "flu", "ulcer", "cold"],
    }
)
ROLES = {"age": pv.Quasi(), "zip": pv.Quasi(), "disease": pv.Sensitive()}
PLAN = pv.Plan(ROLES, [pv.LDiversity(2, "disease")], pv.methods.Anatomy(), person=None)
SLICED = PLAN.replace(method=pv.methods.Slicing(l=2))


@pytest.fixture(scope="module")
def release() -> pv.Release:
    return pv.anonymize(PEOPLE, PLAN)


def tables_of(path: Path) -> dict[str, list[tuple]]:
    with sqlite3.connect(path) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master ORDER BY name")]
        return {name: connection.execute(f'SELECT * FROM "{name}"').fetchall() for name in names}


@pytest.mark.parametrize("spelled", ["{}", "sqlite:///{}"])
def test_a_new_sqlite_file_has_all_tables(release: pv.Release, tmp_path: Path, spelled: str) -> None:
    path = tmp_path / "out.sqlite"
    release.write(spelled.format(path), table="study")
    assert tables_of(path) == {
        "study": release.frame.rows(),
        "study_sensitive": release.tables["sensitive"].rows(),
    }


def test_an_old_sqlite_file_gets_all_tables_or_none(release: pv.Release, tmp_path: Path) -> None:
    path = tmp_path / "out.sqlite"
    pv.write(pl.DataFrame({"a": [1]}), path, table="other")
    pv.write(pl.DataFrame({"a": [2]}), path, table="study")
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE VIEW study_sensitive AS SELECT a FROM other")  # it cannot be dropped as a table
    before = tables_of(path)
    with pytest.raises(TableError, match="SQLite said"):
        release.write(path, table="study")
    assert tables_of(path) == before
    with sqlite3.connect(path) as connection:
        connection.execute("DROP VIEW study_sensitive")
    release.write(path, table="study")
    assert tables_of(path) == {
        "other": [(1,)],
        "study": release.frame.rows(),
        "study_sensitive": release.tables["sensitive"].rows(),
    }


def test_a_server_gets_all_tables_or_none(release: pv.Release, postgres: str) -> None:
    pv.write(pl.DataFrame({"a": [1]}), postgres, table="study")
    import sqlalchemy as sa

    engine = sa.create_engine(postgres)
    with engine.begin() as connection:
        connection.execute(sa.text("CREATE VIEW study_sensitive AS SELECT a FROM study"))
    with pytest.raises(TableError, match="the database said"):
        release.write(postgres, table="study")
    assert pv.read(postgres, table="study").frame.rows() == [(1,)]
    with engine.begin() as connection:
        connection.execute(sa.text("DROP VIEW study_sensitive"))
    release.write(postgres, table="study")
    assert_frame_equal(pv.read(postgres, table="study").frame, release.frame, check_dtypes=False)
    found = pv.read(postgres, table="study_sensitive").frame
    assert_frame_equal(found, release.tables["sensitive"], check_dtypes=False)
    engine.dispose()


def test_a_database_without_a_table_is_asked_for_one(release: pv.Release) -> None:
    with pytest.raises(TableError, match="say which table to write"):
        release.write("postgresql://nobody@localhost/none")
    with pytest.raises(TableError, match="for which delimiter= means nothing"):
        release.write("sqlite:///none.db", table="a", delimiter=";")


def test_no_table_of_a_release_replaces_the_original(tmp_path: Path) -> None:
    path = tmp_path / "people.sqlite"
    pv.write(PEOPLE, path, table="out_sensitive")
    table = pv.read(path, table="out_sensitive")
    with pytest.raises(TableError, match="'out_sensitive' is the table itself"):
        pv.anonymize(table, PLAN).write(path, table="out")
    assert list(tables_of(path)) == ["out_sensitive"]


@pytest.mark.parametrize("plan", [PLAN, SLICED], ids=["anatomy", "slicing"])
def test_written_tables_are_verified_and_measured(plan: pv.Plan, tmp_path: Path) -> None:
    release = pv.anonymize(PEOPLE, plan)
    release.write(tmp_path / "out.csv")
    folder = tmp_path / "folder"
    folder.mkdir()
    release.write(folder)
    for path in (tmp_path / "out.csv", folder / "release.csv"):
        assert pv.verify(path, plan).levels == release.verdict.levels
        assert pv.measure(PEOPLE, path, plan, "queries")["utility.queries.are"] == pytest.approx(
            release.measure("queries")["utility.queries.are"]
        )
    given = {name: frame for name, frame in release.tables.items() if name != "release"}
    assert pv.verify(release.frame, plan, beside=given)
    with pytest.raises(TableError, match="Give all its tables"):
        pv.verify(release.frame, plan)


def test_a_folder_that_is_not_there_is_made(release: pv.Release, tmp_path: Path) -> None:
    release.write(f"{tmp_path}/new/")
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["release.csv", "sensitive.csv"]
    with pytest.raises(TableError, match="cannot be made: no such file or directory"):
        release.write(f"{tmp_path}/not/there/")
    with pytest.raises(TableError):
        release.write(f"{tmp_path}/other/", encoding="ascii-nonsense")
    assert [path.name for path in tmp_path.iterdir()] == ["new"]


def test_tables_of_two_releases_do_not_belong_together(release: pv.Release) -> None:
    other = pl.DataFrame({"group": [1, 1], "disease": ["flu", "cold"], "count": [1, 1]})
    with pytest.raises(TableError, match="Give the tables of one release"):
        pv.verify(release.frame, PLAN, beside={"sensitive": other})
    with pytest.raises(TableError, match="its last column must hold counts"):
        pv.verify(release.frame, PLAN, beside={"sensitive": other.with_columns(count=pl.lit("many"))})


def test_the_command_line_writes_and_verifies_all_tables(tmp_path: Path) -> None:
    run, people, plan = CliRunner(), tmp_path / "people.csv", tmp_path / "plan.toml"
    pv.write(PEOPLE, people)
    PLAN.save(plan)
    out = tmp_path / "out.csv"
    command = ["anonymize", str(people), "--plan", str(plan), "-o", str(out)]
    (tmp_path / "out.sensitive.csv").write_text("kept")
    done = run.invoke(app, command)
    assert done.exit_code == 2
    assert "out.sensitive.csv is there already" in " ".join(done.output.split())
    assert not out.exists()
    assert (tmp_path / "out.sensitive.csv").read_text() == "kept"
    done = run.invoke(app, [*command, "--force"])
    assert done.exit_code == 0
    assert "out.sensitive.csv" in done.output
    assert "No k-anonymity" in " ".join(run.invoke(app, ["verify", str(out), "--plan", str(plan)]).output.split())
    (tmp_path / "out.sensitive.csv").write_text("group,disease,count\n1,flu,8\n")
    assert run.invoke(app, ["verify", str(out), "--plan", str(plan)]).exit_code == 2
