"""paravent compare from its arguments to its files and exit codes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

import paravent as pv
from paravent.cli.app import app
from paravent.cli.sweeps import read_sweeps
from paravent.errors import PlanError

Run = Callable[..., Any]
SET = pv.methods.Mondrian(cut="median", labels="set")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, people: pl.DataFrame, plan: pv.Plan) -> Run:
    monkeypatch.chdir(tmp_path)
    people.write_csv("people.csv")
    plan.save("five.toml")
    plan.replace(protect=[pv.KAnonymity(10)]).save("ten.toml")
    plan.replace(protect=[pv.KAnonymity(9000)]).save("never.toml")
    return lambda *words: CliRunner().invoke(app, ["compare", "people.csv", *map(str, words)])


def test_plans_side_by_side(run: Run, tmp_path: Path) -> None:
    result = run("five.toml", "ten.toml", "--report", "c.html", "--map", "m.svg", "--releases", "out")
    assert result.exit_code == 0, result.output
    assert "five misses 10-anonymity (privacy.k = 5" in result.stdout
    assert "(original)" in result.stdout
    assert (tmp_path / "c.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert (tmp_path / "m.svg").read_text(encoding="utf-8").startswith("<svg xmlns=")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["five.csv", "ten.csv"]
    assert pv.verify(tmp_path / "out" / "ten.csv", tmp_path / "ten.toml")


def test_a_sweep_from_a_plan_for_machines(run: Run) -> None:
    result = run("--plan", "five.toml", "--sweep", "k=2,5", "--sweep", "suppression=0..0.1:0.05", "--json")
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert [entry["name"] for entry in document["candidates"]][:2] == ["k=2, suppression=0", "k=2, suppression=0.05"]
    assert len(document["candidates"]) == 6
    assert document["comparable"] is False
    assert document["files"] == {}


def test_a_sweep_from_options(run: Run) -> None:
    result = run(
        "-q",
        "age,sex",
        "-i",
        "name",
        "-k",
        5,
        "--sweep",
        "k=3,9",
        "--sweep",
        "method.labels=tree,interval",
        "--one-at-a-time",
    )
    assert result.exit_code == 0, result.output
    assert "k=9, labels=tree" in result.stdout
    assert "k=9, labels=interval" not in result.stdout


def test_one_that_fails_is_a_line_and_the_exit_code_is_1(run: Run) -> None:
    result = run("five.toml", "never.toml")
    assert result.exit_code == 1
    assert "never: no release. 9000-anonymity cannot hold" in result.stdout
    assert "* five" in result.stdout


def test_a_release_made_elsewhere(run: Run, people: pl.DataFrame) -> None:
    people.drop("name").write_csv("raw.csv")
    result = run("five.toml", "five.toml=raw.csv")
    assert result.exit_code == 1
    assert "raw does not hold what its own plan promises" in result.stdout


def test_what_was_finished_is_taken_up_again(run: Run, tmp_path: Path) -> None:
    assert run("five.toml", "--results", "r.json").exit_code == 0
    first = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert run("five.toml", "--results", "r.json").exit_code == 0
    assert json.loads((tmp_path / "r.json").read_text(encoding="utf-8")) == first  # not even its time has changed


def test_ctrl_c_keeps_what_was_finished(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import paravent.comparison.run as runner

    real, calls = runner.anonymize, []

    def second_time_unlucky(*args: Any, **options: Any) -> Any:
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return real(*args, **options)

    monkeypatch.setattr(runner, "anonymize", second_time_unlucky)
    result = run("five.toml", "ten.toml", "--results", "r.json", "--report", "c.html")
    assert result.exit_code == 130
    assert "Stopped: ten was not run." in result.stdout
    assert [entry.status for entry in pv.Comparison.load("r.json").entries] == ["done", "not run"]
    assert "Not run" in (tmp_path / "c.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["five.toml", "--by", "utility.gpc"], "Did you mean 'utility.gcp'?"),
        (["five.toml", "--sweep", "k"], "must be NAME=VALUES"),
        (["five.toml", "--sweep", "k=2", "--sweep", "k=3"], "named twice"),
        (["five.toml", "--sweep", "m=2"], "the plan has no parameter 'm'"),
        (["five.toml", "--sweep", "k=0"], "k must be a whole number"),
        (["five.toml", "--one-at-a-time"], "Name what shall vary"),
        (["nowhere.toml"], "cannot be read"),
        (["five.toml", "--report", "people.csv"], "is the table itself"),
        (["five.toml", "--releases", "people.csv"], "is a file"),
        ([], "Nothing says which columns"),
        (["--plan", "five.toml", "-k", "3"], "both say what is wanted"),
        (["five.toml", "--measure", "lernen"], "there is no family 'lernen'"),
    ],
)
def test_wrong_input_gets_a_sentence_and_exit_code_2(run: Run, words: list[str], said: str) -> None:
    result = run(*words)
    assert result.exit_code == 2, result.output
    assert said in result.output
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("k=2,5,10", [2, 5, 10]),
        ("k=2..16:*2", [2, 4, 8, 16]),
        ("k=3..5", [3, 4, 5]),
        ("suppression=0..0.1:0.02", [0, 0.02, 0.04, 0.06, 0.08, 0.1]),
        ("method.labels=tree, set", ["tree", "set"]),
        ("method.strict=true,False", [True, False]),
        ("missing=none,'drop rows'", [None, "drop rows"]),
        ("method=Mondrian(cut='median', labels='set'),Mondrian()", [SET, pv.methods.Mondrian()]),
        ("columns.age.tree=intervals(5, 10),ages.csv", [pv.intervals(5, 10), "ages.csv"]),
    ],
)  # fmt: skip
def test_values_of_a_sweep(text: str, values: list[Any]) -> None:
    (found,) = read_sweeps([text]).values()
    assert found == values
    assert [type(value) for value in found] == [type(value) for value in values]


@pytest.mark.parametrize("text", ["k=5..2", "k=1..9:0", "k=0..9:*2", "k=1..9:*1", "k=a..b", "k=0..1:1e-9", "k=1..inf"])
def test_ranges_that_lead_nowhere(text: str) -> None:
    with pytest.raises(PlanError, match="--sweep"):
        read_sweeps([text])
