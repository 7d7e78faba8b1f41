"""Places and branches by vocabularies that are given: tree files that know a column's values."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import paravent as pv
from paravent.cli.app import app


@pytest.fixture
def counties(tmp_path: Path) -> Path:
    path = tmp_path / "counties.csv"
    path.write_text(
        "Kent;South East;*\nSurrey;South East;*\nDevon;South West;*\nDorset;South West;*\n", encoding="utf-8"
    )
    return path


def people() -> pl.DataFrame:
    return pl.DataFrame(
        {"x7": ["Kent", "Devon", "Dorset", "Kent"] * 10, "age": list(range(20, 60)), "shoe": [40, 41] * 20}
    )


def test_a_column_whose_values_all_stand_in_a_vocabulary_gets_its_tree(counties: Path) -> None:
    found = pv.profile(people(), vocabularies=[counties])["x7"]
    assert str(found.role) == "quasi-identifier"
    assert found.tree == pv.tree_file(str(counties))
    assert "counties.csv" in found.proposal.reason
    assert str(pv.profile(people())["x7"].role) != "quasi-identifier" or pv.profile(people())["x7"].tree != found.tree


def test_one_value_too_many_and_it_is_no_county(counties: Path) -> None:
    strange = people().with_columns(pl.when(pl.col("age") == 20).then(pl.lit("Atlantis")).otherwise("x7").alias("x7"))
    assert pv.profile(strange, vocabularies=[counties])["x7"].tree != pv.tree_file(str(counties))


def test_a_draft_by_vocabulary_can_be_run(counties: Path, tmp_path: Path) -> None:
    people().write_csv(tmp_path / "people.csv")
    runner = CliRunner()
    call = [
        "plan",
        "draft",
        str(tmp_path / "people.csv"),
        "--vocabulary",
        str(counties),
        "-o",
        str(tmp_path / "plan.toml"),
    ]
    result = runner.invoke(app, call)
    assert result.exit_code == 0, result.output
    plan = pv.Plan.load(tmp_path / "plan.toml")
    release = pv.anonymize(tmp_path / "people.csv", plan)
    assert set(release.frame["x7"].cast(pl.String)) <= {"Kent", "Devon", "Dorset", "South West", "*"}


def test_a_vocabulary_that_is_no_tree_is_named(tmp_path: Path) -> None:
    (tmp_path / "broken.csv").write_text("a;b\nc\n", encoding="utf-8")
    with pytest.raises(pv.ParaventError, match=r"broken\.csv"):
        pv.profile(people(), vocabularies=[tmp_path / "broken.csv"])
