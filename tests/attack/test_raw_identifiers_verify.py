"""`verify` says no to raw identifiers where the plan promises pseudonyms or random numbers."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import paravent as pv

NAMES = ["Ana", "Béa", "Cem", "Dan", "Eva", "Ana"]


@pytest.fixture
def frame() -> pl.DataFrame:
    return pl.DataFrame({"name": NAMES, "age": [30, 31, 32, 40, 41, 42]})


def plan(replace: str, monkeypatch: pytest.MonkeyPatch) -> pv.Plan:
    monkeypatch.setenv("KEY", "a key for tests, no secret at all")
    key = {"key_env": "KEY", "length": 8} if replace == "pseudonym" else {}
    return pv.Plan({"name": pv.Identifier(replace, **key), "age": pv.Quasi()}, pv.KAnonymity(2), person=None)


@pytest.mark.parametrize("replace", ["random", "pseudonym"])
@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl", "xlsx"])
def test_a_true_release_verifies_with_a_note(
    frame: pl.DataFrame, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, replace: str, ending: str
) -> None:
    wanted = plan(replace, monkeypatch)
    release = pv.anonymize(frame, wanted)
    release.write(tmp_path / f"out.{ending}")
    verdict = pv.verify(tmp_path / f"out.{ending}", wanted)
    assert verdict.holds, str(verdict)
    assert any("cannot be seen in a table" in note for note in verdict.notes)


@pytest.mark.parametrize("replace", ["random", "pseudonym"])
@pytest.mark.parametrize(
    "raw",
    [
        NAMES,
        [f"{i:03}-55-{7000 + i}" for i in range(6)],
        [10_001, 10_002, 10_003, 10_004, 10_005, 10_001],
        [1, 2, 3, 4, 5, 7],
        [0, 1, 2, 3, 4, 5],
        [1.5, 2.0, 3.0, 4.0, 5.0, 6.0],
        ["01", "02", "03", "04", "05", "06"],
        ["A1A4EF11"] * 6,
        ["a1a4ef11", "547a685d", "a1a4ef11", "547a685d", "547a685d", "Ana"],
        [True, False, True, False, True, False],
    ],
)
def test_raw_identifiers_are_refused(
    frame: pl.DataFrame, monkeypatch: pytest.MonkeyPatch, replace: str, raw: list[object]
) -> None:
    wanted = plan(replace, monkeypatch)
    released = pv.anonymize(frame, wanted).frame
    verdict = pv.verify(released.with_columns(name=pl.Series(raw, strict=False)), wanted)
    assert not verdict.holds
    assert "column 'name' must hold" in verdict.why_not()
    assert "Ana" not in str(verdict)


def test_a_column_that_was_left_out_gives_nothing_away(
    frame: pl.DataFrame, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    wanted = plan("pseudonym", monkeypatch)
    pv.write(pv.anonymize(frame, wanted).frame.drop("name"), tmp_path / "out.csv")
    assert pv.verify(tmp_path / "out.csv", wanted).holds
