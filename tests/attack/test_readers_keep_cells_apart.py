"""A class that looks like k rows and is not: what a stranger with the file can tell apart, the verifier must.

Every test plants one row among k − 1 others that differs from them in a way that readers of tables like to overlook.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import decimal
import json
import sqlite3
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import paravent as pv
from paravent.errors import TableError

K = 3
PLAN = pv.Plan({"age": pv.Quasi(), "ill": pv.Sensitive()}, [pv.KAnonymity(K)])


def holds(released: Any, plan: pv.Plan = PLAN) -> bool:
    """Through every door: the path itself, the table that is read from it, and the attacks' view of it."""
    verdict = bool(pv.verify(released, plan))
    if isinstance(released, Path):
        assert bool(pv.verify(pv.read(released), plan)) == verdict
    return verdict


def text(
    tmp_path: Path, cells: Sequence[str], *, end: str = "\n", header: str = "ill,age", name: str = "r.csv"
) -> Path:
    path = tmp_path / name
    lines = [header, *(f"flu,{cell}" for cell in cells)]
    path.write_bytes((end.join(lines) + end).encode())
    return path


def test_the_same_cells_are_a_class(tmp_path: Path) -> None:
    """The other tests could pass because nothing is ever a class."""
    assert holds(text(tmp_path, ["34"] * K))
    assert holds(text(tmp_path, ['"a ""b"""'] * K))
    assert holds(text(tmp_path, ["34"] * K, end="\r\n"))
    assert holds(text(tmp_path, ["\ufeff34"] * K))
    assert holds(text(tmp_path, [""] * K))
    assert holds(text(tmp_path, [" 34"] * K))


@pytest.mark.parametrize(
    "odd",
    [
        "34 ",
        " 34",
        "034",
        "34.0",
        "3.4e1",
        "+34",
        "\ufeff34",
        '""',
        '"34 "',
        "34\u200b",
        "\t34",
        '"34\r"',
        "34\u00a0",
        "NaN",
    ],
)
def test_odd_cells_of_a_csv(tmp_path: Path, odd: str) -> None:
    usual = "" if odd == '""' else "34"
    for place in range(K):
        cells = [usual] * K
        cells[place] = odd
        assert not holds(text(tmp_path, cells)), cells


def test_minus_zero_and_nan_in_a_csv(tmp_path: Path) -> None:
    assert not holds(text(tmp_path, ["0.0", "-0.0", "0.0"]))
    assert not holds(text(tmp_path, ["", "NaN", ""]))


def test_stripped_blanks(tmp_path: Path) -> None:
    """Every field but the first begins with a blank, which makes readers strip them all; one has two blanks."""
    path = tmp_path / "r.csv"
    path.write_text("ill, age, sex\nflu, 34, m\nflu,  34, m\nflu, 34, m\n")
    assert pv.read(path).frame["age"].n_unique() == 1  # to work with, they are the same
    assert not pv.verify(path, PLAN.replace(columns={"age": pv.Quasi()}))


def test_blanks_before_quotes_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text('ill,age\nflu, "3, 4"\nflu, "3, 4"\nflu,  "3, 4"\n')
    with pytest.raises(TableError, match="blanks stand between delimiters and quotes"):
        pv.verify(path, PLAN)


@pytest.mark.parametrize("cell", ["34\r", "34\r\r"])
def test_carriage_returns(tmp_path: Path, cell: str) -> None:
    """One line ends with \\r\\n among others that end with \\n; or a \\r stands in the midst of a line."""
    with pytest.raises(TableError, match=r"a \\[rn].* tells rows apart"):
        pv.verify(text(tmp_path, ["34", cell, "34"]), PLAN)
    path = tmp_path / "m.csv"
    path.write_bytes(b"age,ill\n34,flu\n34\r,flu\n34,flu\n")
    with pytest.raises(TableError, match=r"line 3: a \\r where"):
        pv.verify(path, PLAN)
    path.write_bytes(b'age,ill\n34,flu\n"34\r",flu\n34,flu\n')
    assert not pv.verify(path, PLAN)


