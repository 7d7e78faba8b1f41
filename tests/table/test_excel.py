"""Workbooks: which sheet, which header, and what Excel's own ways do to values."""

from pathlib import Path

import polars as pl
import pytest

from paravent.errors import TableError
from paravent.table.read import read
from paravent.table.write import write

xlsxwriter = pytest.importorskip("xlsxwriter")
pytest.importorskip("fastexcel")


def book(path: Path, sheets: dict[str, list[list[object]]]) -> Path:
    with xlsxwriter.Workbook(path) as file:
        for name, rows in sheets.items():
            page = file.add_worksheet(name)
            for i, row in enumerate(rows):
                for j, cell in enumerate(row):
                    if cell is not None:
                        page.write(i, j, cell)
    return path


def test_sheets_by_name_by_number_or_the_first(tmp_path: Path) -> None:
    path = book(tmp_path / "t.xlsx", {"one": [["a"], [1]], "two": [["b"], [2]]})
    assert read(path).names == ["a"]
    assert read(path).origin.choices["sheet"] == "'one' (the first of 2)"
    assert read(path, sheet="two").names == read(path, sheet=2).names == read(path, sheet="2").names == ["b"]
    with pytest.raises(TableError, match=r"has no sheet 'three'\. Its sheets are 'one', 'two'"):
        read(path, sheet="three")


def test_types_of_cells(tmp_path: Path) -> None:
    rows = [["whole", "part", "mixed", "zip", "gap"], [1, 1.5, "x", "01234", None], [2, 2, 3, "99999", "?"]]
    table = read(book(tmp_path / "t.xlsx", {"s": rows}))
    assert table.frame.rows() == [(1, 1.5, "x", "01234", None), (2, 2.0, "3", "99999", "?")]
    assert any("'gap'" in note for note in table.notes)
    assert read(tmp_path / "t.xlsx", na=["?"]).columns["gap"].missing == 2


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([], "is empty"),
        ([["a", "a"], [1, 2]], "columns 1 and 2 are both called 'a'"),
        ([["a", None, "c"], [1, 2, 3]], "column 2 has no name"),
        ([["a"], [1, 2]], "column 2 has no name"),
    ],
)
def test_sheets_that_are_no_tables(tmp_path: Path, rows: list[list[object]], sentence: str) -> None:
    with pytest.raises(TableError) as caught:
        read(book(tmp_path / "t.xlsx", {"s": rows}))
    assert sentence in str(caught.value)


def test_headers(tmp_path: Path) -> None:
    path = book(tmp_path / "t.xlsx", {"s": [["x", 1], ["y", 2]]})
    assert read(path, header=False).frame.rows() == [("x", 1), ("y", 2)]
    assert read(path, header=["k", "v"]).frame.rows() == [("y", 2)]
    twice = book(tmp_path / "twice.xlsx", {"s": [["a", None, "a"], [1, 2, 3]]})
    assert read(twice, header="repair").names == ["a", "column_2", "a_3"]


def test_formulas_and_addresses_stay_text(tmp_path: Path) -> None:
    cells = ["=1+1", "https://example.org", "12", "{=1}", "_x0041_"]
    write(pl.DataFrame({"a": cells}), tmp_path / "t.xlsx", sheet="my sheet", formulas="keep")
    table = read(tmp_path / "t.xlsx", sheet="my sheet")
    assert table.frame["a"].to_list() == cells


def test_the_same_release_gives_the_same_bytes_at_any_time(tmp_path: Path) -> None:
    import datetime as dt
    import time

    frame = pl.DataFrame({"a": [1.5, None], "b": ["x", "y"], "c": [dt.date(2020, 1, 1), dt.date(2021, 1, 1)]})
    write(frame, tmp_path / "a.xlsx")
    time.sleep(2.1)  # archives count time in steps of two seconds
    write(frame, tmp_path / "b.xlsx")
    assert (tmp_path / "a.xlsx").read_bytes() == (tmp_path / "b.xlsx").read_bytes()
