"""Cells that begin a formula are neutralised in delimited text and workbooks."""

from __future__ import annotations

import csv
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import paravent as pv
from paravent.table.formulas import begins_formula, guarded, unguarded
from paravent.table.read import read
from paravent.table.write import write

DANGEROUS = [
    "=1+1", "=cmd|'/C calc'!A0", "+1+1", "-1+1", "@SUM(1,2)", "\t=1", "\r=1", "\n=1", "\tx", " =1+1", "'=1+1", '"=1+1',
    "\u200b=1+1", "\ufeff=1+1", "＝1+1", "＋1", "－1+1", "＠x", "  '\" =1", "+49 170 1234", "-x", "=", "--", "\x01=1",
]  # fmt: skip
HARMLESS = ["-5", "+5", "-5.5", "-1,5", "-1e-7", "-", "+", "a=b", "1-2", "[20, 30[", "{a, b}", "*", "", " ", "''", "5"]


def test_what_begins_a_formula() -> None:
    assert begins_formula(pl.Series(DANGEROUS)).to_list() == [True] * len(DANGEROUS)
    assert begins_formula(pl.Series(HARMLESS)).to_list() == [False] * len(HARMLESS)


@pytest.mark.parametrize("dtype", [pl.String(), pl.Categorical(), pl.Enum(DANGEROUS)])
def test_csv_cells_that_begin_a_formula_are_neutralised_by_default(tmp_path: Path, dtype: pl.DataType) -> None:
    frame = pl.DataFrame({"note": pl.Series(DANGEROUS, dtype=dtype), "pay": [-float(i) for i in range(len(DANGEROUS))]})
    write(frame, tmp_path / "t.csv")
    with (tmp_path / "t.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))[1:]
    assert [note for note, _ in rows] == [f"'{cell}" for cell in DANGEROUS]
    assert rows[5][1] == "-5.0"  # a number is no formula
    write(frame, tmp_path / "kept.csv", formulas="keep")
    with (tmp_path / "kept.csv").open(newline="", encoding="utf-8") as file:
        assert [row[0] for row in csv.reader(file)][1:] == DANGEROUS


def test_workbook_cells_that_begin_a_formula_are_neutralised_by_default(tmp_path: Path) -> None:
    frame = pl.DataFrame({"note": ["=1+1", "-5", "fine"], "pay": [-1, -2, 3]})
    write(frame, tmp_path / "t.xlsx")
    assert read(tmp_path / "t.xlsx").frame.rows() == [("'=1+1", -1), ("-5", -2), ("fine", 3)]


def test_other_formats_run_nothing_and_keep_their_texts(tmp_path: Path) -> None:
    frame = pl.DataFrame({"note": ["=1+1", "@x", "fine"]})
    for ending in ("parquet", "arrow", "jsonl", "sqlite"):
        write(frame, tmp_path / f"t.{ending}")
        assert read(tmp_path / f"t.{ending}").frame["note"].to_list() == ["=1+1", "@x", "fine"]


def test_names_that_begin_a_formula_are_refused(tmp_path: Path) -> None:
    frame = pl.DataFrame({"=1+1": [1]})
    for name in ("t.csv", "t.xlsx"):
        with pytest.raises(pv.TableError, match=r"run its name as a formula\. Rename it, or pass formulas='keep'"):
            write(frame, tmp_path / name)
    assert list(tmp_path.iterdir()) == []
    write(frame, tmp_path / "t.csv", formulas="keep")


@given(st.lists(st.text("=+-@' \"a5\t", max_size=4), min_size=1, max_size=8))
def test_what_differs_still_differs_and_can_be_taken_back(cells: list[str]) -> None:
    """So classes and values are counted the same before and after."""
    frame = pl.DataFrame({"note": cells}, schema={"note": pl.String})
    safe = guarded(frame)
    assert len(set(safe["note"])) == len(set(cells))
    assert unguarded(safe)["note"].to_list() == cells
    dangerous = safe["note"].filter(begins_formula(safe["note"]))
    assert dangerous.str.starts_with("'").all()


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_verify_and_measure_agree_about_a_neutralised_file(tmp_path: Path, ending: str) -> None:
    frame = pl.DataFrame({"code": ["=a", "=a", "'=a", "'=a", "b", "b"], "disease": ["-x", "@y"] * 3})
    plan = pv.Plan(
        {"code": pv.Quasi(), "disease": pv.Sensitive()}, [pv.KAnonymity(2), pv.LDiversity(2, "disease")], person=None
    )
    release = pv.anonymize(frame, plan)
    release.write(tmp_path / f"r.{ending}")
    verdict = pv.verify(tmp_path / f"r.{ending}", plan)
    assert verdict
    assert verdict.levels == release.verdict.levels
    assert verdict.classes.sizes.tolist() == release.classes.sizes.tolist()
    found = pv.measure(frame, tmp_path / f"r.{ending}", plan)
    assert found.to_dict() == pytest.approx(release.measure().to_dict(), nan_ok=True)
