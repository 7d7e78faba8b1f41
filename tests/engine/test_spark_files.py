"""What is read and written on a cluster: folders, tables of the catalogue, and the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import paravent as pv
from paravent.engine.spark.run import anonymize_on_spark
from paravent.errors import TableError
from paravent.table.formulas import guarded
from tests.engine.lake import ROWS, collected, command, plan_of, texts

pytestmark = pytest.mark.usefixtures("spark", "nothing_stays_behind")


def test_a_plan_runs_from_the_command_line(lake: Path, tmp_path: Path) -> None:
    plan = plan_of(pv.methods.Mondrian(), pv.KAnonymity(5), pv.LDiversity(2, "disease"))
    plan.save(tmp_path / "plan.toml")
    out = tmp_path / "out"
    done = command(str(lake), "--plan", str(tmp_path / "plan.toml"), "-o", str(out), "--json")
    told = json.loads(done)
    assert told["holds"] is True
    assert told["files"] == {"release": str(out)}
    assert pv.verify(pl.read_parquet(out / "*.parquet"), plan)
    assert (out / "_SUCCESS").exists()
    again = command(str(lake), "--plan", str(tmp_path / "plan.toml"), "-o", str(out), fails=True)
    assert "is there already" in again
    told = json.loads(command(str(lake), "--plan", str(tmp_path / "plan.toml"), "--dry-run", "--json"))
    assert told["rows"] == ROWS
    assert "FileScan parquet" in told["physical_plan"]


def test_treatments_run_from_the_command_line(lake: Path, tmp_path: Path) -> None:
    """Their steps are told before, what they did after; the matrix of PRAM lies in the folder of the release."""
    plan = plan_of(pv.methods.Mondrian(), treat=[pv.treatments.PRAM("pay"), pv.treatments.Round("age", base=5)])
    plan.save(tmp_path / "plan.toml")
    steps = json.loads(command(str(lake), "--plan", str(tmp_path / "plan.toml"), "--dry-run", "--json"))["steps"]
    assert steps[0].startswith("Treat rows (PRAM(column='pay')) in parts")
    out = tmp_path / "out"
    said = command(str(lake), "--plan", str(tmp_path / "plan.toml"), "-o", str(out))
    assert "PRAM" in said
    assert "1500 rows, in 1 part." in said.replace("\n", " ")
    assert "Cut the table into" in said
    assert pl.read_parquet(out / "_tables" / "pram_pay" / "*.parquet").columns == ["from", "to", "probability"]
    assert pl.read_parquet(out / "*.parquet").height == ROWS


def test_text_files_are_read_as_on_one_machine(people: pl.DataFrame, tmp_path: Path) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    for i in range(2):
        people[i::2].write_csv(folder / f"{i}.csv")
    people.write_csv(tmp_path / "all.csv")
    plan = plan_of(pv.methods.Optimal(), suppression=0.05)
    release = anonymize_on_spark(str(folder), plan, target=str(tmp_path / "out.csv"))
    release.write(tmp_path / "out.csv")
    found = pl.concat(pl.read_csv(path, infer_schema=False) for path in sorted((tmp_path / "out.csv").glob("*.csv")))
    assert texts(found).equals(texts(pv.anonymize(tmp_path / "all.csv", plan).frame))


def test_texts_that_a_spreadsheet_would_run(people: pl.DataFrame, tmp_path: Path) -> None:
    """In CSV they get an apostrophe, those of one machine and no others; the release is read without it."""
    notes = ["=1+1", "-5", "'=1+1", " @SUM(A1)", "-5\n", "\u2003+49", "fine", "-", "", "−3 x", 'plain, "quoted"']
    rows = people.head(500).with_columns(note=pl.Series([notes[i % len(notes)] for i in range(500)]))
    (tmp_path / "in").mkdir()
    rows.write_parquet(tmp_path / "in" / "a.parquet")
    plan = plan_of(pv.methods.Optimal(), suppression=0.05)
    plan = plan.replace(columns={**plan.columns, "note": pv.Insensitive()})
    release = anonymize_on_spark(str(tmp_path / "in"), plan, target=str(tmp_path / "out.csv"))
    assert set(collected(release)["note"].fill_null("")) == set(notes)
    release.write(tmp_path / "out.csv")
    found = pl.concat(pl.read_csv(path, infer_schema=False) for path in sorted((tmp_path / "out.csv").glob("*.csv")))
    expected = guarded(pl.DataFrame({"note": notes}))["note"].to_list()
    assert set(found["note"].fill_null("")) == set(expected)
    with pytest.raises(TableError, match="run its name as a formula"):
        anonymize_on_spark(
            _renamed(rows, tmp_path), plan.replace(columns={**plan.columns, "=note": pv.Insensitive()}),
            target=str(tmp_path / "other.csv"),
        )  # fmt: skip
    assert not (tmp_path / "other.csv").exists()


def _renamed(rows: pl.DataFrame, tmp_path: Path) -> str:
    (tmp_path / "renamed").mkdir()
    rows.with_columns(pl.lit("x").alias("=note")).write_parquet(tmp_path / "renamed" / "a.parquet")
    return str(tmp_path / "renamed")


def test_a_table_of_the_catalogue(spark: Any, lake: Path) -> None:
    spark.read.parquet(str(lake)).createOrReplaceTempView("people_view")
    plan = plan_of(pv.methods.Datafly(), suppression=0.05)
    release = pv.anonymize("table:people_view", plan, engine=pv.Spark())
    assert release.verdict
    found = collected(release)
    release.close()
    spark.read.parquet(str(lake)).write.saveAsTable("people_kept")
    kept = pv.anonymize("table:default.people_kept", plan, engine=pv.Spark())
    assert texts(collected(kept)).equals(texts(found))
    kept.close()
    spark.sql("drop table people_kept")
    with pytest.raises(TableError, match="no table 'nobody'"):
        pv.anonymize("table:nobody", plan, engine=pv.Spark())
