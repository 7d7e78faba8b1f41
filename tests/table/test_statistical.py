"""Files of SPSS, Stata and SAS: labels, missing values of all sorts, and what the formats cannot hold."""

import datetime as dt
import time
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import paravent as pv
from paravent.errors import TableError
from paravent.table.kinds import Kind
from paravent.table.read import read
from paravent.table.write import write

pyreadstat = pytest.importorskip("pyreadstat")

FRAME = pl.DataFrame(
    {
        "id": [1, 2, 3],
        "pay": [1.5, None, -0.25],
        "job": ["clerk", None, "né: 😀"],
        "born": [dt.date(1999, 1, 31), None, dt.date(1900, 2, 28)],
        "seen": [dt.datetime(2020, 1, 1, 12, 0, 1), None, dt.datetime(1970, 1, 1)],
        "at": [dt.time(12), None, dt.time(23, 59, 59)],
    }
)
KINDS = [".sav", ".zsav", ".dta"]


@pytest.mark.parametrize("suffix", KINDS)
def test_round_trip(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"t{suffix}"
    write(FRAME, path)
    table = read(path)
    assert_frame_equal(table.frame, FRAME)
    assert table.kind("born") is Kind.DATE
    assert "first bytes" in table.origin.choices["format"]


@pytest.mark.parametrize("suffix", KINDS)
def test_the_same_table_gives_the_same_bytes(tmp_path: Path, suffix: str) -> None:
    first, second = tmp_path / f"a{suffix}", tmp_path / f"b{suffix}"
    write(FRAME, first)
    time.sleep(1.1)
    write(FRAME, second)
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize("suffix", KINDS)
def test_truth_values_are_labelled_numbers(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"t{suffix}"
    write(pl.DataFrame({"ok": [True, None, False]}), path)
    assert read(path).frame["ok"].to_list() == ["true", None, "false"]
    reader = pyreadstat.read_dta if suffix == ".dta" else pyreadstat.read_sav
    assert reader(path, output_format="polars")[0]["ok"].to_list() == [1, None, 0]


def test_a_release_in_spss_and_stata(tmp_path: Path) -> None:
    table = read(pl.DataFrame({"age": [20, 21, 40, 41], "ill": ["flu", "cold", "flu", "flu"]}))
    plan = pv.Plan({"age": pv.Quasi(), "ill": pv.Sensitive()}, [pv.KAnonymity(2)])
    release = pv.anonymize(table, plan)
    for suffix in KINDS:
        path = tmp_path / f"r{suffix}"
        write(release.frame, path)
        assert pv.verify(path, plan)


def test_value_labels_become_words_where_all_have_one(tmp_path: Path) -> None:
    path = tmp_path / "t.sav"
    frame = pl.DataFrame(
        {"sex": [1.0, 2.0, 1.0], "score": [1.0, 2.0, 99.0], "both": [1.0, 2.0, 1.0], "size": [1.0, 3.0, 2.0]}
    )
    pyreadstat.write_sav(
        frame,
        path,
        variable_value_labels={
            "sex": {1: "male", 2: "female"},
            "score": {99: "refused"},
            "both": {1: "same", 2: "same"},
            "size": {1: "small", 2: "middling", 3: "large"},
        },
        variable_measure={"size": "ordinal"},
    )
    table = read(path)
    assert table.frame["sex"].to_list() == ["male", "female", "male"]
    assert table.frame["score"].to_list() == [1, 2, 99]
    assert table.frame["both"].to_list() == [1, 2, 1]
    assert table.kind("size") is Kind.ORDINAL
    assert table.columns["size"].order == ("small", "middling", "large")
    assert any("'score'" in note for note in table.notes)
    assert any("'both'" in note for note in table.notes)


def test_declared_missing_values_are_missing_and_told(tmp_path: Path) -> None:
    path = tmp_path / "t.sav"
    frame = pl.DataFrame({"age": [34.0, 98.0, 99.0, None], "ill": ["flu", "", "flu", "cold"]})
    pyreadstat.write_sav(frame, path, missing_ranges={"age": [98, 99]})
    table = read(path)
    assert table.frame["age"].to_list() == [34, None, None, None]
    assert table.frame["ill"].to_list() == ["flu", None, "flu", "cold"]
    assert any("column 'age': 2 cells hold what the file declares to be missing" in note for note in table.notes)


def test_declared_missing_values_stay_apart_for_the_verifier(tmp_path: Path) -> None:
    plan = pv.Plan({"age": pv.Quasi()}, [pv.KAnonymity(3)])
    path = tmp_path / "t.sav"
    pyreadstat.write_sav(pl.DataFrame({"age": [98.0, 99.0, 98.0]}), path, missing_ranges={"age": [98, 99]})
    assert not pv.verify(path, plan)
    pyreadstat.write_sav(pl.DataFrame({"age": [98.0, 98.0, 98.0]}), path, missing_ranges={"age": [98, 99]})
    assert pv.verify(path, plan)
    pd = pytest.importorskip("pandas")
    for cells, holds in ((["a", "b", "a"], False), (["a", "a", "a"], True), (["a", None, "a"], False)):
        path = tmp_path / "t.dta"
        frame = pd.DataFrame({"age": pd.Series([*cells, 1.0, 1.0, 1.0], dtype=object)})
        pyreadstat.write_dta(frame, path, missing_user_values={"age": ["a", "b"]})
        assert read(path).frame["age"].null_count() == 3
        assert bool(pv.verify(path, plan)) is holds


def test_labels_do_not_hide_numbers_from_the_verifier(tmp_path: Path) -> None:
    path = tmp_path / "t.sav"
    plan = pv.Plan({"job": pv.Quasi()}, [pv.KAnonymity(2)])
    pyreadstat.write_sav(pl.DataFrame({"job": [1.0, 2.0]}), path, variable_value_labels={"job": {1: "x", 2: "x"}})
    assert not pv.verify(path, plan)


def test_sas_transport_files_are_read_and_not_written(tmp_path: Path) -> None:
    path = tmp_path / "t.xpt"
    for version in (5, 8):
        pyreadstat.write_xport(
            pl.DataFrame({"age": [34.0, None, 51.5], "job": ["clerk", "", "nurse"]}), path, file_format_version=version
        )
        assert read(path).frame.rows() == [(34.0, "clerk"), (None, None), (51.5, "nurse")]
    for suffix in ("xpt", "sas7bdat"):
        with pytest.raises(TableError, match="SAS files are read, but not written"):
            write(FRAME, tmp_path / f"out.{suffix}")
        assert not (tmp_path / f"out.{suffix}").exists()


@pytest.mark.parametrize(
    ("column", "sentence"),
    [
        (pl.Series("marital-status", ["x"]), "column 'marital-status' cannot be called so in"),
        (pl.Series("9a", [1]), "cannot be called so"),
        (pl.Series("x" * 65, [1]), "cannot be called so"),
        (pl.Series("with", [1]), "cannot be called so"),
        (pl.Series("a", [2**53 + 1]), r"whole numbers beyond 2\^53"),
        (pl.Series("a", [float("inf")]), "infinite numbers"),
        (pl.Series("a", ["", None]), "missing cells and empty texts"),
        (pl.Series("a", ["nul\0x"]), "cannot hold as they are"),
        (pl.Series("a", [dt.datetime(2020, 1, 1, tzinfo=dt.UTC)]), "does not have"),
    ],
)
@pytest.mark.parametrize("suffix", KINDS)
def test_what_the_format_cannot_hold_is_refused(tmp_path: Path, column: pl.Series, sentence: str, suffix: str) -> None:
    path = tmp_path / f"t{suffix}"
    path.write_bytes(b"before")
    with pytest.raises(TableError, match=sentence):
        write(column.to_frame(), path)
    assert path.read_bytes() == b"before"
    assert len(list(tmp_path.iterdir())) == 1


def test_what_spss_alone_cannot_hold(tmp_path: Path) -> None:
    for frame in (pl.DataFrame({"a": ["x  ", "y"]}), pl.DataFrame({"Age": [1], "age": [2]})):
        with pytest.raises(TableError):
            write(frame, tmp_path / "t.sav")
        write(frame, tmp_path / "t.dta")
        assert_frame_equal(read(tmp_path / "t.dta").frame, frame)


@pytest.mark.parametrize("damage", [b"", b"$FL2", b"$FL3 and more", b"<stata_dta><header>", b"HEADER RECORD*******LIB"])
@pytest.mark.parametrize("suffix", [".sav", ".dta", ".sas7bdat", ".xpt"])
def test_damaged_files_are_one_sentence(tmp_path: Path, damage: bytes, suffix: str) -> None:
    path = tmp_path / f"t{suffix}"
    path.write_bytes(damage)
    with pytest.raises(TableError) as caught:
        read(path)
    assert "\n" not in str(caught.value)


def test_without_the_package_a_sentence_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    path = tmp_path / "t.sav"
    write(FRAME, path)
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    work: list[Any] = [lambda: read(path), lambda: write(FRAME, tmp_path / "u.dta")]
    for attempt in work:
        with pytest.raises(TableError, match=r"pip install 'paravent\[stats\]'"):
            attempt()
