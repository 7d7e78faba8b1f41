"""SafePub on a cluster: the sample that one machine would draw, paid for first, and checked in the files."""

from __future__ import annotations

import datetime
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent.engine.spark import run as spark_run
from paravent.engine.spark.fingerprint import fingerprint
from paravent.engine.spark.run import anonymize_on_spark
from paravent.engine.spark.sampled import check_written
from paravent.errors import InfeasibleError, PlanError, TableError, UnsafeReleaseError
from paravent.private.sampling import Sampled, Sampling
from tests.engine.lake import collected, command, refused, sampling_plan, texts

pytestmark = pytest.mark.usefixtures("spark", "nothing_stays_behind")


def test_the_sample_is_that_of_one_machine(spark: Any, people: pl.DataFrame) -> None:
    """With the same seed, over rows that one machine finds in the order in which the cluster counts them: by the codes
    of the quasi-identifiers, then by the texts of the other cells, missing ones last."""
    moments = [datetime.datetime(2026, 1, 1, hour, tzinfo=datetime.UTC) for hour in (0, 9)]
    known = people.with_columns(
        seen=pl.Series([moments[i % 2] for i in range(people.height)]),
        share=pl.Series([[0.5, None, -0.0][i % 3] for i in range(people.height)], dtype=pl.Float64),
    )
    known = pl.concat([known] * 3)
    rows = known.with_columns(last=pl.col("share").is_null()).sort("age", "sex", "disease", "seen", "last", "share")
    plan = sampling_plan(unsafe_seed=4, columns={"seen": pv.Insensitive(), "share": pv.Insensitive()})
    shuffled = known.sample(fraction=1.0, shuffle=True, seed=1)
    release = pv.anonymize(spark.createDataFrame(shuffled.to_arrow()).repartition(3), plan)
    alone = pv.anonymize(rows.drop("last"), plan)
    found = collected(release)
    assert texts(found).equals(texts(alone.frame.with_columns(pl.col("share") + 0.0)))
    assert found.height > 500
    assert release.trace == alone.trace
    assert release.account == alone.account
    assert str(release.verdict) == str(alone.verdict)
    assert any(note.startswith("NOT PRIVATE") for note in release.verdict.notes)
    assert release.verdict.checks[0].known_by.startswith("by construction")
    ours, theirs = release.measure().to_dict(), alone.measure().to_dict()
    assert {name: theirs[name] for name in ours} == ours
    in_order = found.select(pl.all().cast(pl.String))
    assert in_order["age"].to_list() == sorted(in_order["age"])
    release.close()


def test_the_ledger_is_charged_first_and_knows_the_table(spark: Any, people: pl.DataFrame, tmp_path: Path) -> None:
    frame = spark.createDataFrame(people.to_arrow())
    budget = pv.Budget(tmp_path / "x.ledger", epsilon=2.5, delta=1e-4, outright=3e-5)
    release = pv.anonymize(frame, sampling_plan(), budget=budget)
    found = collected(release)
    assert int(str(found.group_by(pl.all()).len()["len"].min())) >= 40
    assert budget.spent.epsilon == 1
    assert budget.spent.delta == Fraction(1, 10**5)
    assert any("in the ledger" in note for note in release.verdict.notes)
    assert [entry["what"][:6] for entry in release.provenance["account"]] == ["choice", "rows d"]
    release.close()
    other = spark.createDataFrame(people.sample(fraction=1.0, shuffle=True, seed=9).to_arrow()).repartition(3)
    pv.anonymize(other, sampling_plan(), budget=budget).close()
    assert len(budget.entries) == 2
    with pytest.raises(PlanError, match="is of another table"):
        pv.anonymize(frame.limit(1499), sampling_plan(), budget=budget)
    with pytest.raises(InfeasibleError, match="the budget does not hold"):
        pv.anonymize(frame, sampling_plan(), budget=budget)
    assert len(budget.entries) == 2


def test_fingerprints_see_every_change(spark: Any) -> None:
    def of(**columns: list[Any]) -> str:
        return fingerprint(spark.createDataFrame(pl.DataFrame(columns).to_arrow()))

    first = of(a=["x", "y", None], b=[1, 2, 3])
    assert first == of(a=["y", None, "x"], b=[2, 3, 1])
    for changed in (
        {"a": ["x", "y", None], "b": [1, 3, 2]},
        {"a": ["x", "y", ""], "b": [1, 2, 3]},
        {"a": ["x", "y", None, None], "b": [1, 2, 3, None]},
        {"c": ["x", "y", None], "b": [1, 2, 3]},
    ):
        assert of(**changed) != first
    assert of(a=["x", None], b=[None, "x"]) != of(a=["x", "x"], b=[None, None])
    assert of(a=[None, "x"], b=["x", "x"]) != of(a=["x", "x"], b=[None, "x"])
    assert len(fingerprint(spark.sql("select map('a', 1) as m, array(1, 2) as l, named_struct('x', 1) as s"))) == 64


