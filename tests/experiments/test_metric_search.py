"""Searching a metric: never worse than its start, the same again, and taken up where it was left."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from paravent_experiments.metric_search import search_metric
from typer.testing import CliRunner

import paravent as pv
from paravent.cli.app import app
from paravent.errors import PlanError
from paravent.methods import GkAA

TREES = {"a": pv.intervals(3, 6, 12), "b": pv.flat(), "c": pv.intervals(5, 10)}


def frame(rows: int = 150) -> pl.DataFrame:
    rng = np.random.default_rng(5)
    return pl.DataFrame(
        {
            "a": rng.integers(0, 40, rows),
            "b": [f"v{i}" for i in rng.integers(0, 5, rows).tolist()],
            "c": rng.integers(0, 20, rows),
        }
    )


def test_what_is_found_is_better_and_true() -> None:
    found = search_metric(frame(), TREES, k=5, trials=25)
    assert found.value < found.start
    again = pv.k_sweep(frame(), TREES, GkAA(metric=found.metric), ks=[5]).criteria(5)
    assert again.average == found.value
    assert repr(found).endswith("after 25 trials>")


def test_without_a_trial_the_start_stays() -> None:
    found = search_metric(frame(), TREES, k=5, start="ncp", trials=0)
    assert found.metric == "ncp"
    assert found.value == found.start == pv.k_sweep(frame(), TREES, GkAA(metric="ncp"), ks=[5]).criteria(5).average


@pytest.mark.parametrize("aim", ["generalized", "root"])
def test_other_aims(aim: str) -> None:
    found = search_metric(frame(), TREES, k=5, trials=8, aim=aim)  # type: ignore[arg-type]
    assert found.value <= found.start
    assert found.value == found.criteria[aim]


def test_a_search_goes_on_where_it_was_left(tmp_path: Path) -> None:
    kept = tmp_path / "search.json"
    search_metric(frame(), TREES, k=5, trials=6, results=kept)
    in_two = search_metric(frame(), TREES, k=5, trials=12, results=kept)
    at_once = search_metric(frame(), TREES, k=5, trials=12)
    assert (in_two.metric, in_two.value, in_two.trials) == (at_once.metric, at_once.value, at_once.trials)
    with pytest.raises(PlanError, match="another protocol"):
        search_metric(frame(), TREES, k=6, trials=6, results=kept)


def test_an_unknown_aim_is_named() -> None:
    with pytest.raises(PlanError, match="aim"):
        search_metric(frame(), TREES, k=5, aim="beauty")  # type: ignore[arg-type]


def test_the_command_writes_a_plan_that_merges_by_what_it_found(tmp_path: Path) -> None:
    source, kept, saved = tmp_path / "people.csv", tmp_path / "search.json", tmp_path / "plan.toml"
    frame().write_csv(source)
    plan = pv.Plan({name: pv.Quasi(tree) for name, tree in TREES.items()}, [pv.KAnonymity(5)])
    plan.save(tmp_path / "asked.toml")
    words = ["experiment", "metric-search", str(source), "--plan", str(tmp_path / "asked.toml"), "--trials"]
    more = ["--results", str(kept), "--save-plan", str(saved), "--json"]
    first = json.loads(CliRunner().invoke(app, [*words, "10", *more]).output)
    before = saved.read_bytes()
    refused = CliRunner().invoke(app, [*words, "25", *more])
    assert refused.exit_code == 2
    assert "--force" in refused.output
    assert saved.read_bytes() == before
    result = CliRunner().invoke(app, [*words, "25", *more, "--force"])
    assert result.exit_code == 0, result.output
    told = json.loads(result.output)
    assert told["start"] >= first["value"] >= told["value"]
    assert told["trials"] == 25
    release = pv.anonymize(source, pv.Plan.load(saved))
    assert release.measure()["utility.alteration.mean"] == pytest.approx(told["value"])
    assert release.verdict


def test_what_the_command_lacks_is_said(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("a,s\n1,x\n2,y\n")
    for words in (["--quasi", "a"], [str(tmp_path / "people.csv"), "-q", "a", "-s", "s", "-l", "2"]):
        result = CliRunner().invoke(app, ["experiment", "metric-search", *words])
        assert result.exit_code == 2
        assert "metric-search" in result.output