def test_a_byte_order_mark_in_the_first_cell(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_bytes("age,ill\n\ufeff34,flu\n34,flu\n34,flu\n".encode())
    assert not pv.verify(path, PLAN)
    path.write_bytes("\ufeffage,ill\n\ufeff34,flu\n34,flu\n34,flu\n".encode())
    assert not pv.verify(path, PLAN)
    path.write_bytes("\ufeffage,ill\n34,flu\n34,flu\n34,flu\n".encode())
    assert pv.verify(path, PLAN)


def test_stray_quotes_are_letters(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text('age,ill\n3"4,flu\n3"4,flu\n34,flu\n')
    assert not pv.verify(path, PLAN)
    path.write_text('age,ill\n3"4,flu\n3"4,flu\n3"4,flu\n')
    assert pv.verify(path, PLAN)
    path.write_text('age,ill\n3"4,flu\n"34"x,flu\n34,flu\n')
    with pytest.raises(TableError, match="closing quote"):
        pv.verify(path, PLAN)


def test_missing_words_do_not_merge(tmp_path: Path) -> None:
    from paravent.table.released import read_released

    path = text(tmp_path, ["", "?", ""])
    with pytest.raises(TableError, match="na: in column 'age' different cells"):
        read_released(path, ["age"], na=["?"])


def test_the_reader_says_which_cells_it_tells_apart(tmp_path: Path) -> None:
    from paravent.table.released import read_released

    path = tmp_path / "r.csv"
    path.write_text("age,pay\n34,1.50\n34,2.5\n34,1.5\n")
    frame, notes = read_released(path, ["age"])
    assert frame["pay"].to_list() == ["1.50", "2.5", "1.5"]
    assert notes == (
        "column 'pay': cells that differ mean the same value, such as '1.50' and '1.5'. They are told apart, so the "
        "column is taken as it is written.",
    )
    frame, notes = read_released(pl.DataFrame({"pay": [0.0, float("nan"), None]}))
    assert "such as 'NaN' and 'None'" in notes[-1]


def test_sensitive_cells_as_they_stand(tmp_path: Path) -> None:
    """A value held by one row alone is not hidden among others that are written differently."""
    plan = pv.Plan({"age": pv.Quasi(), "ill": pv.Sensitive()}, [pv.AlphaKAnonymity(0.5, 2, "ill")])
    path = tmp_path / "r.csv"
    path.write_text("age,ill\n34,0.0\n34,-0.0\n")
    assert pv.verify(path, plan)  # two cells, each held by half
    path.write_text("age,ill\n34,1\n34,1\n34,1.0\n34,2\n")
    assert pv.verify(path, plan)
    close = pv.Plan({"age": pv.Quasi(), "ill": pv.Sensitive()}, [pv.TCloseness(0.1, "ill", distance="equal")])
    path.write_text("age,ill\n34,1\n34,1\n35,1.0\n35,1.0\n")
    assert not pv.verify(path, close)  # the classes hold altogether different cells


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
@pytest.mark.parametrize(("usual", "odd"), [(0.0, -0.0), (None, float("nan")), (1e16, 1e16 + 2)])
def test_floats_of_typed_files(tmp_path: Path, suffix: str, usual: float | None, odd: float) -> None:
    for dtype in (pl.Float64, pl.Float32):
        if dtype == pl.Float32 and usual == 1e16:
            continue
        frame = pl.DataFrame({"age": pl.Series([usual, odd, usual], dtype=dtype), "ill": ["flu"] * K})
        path = tmp_path / f"r.{suffix}"
        frame.write_parquet(path) if suffix == "parquet" else frame.write_ipc(path)
        assert not holds(path)
        assert not holds(frame)
        same = frame.with_columns(age=pl.Series([odd] * K, dtype=dtype))
        assert holds(same)


def test_wildcards_are_missing_cells_only() -> None:
    plan = pv.Plan({"age": pv.Quasi(missing="wildcard")}, [pv.KAnonymity(2)])
    assert pv.verify(pl.DataFrame({"age": [1.0, None]}), plan)
    assert not pv.verify(pl.DataFrame({"age": [1.0, float("nan"), None]}), plan.replace(protect=[pv.KAnonymity(3)]))
    assert not pv.verify(pl.DataFrame({"age": [0.0, -0.0, 0.0, None]}), plan.replace(protect=[pv.KAnonymity(3)]))


def test_not_a_number_beside_missing_in_a_sensitive_column() -> None:
    frame = pl.DataFrame({"age": ["*"] * 4, "ill": [1.0, 2.0, None, float("nan")]})
    plan = pv.Plan({"age": pv.Quasi(), "ill": pv.Sensitive()}, [pv.TCloseness(0.5, "ill", distance="ordered")])
    with pytest.raises(TableError, match="missing cells and cells that are not a number"):
        pv.verify(frame, plan)


def test_frames_of_objects_are_refused() -> None:
    frame = pl.DataFrame({"age": pl.Series([1, "1", 1.0], dtype=pl.Object), "ill": ["flu"] * K})
    with pytest.raises(TableError, match="column 'age' holds Object"):
        pv.verify(frame, PLAN)


@pytest.mark.parametrize(
    "ages",
    [
        [decimal.Decimal("1.0"), decimal.Decimal("1.00"), decimal.Decimal("1.0")],
        [1, "1", 1],
        [1, 1.0, 1],
        [1, True, 1],
        [dt.date(2020, 1, 1), dt.datetime(2020, 1, 1), dt.date(2020, 1, 1)],
    ],
)
def test_objects_of_pandas(ages: list[Any]) -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"age": pd.Series(ages, dtype=object), "ill": ["flu"] * K})
    with contextlib.suppress(TableError):  # Arrow cannot bring every mixture over
        assert not pv.verify(frame, PLAN)
    same = pd.DataFrame({"age": pd.Series(ages[:1] * K, dtype=object), "ill": ["flu"] * K})
    assert pv.verify(same, PLAN)


