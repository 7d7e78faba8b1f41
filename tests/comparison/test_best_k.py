"""The reverse search: the demand holds, k is that of the release, and no trial was better."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import paravent as pv
from paravent.cli.app import app
from paravent.errors import InfeasibleError, PlanError

COLUMNS: dict[str, Any] = {"a": pv.Quasi(pv.intervals(5, 10, 20)), "b": pv.Quasi(pv.flat()), "s": pv.Sensitive()}


def frame(seed: int, rows: int = 80) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "a": rng.integers(0, 40, rows),
            "b": [f"v{i}" for i in rng.integers(0, 3, rows).tolist()],
            "s": [f"s{i}" for i in np.minimum(rng.geometric(0.5, rows), 4).tolist()],
        }
    )


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), close=st.booleans())
def test_the_demand_holds_and_k_is_that_of_the_release(seed: int, close: bool) -> None:
    table = frame(seed)
    demand = pv.TCloseness(0.4, "s") if close else pv.LDiversity(2, "s", kind="entropy")
    found = pv.best_k(table, pv.Plan(COLUMNS, [demand]), ks=[1, 2, 4])
    sizes = found.release.frame.group_by(["a", "b"]).len()["len"]
    assert found.k == sizes.min()
    assert pv.verify(found.release.frame, pv.Plan(COLUMNS, [demand]))
    assert found.best.loss == min(trial.loss for trial in found.trials)
    assert found.best.loss == found.release.measure()["utility.alteration.nllm"]
    for trial in found.trials:
        assert trial.k >= trial.asked
    assert len(found.trials) == 6


def test_a_k_in_the_plan_is_the_least_that_is_tried() -> None:
    plan = pv.Plan(COLUMNS, [pv.KAnonymity(4), pv.LDiversity(2, "s")])
    found = pv.best_k(frame(1), plan, ks=[1, 2, 6], strategies=["size"], by="utility.gcp")
    assert [trial.asked for trial in found.trials] == [4, 6]
    assert found.k >= 4
    assert repr(found).startswith(f"<BestK: k = {found.k}, utility.gcp ")


def test_options_of_a_gaa_are_kept() -> None:
    method = pv.methods.GAA(strategy=3, column="s", scope="class", metric="ncp")
    found = pv.best_k(frame(2), pv.Plan(COLUMNS, [pv.LDiversity(2, "s")], method), ks=[1], strategies=["size", 4])
    assert [trial.strategy for trial in found.trials] == ["size", 4]
    assert found.release.plan.method.metric == "ncp"  # type: ignore[attr-defined]


def test_what_cannot_be_met_is_said() -> None:
    with pytest.raises(InfeasibleError):
        pv.best_k(frame(3), pv.Plan(COLUMNS, [pv.LDiversity(5, "s")]), ks=[1])
    some = pv.best_k(frame(3), pv.Plan(COLUMNS, [pv.LDiversity(2, "s")]), ks=[1, 500], strategies=["size"])
    assert some.trials[1].reason is not None
    assert some.best is some.trials[0]
    with pytest.raises(PlanError, match="k-anonymity alone"):
        pv.best_k(frame(3), pv.Plan(COLUMNS, [pv.KAnonymity(3)]))
    with pytest.raises(PlanError, match="whole numbers"):
        pv.best_k(frame(3), pv.Plan(COLUMNS, [pv.LDiversity(2, "s")]), ks=[0])
    with pytest.raises(PlanError, match=r"utility\.beauty"):
        pv.best_k(frame(3), pv.Plan(COLUMNS, [pv.LDiversity(2, "s")]), ks=[1], by="utility.beauty")


def test_the_command(tmp_path: Path) -> None:
    source, target, plan = tmp_path / "people.csv", tmp_path / "out.csv", tmp_path / "plan.toml"
    frame(5).write_csv(source)
    words = ["best-k", str(source), "-q", "a,b", "--tree", "a=intervals(5, 10)", "--tree", "b=flat()", "-s", "s"]
    words += ["-l", "2", "--ks", "1,3"]
    result = CliRunner().invoke(app, [*words, "-o", str(target), "--save-plan", str(plan), "--json"])
    assert result.exit_code == 0, result.output
    told = json.loads(result.output)
    assert told["k"] == pl.read_csv(target).group_by(["a", "b"]).len()["len"].min()
    assert pv.anonymize(source, pv.Plan.load(plan)).verdict.strict_k == told["k"]
    assert f"k = {told['k']}" in CliRunner().invoke(app, words).output
    wrong = CliRunner().invoke(app, [*words[:-1], "one"])
    assert wrong.exit_code == 2
    assert "--ks" in wrong.output
