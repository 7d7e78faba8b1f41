"""Surveys that do not ship, read from files as their packages have them."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from paravent.errors import TableError
from paravent.knowledge.cube.surveys import SURVEYS
from paravent.knowledge.cube.tables import Sub, source_of


def _placed(folder: Path, name: str, lines: list[str]) -> None:
    place = folder / "surveys" / SURVEYS[name].file
    place.parent.mkdir(parents=True)
    place.write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_rows_that_lack_a_cell_are_left_out(tmp_path: Path) -> None:
    """Columns that the survey does not name are not looked at, whether they lack cells or not."""
    head = '"rownames","region","population","sex","age","education","income","statusquo","vote","other"'
    row = '{},"{}",175000,"M",{},"P",35000,1.5,{},NA'
    lines = [head, row.format(1, "N", 65, '"Y"'), row.format(2, "C", "NA", '"N"'), row.format(3, "S", 29, "NA")]
    _placed(tmp_path, "chile", lines)
    found = source_of(Sub("chile", 1_000, 6, 6), tmp_path)
    assert list(found.trees) == list(SURVEYS["chile"].quasi)
    assert found.frame["age"].to_list() == [65]
    assert found.frame.select("s", "y").rows() == [("Y", 1.5)]


def test_a_file_of_tabs_and_single_quotes(tmp_path: Path) -> None:
    names = ("popul", "TVnews", "selfLR", "ClinLR", "DoleLR", "PID", "age", "educ", "income", "vote")
    lines = [
        "\t".join(f"'{name}'" for name in names),
        *("\t".join(["190", *["1"] * 5, str(20 + i), *["1"] * 3]) for i in range(3)),
    ]
    _placed(tmp_path, "election", lines)
    found = source_of(Sub("election", 1_000, 8, 8), tmp_path).frame
    assert found["age"].to_list() == [20, 21, 22]
    assert found.schema["s"] == pl.String


def test_a_survey_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"surveys/Ecdat/Star\.csv"):
        source_of(Sub("star", 1_000, 3, 3), tmp_path)