def test_missing_in_two_ways_in_pandas() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"age": pd.Series([None, float("nan"), None], dtype=object), "ill": ["flu"] * K})
    with pytest.raises(TableError, match="in several ways"):
        pv.verify(frame, PLAN)


def test_arrow_tables() -> None:
    pa = pytest.importorskip("pyarrow")
    for cells in ([None, float("nan"), None], [0.0, -0.0, 0.0]):
        assert not pv.verify(pa.table({"age": pa.array(cells, type=pa.float64()), "ill": ["flu"] * K}), PLAN)


@pytest.mark.parametrize(
    "ages",
    [["1", '"1"', "1"], ["1", "1.0", "1"], ["1e0", "1", "1"], ["true", '"true"', "true"], ["0.0", "-0.0", "0.0"],
     ["null", '"null"', "null"], ["9007199254740993", "9007199254740992.0", "9007199254740993"],
     ["9007199254740992", "9007199254740993", "1.5"]],
)  # fmt: skip
def test_json_lines(tmp_path: Path, ages: list[str]) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text("".join(f'{{"age": {age}, "ill": "flu"}}\n' for age in ages))
    assert not holds(path)
    path.write_text(f'{{"age": {ages[0]}, "ill": "flu"}}\n' * K)
    assert holds(path)


def test_json_keys_that_are_absent_or_stand_twice(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text('{"age": null, "ill": "flu"}\n{"ill": "flu"}\n{"age": null, "ill": "flu"}\n')
    with pytest.raises(TableError, match="line 2: there is no 'age'"):
        pv.verify(path, PLAN)
    path.write_text('{"age": 1, "ill": "flu"}\n{"age": 77, "age": 1, "ill": "flu"}\n{"age": 1, "ill": "flu"}\n')
    with pytest.raises(TableError, match="line 2: a key appears twice"):
        pv.verify(path, PLAN)


def sqlite(path: Path, ages: Sequence[Any]) -> Path:
    path.unlink(missing_ok=True)
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (age, ill)")
        connection.executemany("INSERT INTO t VALUES (?, 'flu')", [(age,) for age in ages])
    connection.close()
    return path


@pytest.mark.parametrize(
    "ages",
    [[1, "1", 1], [1, 1.0, 1], [2**53 + 1, 2.0**53, 2**53 + 1], [0.0, -0.0, 0.0], ["a", "a ", "a"], ["", None, ""]],
)
def test_sqlite(tmp_path: Path, ages: list[Any]) -> None:
    assert not holds(sqlite(tmp_path / "r.db", ages))
    assert holds(sqlite(tmp_path / "r.db", ages[:1] * K))


def test_integers_above_2_to_the_53_beside_floats(tmp_path: Path) -> None:
    path = sqlite(tmp_path / "r.db", [2**53, 2**53 + 1, 0.5])
    assert pv.read(path).frame["age"].n_unique() == 3
    assert not pv.verify(path, PLAN)


def test_undecodable_texts_in_sqlite_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (age, ill)")
        for letters in ("61ff", "61fe", "61ff"):
            connection.execute(f"INSERT INTO t VALUES (CAST(x'{letters}' AS TEXT), 'flu')")
    connection.close()
    for look in (pv.read, lambda found: pv.verify(found, PLAN)):
        with pytest.raises(TableError, match="column 'age', row 1 holds text that is not UTF-8"):
            look(path)


def workbook(path: Path, ages: Sequence[Any], write: str = "write") -> Path:
    xlsxwriter = pytest.importorskip("xlsxwriter")
    pytest.importorskip("fastexcel")
    with xlsxwriter.Workbook(path) as book:
        page = book.add_worksheet()
        day = book.add_format({"num_format": "yyyy-mm-dd"})
        page.write_row(0, 0, ["age", "ill"])
        for row, age in enumerate(ages, start=1):
            if isinstance(age, dt.date):
                page.write_datetime(row, 0, age, day)
            elif isinstance(age, str) and not age.startswith("="):
                page.write_string(row, 0, age)
            elif age is not None:
                getattr(page, write)(row, 0, age)
            page.write_string(row, 1, "flu")
    return path


@pytest.mark.parametrize(
    "ages", [[1, "1", 1], [True, "true", True], ["a", "a ", "a"], [36526, dt.date(2000, 1, 1), 36526], [None, "", None]]
)
def test_workbooks(tmp_path: Path, ages: list[Any]) -> None:
    assert not holds(workbook(tmp_path / "r.xlsx", ages))
    assert holds(workbook(tmp_path / "r.xlsx", ages[:1] * K))


def test_error_cells_and_formulas_of_workbooks(tmp_path: Path) -> None:
    path = workbook(tmp_path / "r.xlsx", [None, 7, None])
    assert not holds(path)
    with zipfile.ZipFile(path) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    changed = parts[sheet].replace(b'<c r="A3"><v>7</v></c>', b'<c r="A3" t="e"><v>#N/A</v></c>')
    assert changed != parts[sheet]
    with zipfile.ZipFile(path, "w") as book:
        for name, part in parts.items():
            book.writestr(name, changed if name == sheet else part)
    assert pv.read(path).frame["age"].null_count() == K  # what the reader makes of it
    assert not holds(path)
    with pytest.raises(TableError, match="row 2: a formula"):
        pv.verify(workbook(tmp_path / "f.xlsx", ["=1+1"] * K, "write_formula"), PLAN)


def test_tables_that_changed_or_were_cleaned(tmp_path: Path) -> None:
    path = text(tmp_path, ["34", "34", "34"])
    table = pv.read(path)
    text(tmp_path, ["34", "35", "34", "35"])
    with pytest.raises(TableError, match="has changed since it was read"):
        pv.verify(table, PLAN)
    path = text(tmp_path, ["34", "34", "34", ""])
    cleaned, _ = pv.clean(pv.read(path), missing_rows=True)
    assert pv.verify(cleaned, PLAN)


def test_measure_and_attack_see_the_same_cells(tmp_path: Path) -> None:
    original = pl.DataFrame({"age": [34, 34, 34], "ill": ["flu", "flu", "cold"]})
    path = tmp_path / "r.csv"
    path.write_text("age,ill\n34,flu\n34.0,flu\n34,cold\n")
    assert pv.measure(original, path, PLAN)["privacy.k"] == 1
    path.write_text("age,ill\n34,flu\n34 ,flu\n34,cold\n")
    with pytest.raises(TableError, match="cell '34 ' is neither a value"):
        pv.measure(original, path, PLAN)
    assert pv.attack(path, PLAN)["attack.homogeneity.ill"].exposed.tolist() == [1]
    assert pv.risk(path, PLAN)["risk.uniques"] == pytest.approx(1 / 3)


def test_the_command_line_sees_the_same_cells(tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from paravent.cli.app import app

    path = text(tmp_path, ["34", "34 ", "34"])
    for options in ([], ["--delimiter", ","]):
        found = CliRunner().invoke(app, ["verify", str(path), "--quasi", "age", "--k", "2", "--json", *options])
        assert found.exit_code == 1, found.output
        assert json.loads(found.stdout)["holds"] is False


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ('\nage "years"\n31\n32\n', ["31", "32"]),  # blank lines before the header of the only column
        ('\n\nage "years"\n31\n\n32\n', ["31", None, "32"]),  # a blank line after it is an empty cell
        ('\n\nage "years";job\n31;"a"\n\n32;b\n', ["31", "32"]),
        ('age "years"\n31\n', ["31"]),
    ],
)
def test_blank_lines_before_the_header_are_no_rows(tmp_path: Path, text: str, cells: list[str | None]) -> None:
    from paravent.table.released import read_released

    path = tmp_path / "r.csv"
    path.write_text(text, newline="")
    released, _ = read_released(path, ['age "years"'])
    assert released['age "years"'].to_list() == cells
    assert pv.read(path).frame.height == len(cells)
