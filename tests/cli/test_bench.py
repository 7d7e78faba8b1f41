"""paravent bench, from its arguments to its files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

Run = Callable[..., Any]
SMALL = ("--only", "dense/500x3#1", "--methods", "Datafly,NearestNeighbour", "--jobs", "1")


def test_a_cube_is_built_told_about_and_gone_on_with(run: Run, tmp_path: Path) -> None:
    first = run("bench", "cube", "--out", "cube.parquet", *SMALL, "--json")
    assert first.exit_code == 0, first.output
    told = json.loads(first.stdout)
    assert told["evaluations"] > 100
    assert told["bytes"] == (tmp_path / "cube.parquet").stat().st_size
    again = run("bench", "cube", "--out", "cube.parquet", *SMALL)
    assert f"{told['evaluations']} evaluations" in again.stdout
    assert "left" not in again.stderr  # nothing was left to do
    frame = pl.read_parquet(tmp_path / "cube.parquet")
    assert set(frame["method"]) == {"Datafly()", "NearestNeighbour()", 'Mondrian(cut="median")'}  # the last: published

    view = run(
        "bench", "turtle", "--out", "view.ttl", "--cube", "cube.parquet", "--method", "Datafly", "--metric", "time"
    )
    assert view.exit_code == 0, view.output
    assert "know:execution-seconds" in (tmp_path / "view.ttl").read_text(encoding="utf-8")


def test_it_tells_how_far_it_is(run: Run) -> None:
    done = run("bench", "cube", "--out", "cube.parquet", *SMALL)
    assert "runs (100%)" in done.stderr
    assert "left: dense/500x3#1" in done.stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("cube", "--out", "c.parquet", "--only", "denes"), "the grid has no table 'denes'"),
        (("cube", "--out", "c.parquet", "--methods", "Mondrain"), "there is no method 'Mondrain'"),
        (("cube", "--out", "none/c.parquet"), "there is no folder 'none'"),
        (("cube", "--out", "c.parquet", "--jobs", "0"), "0 processes do no work"),
        (("turtle", "--out", "v.ttl", "--cube", "c.parquet"), "there is no cube at 'c.parquet'"),
    ],
)
def test_bad_input_is_one_sentence(run: Run, words: tuple[str, ...], sentence: str) -> None:
    done = run("bench", *words)
    assert done.exit_code == 2
    assert sentence in done.stderr
    assert "Traceback" not in done.output
