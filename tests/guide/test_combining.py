"""Combinations of treatments, labels and objectives with methods: proposed for a reason, run, verified and ranked."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import paravent as pv
from tests.drawing import generator


@pytest.fixture(scope="module")
def workers() -> pl.DataFrame:
    """500 workers: ages from 20 to 59 but for five of 120, and pay with nearly as many values as rows."""
    rng = generator(18, 0)
    ages = [*rng.integers(20, 60, 495).tolist(), *[120] * 5]
    return pl.DataFrame(
        {
            "age": ages,
            "pay": rng.choice(range(10_000, 90_000), 500, replace=False),
            "job": rng.choice(["nurse", "clerk", "smith"], 500),
            "disease": rng.choice(["flu", "ulcer", "cold"], 500),
        }
    )


@pytest.fixture(scope="module")
def roles() -> pv.Plan:
    columns = {"age": pv.Quasi(pv.intervals(5, 20)), "pay": pv.Quasi(), "job": pv.Quasi(pv.flat())}
    return pv.Plan({**columns, "disease": pv.Sensitive()}, pv.KAnonymity(2), person=None)


@pytest.fixture(scope="module")
def found(workers: pl.DataFrame, roles: pv.Plan) -> pv.Guidance:
    return pv.guide(workers, pv.Context(risk=0.2, use="counting"), roles)


def test_what_is_proposed_and_why(found: pv.Guidance) -> None:
    names = [each.name for each in found.combinations if each.k == 5]
    assert names == [
        "Mondrian by loss with intervals (k=5)",
        "k-member with intervals (k=5, MaxSup=25)",
        "MDAV with intervals (k=5)",
        "Optimal full-domain search by kl (k=5, MaxSup=25)",
        "Top coding of age at 59, then Mondrian by loss (k=5)",
        "Rounding of pay to 1000, then Mondrian by loss (k=5)",
    ]
    because = {each.name: each.because[0] for each in found.combinations}
    assert because[names[4]].startswith("5 rows at the end of age take 61% of its range")
    assert because[names[5]].startswith("pay has 500 different values")


def test_without_a_reason_there_is_no_treatment(workers: pl.DataFrame, roles: pv.Plan) -> None:
    calm = workers.with_columns(age=pl.col("age").clip(20, 59), pay=pl.col("pay") // 1000)
    proposed = pv.guide(calm, pv.Context(risk=0.2), roles).combinations
    assert [each.name for each in proposed if each.plan.treat] == []
    assert [each.name for each in proposed if " by kl " in each.name] == []


def test_they_have_no_score_before_they_are_tried(found: pv.Guidance) -> None:
    combined = {each.name for each in found.combinations}
    assert combined <= set(found.ranking.unscored)
    assert any("combinations" in str(note) for note in found.notes)


def test_seconds_on_the_table_rank_them(workers: pl.DataFrame, roles: pv.Plan) -> None:
    tried = pv.guide(workers, pv.Context(risk=0.2), roles, seconds=60)
    intervals = next(each.name for each in tried.combinations)
    assert tried.ranking[intervals].values["precision"] < tried.ranking["Mondrian by loss (k=5)"].values["precision"]
    assert tried.signature(intervals).because[0] in str(tried.explain(intervals))


def test_every_combination_runs_and_is_verified(found: pv.Guidance, tmp_path: Path) -> None:
    chosen = [each.name for each in found.combinations if each.k == 5]
    found.select(*chosen).run()
    for name in chosen:
        result = found.finished[name]
        assert result.status == "done", (name, result.reason)
        assert result.release is not None
        assert result.release.verdict.holds
    found.save(tmp_path / "process.json")
    again = pv.Guidance.load(tmp_path / "process.json")
    assert [each.because for each in again.combinations] == [each.because for each in found.combinations]


def test_methods_that_are_named_are_looked_at_alone(workers: pl.DataFrame, roles: pv.Plan) -> None:
    assert pv.guide(workers, pv.Context(), roles, methods=["mondrian-loss"]).combinations == ()


def test_nothing_false_is_proposed_where_values_must_be_true(found: pv.Guidance) -> None:
    assert all(step.coarsens for each in found.combinations for step in each.plan.treat)
