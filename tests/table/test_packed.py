"""Texts in dictionaries: less memory, and the same releases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_series_equal
from typer.testing import CliRunner

import paravent as pv
from paravent.cli.app import app
from paravent.table import packed_table
from paravent.table.packed import packed_texts


@pytest.mark.parametrize("values", [1, 2, 254, 255, 256, 65535, 65536])
@pytest.mark.parametrize("holes", [False, True])
def test_texts_are_the_same_however_many_there_are(values: int, holes: bool) -> None:
    texts = [f"value {i}" for i in range(values)] * 60
    cells = pl.Series("x", [*texts, None, texts[0]] if holes else texts)
    found = packed_texts(cells)
    assert isinstance(found.dtype, pl.Categorical)
    assert found.to_physical().dtype == (pl.UInt8 if values < 256 else pl.UInt16 if values < 65536 else pl.UInt32)
    assert_series_equal(found.cast(pl.String), cells)


def test_texts_that_differ_stay() -> None:
    cells = pl.Series("x", [f"text {i}" for i in range(100_000)])
    assert packed_texts(cells).dtype == pl.String


def test_a_packed_table_is_the_same_table(monkeypatch: pytest.MonkeyPatch) -> None:
    table = pv.read(people())
    assert packed_table(table) is table
    monkeypatch.setattr("paravent.table.packed.LARGE", 1)
    found = packed_table(table)
    assert found.frame.schema["job"] != pl.String
    assert found.order_key == table.order_key
    assert found.fingerprint == table.fingerprint


def people() -> pl.DataFrame:
    draw = np.random.default_rng(3)
    n = 900
    jobs = draw.choice(["nurse", "cook", "judge", ""], n).tolist()
    return pl.DataFrame(
        {
            "age": draw.integers(20, 60, n),
            "zip": [f"{code:03d}" for code in draw.choice([100, 101, 110, 120, 200], n)],
            "sex": draw.choice(["f", "m"], n).tolist(),
            "job": pl.Series(jobs).replace("", None),
            "note": draw.choice(["=1+1", "fine", " ", "é"], n).tolist(),
            "disease": draw.choice(["flu", "cold", "ulcer"], n).tolist(),
        }
    )


PLANS: dict[str, dict[str, Any]] = {
    "mondrian": {"method": pv.methods.Mondrian()},
    "datafly": {"method": pv.methods.Datafly(), "suppression": 0.05},
    "marked": {"method": pv.methods.Datafly(), "suppression": 0.2, "suppressed": "mark", "order": "source"},
    "averages": {"method": pv.methods.MDAV()},
    "anatomy": {"method": pv.methods.Anatomy(l=2), "protect": [pv.LDiversity(2, "disease")]},
    "moved": {
        "method": pv.methods.Mondrian(),
        "treat": [
            pv.treatments.Shuffle("job", within="sex"),
            pv.treatments.PRAM("note", minimum=0.6),
            pv.treatments.Suppress("job", rarer=300),
            pv.treatments.Mask("note", last=1),
        ],
    },
}


COLUMNS = {
    "age": pv.Quasi(pv.intervals(5, 10, 20)),
    "zip": pv.Quasi(pv.prefixes()),
    "sex": pv.Quasi(pv.flat()),
    "job": pv.Insensitive(),
    "note": pv.Insensitive(),
    "disease": pv.Sensitive(),
}


@pytest.mark.parametrize("name", PLANS)
def test_the_command_writes_the_same_bytes(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    people().write_parquet("in.parquet")
    given = {"protect": [pv.KAnonymity(4), pv.LDiversity(2, "disease")]} | PLANS[name]
    pv.Plan(COLUMNS, **given, person=None).save("plan.toml")
    several = name in ("anatomy", "moved")
    told = []
    for folder, rows in (("plain", 10**9), ("packed", 1)):
        monkeypatch.setattr("paravent.table.packed.LARGE", rows)
        for target in (f"{folder}/",) if several else (f"{folder}.csv", f"{folder}.parquet"):
            done = CliRunner().invoke(app, ["anonymize", "in.parquet", "--plan", "plan.toml", "-o", target, "--json"])
            assert done.exit_code == 0, done.output
            told.append(json.loads(done.stdout))
    plain, small = (_written(which) for which in ("plain", "packed"))
    assert plain
    assert plain == small
    assert told[0]["measures"] == told[len(told) // 2]["measures"]


def _written(which: str) -> dict[str, bytes]:
    """The files of a run, without what tells the runs apart."""
    files = (path for path in Path().rglob("*") if which in str(path) and path.is_file())
    return {str(path).replace(which, ""): path.read_bytes() for path in files}