def test_the_command_line_charges_the_ledger(lake: Path, tmp_path: Path) -> None:
    sampling_plan().save(tmp_path / "plan.toml")
    given = [str(lake), "--plan", str(tmp_path / "plan.toml")]
    budget = pv.Budget(tmp_path / "x.ledger", epsilon=1, delta=1e-4, outright=1e-5)
    out, ledger = tmp_path / "out", str(budget.path)
    told = json.loads(command(*given, "-o", str(out), "--budget", ledger, "--json"))
    assert told["holds"] is True
    assert budget.spent.epsilon == 1
    assert pl.read_parquet(out / "*.parquet").height == told["rows"]["released"]
    again = command(*given, "-o", str(tmp_path / "b"), "--budget", ledger, fails=True)
    assert "the budget does not hold" in again
    assert not (tmp_path / "b").exists()
    steps = json.loads(command(*given, "--dry-run", "--json"))["steps"]
    assert "Charge the ledger, then draw rows on the driver (SafePub)." in steps
    sampling_plan(method=pv.methods.Datafly(), protect=[pv.KAnonymity(5)], suppression=0.05).save(tmp_path / "k.toml")
    refusal = command(str(lake), "--plan", str(tmp_path / "k.toml"), "--budget", ledger, fails=True)
    assert "Datafly spends no budget" in refusal


def test_rows_of_which_too_few_are_alike_are_not_released(
    spark: Any, lake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever goes wrong between the draw and the files, the second job counts the rows that are there."""
    honest = spark_run.drawn

    def one_more(*given: Any) -> Any:
        rows, found = honest(*given)
        return rows.unionByName(rows.limit(1).selectExpr("age", "sex", "'gout' as disease")), found

    monkeypatch.setattr(spark_run, "drawn", one_more)
    budget = pv.Budget(tmp_path / "x.ledger", epsilon=1, delta=1e-4, outright=1e-5)
    with pytest.raises(UnsafeReleaseError, match="like fewer than 44 in all columns"):
        anonymize_on_spark(str(lake), sampling_plan(), target=str(tmp_path / "out"), budget=budget)
    assert [path.name for path in tmp_path.iterdir()] == ["x.ledger"]
    assert len(budget.entries) == 1  # spent is spent
    few = Sampled(Sampling(Fraction(1, 2), 3), Fraction(1), Fraction(1, 10**5), Fraction(0), 1, ())
    with pytest.raises(UnsafeReleaseError, match="was claimed"):
        check_written(spark.range(9), few)


def test_what_would_break_the_promise_is_refused(spark: Any, lake: Path, tmp_path: Path) -> None:
    frame = spark.read.parquet(str(lake))
    refused(frame, sampling_plan(protect=[pv.KAnonymity(5)]), PlanError, "spends a budget", tmp_path)
    diverse = sampling_plan(protect=[pv.DifferentialPrivacy(1, 1e-5), pv.LDiversity(2, "disease")])
    refused(frame, diverse, PlanError, "would break differential privacy", tmp_path)
    free = sampling_plan(columns={"age": pv.Quasi(pv.quantiles(4))})
    refused(frame, free, PlanError, "depend on which values occur", tmp_path)
    lists = frame.selectExpr("*", "array(age) as ages")
    refused(lists, sampling_plan(columns={"ages": pv.Insensitive()}), PlanError, "columns.ages", tmp_path)
    refused(frame, sampling_plan(), TableError, "all released columns have more than 9", tmp_path, tuples=9)
    few = frame.where("age = 20")
    refused(few, sampling_plan(), InfeasibleError, "what was spent is spent", tmp_path)
    drawn = sampling_plan(method=pv.methods.AIM())
    refused(frame, drawn, PlanError, "AIM does not run on Spark", tmp_path)


def test_equal_rows_that_were_counted_are_drawn_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many of each kind as `draw` draws of its rows, however they are parted; on average β of them."""
    sampling = Sampling(Fraction(3, 8), 5)
    times = np.array([0, 3, 1000, 1, 0, 250, 17])
    ends = np.cumsum(times)
    for at_once in (1 << 22, 100, 7):
        monkeypatch.setattr("paravent.private.sampling._AT_ONCE", at_once)
        drawn = sampling.draw(int(ends[-1]), np.random.default_rng(5))
        expected = [int(drawn[end - n : end].sum()) for end, n in zip(ends, times, strict=True)]
        assert sampling.draw_of(times, np.random.default_rng(5)).tolist() == expected
    many = sampling.draw_of(np.full(4000, 50), np.random.default_rng(1))
    assert many.mean() == pytest.approx(50 * 0.375, abs=4 * np.sqrt(50 * 0.375 * 0.625 / 4000))
    assert many.var() == pytest.approx(50 * 0.375 * 0.625, rel=0.1)
    assert sampling.draw_of(np.zeros(0, dtype=np.int64)).tolist() == []
