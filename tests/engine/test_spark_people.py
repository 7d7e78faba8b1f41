"""People with several rows on a cluster: the method and the verifying job count them, and not their rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent.engine.spark import run as spark_run
from paravent.engine.spark.persons import PERSON, check_same_rows, most_people
from paravent.engine.spark.run import anonymize_on_spark
from paravent.engine.spark.tuples import folded
from paravent.errors import PlanError, UnsafeReleaseError
from paravent.methods.method import Method
from tests.engine.lake import collected, people_of, plan_of, refused, sampling_plan, texts

pytestmark = pytest.mark.usefixtures("spark", "nothing_stays_behind")
WHO = {"patient": pv.Identifier()}


def visits() -> pl.DataFrame:
    """600 people with one to five rows each, which differ in their pay alone."""
    people = people_of(600, seed=11).with_columns(patient=pl.int_range(600))
    times = np.random.default_rng(2).integers(1, 6, 600)
    rows = people[np.repeat(np.arange(600), times)]
    return rows.with_columns(pay=pl.int_range(pl.len()) % 7).sample(fraction=1.0, shuffle=True, seed=5)


def of_people(method: Method, *protect: Any, **more: Any) -> pv.Plan:
    plan = plan_of(method, *protect, **more)
    return plan.replace(columns={**plan.columns, **WHO}, person="patient")


@pytest.mark.parametrize(
    ("method", "protect"),
    [
        (pv.methods.Datafly(), (pv.KAnonymity(4),)),
        (pv.methods.Optimal(), (pv.KAnonymity(4), pv.LDiversity(2, "disease"), pv.TCloseness(0.5, "disease"))),
    ],
    ids=["k", "k, l and t"],
)
def test_people_are_counted_as_on_one_machine(spark: Any, method: Method, protect: tuple[Any, ...]) -> None:
    table, plan = visits(), of_people(method, *protect, suppression=0.03)
    release = pv.anonymize(spark.createDataFrame(table.to_arrow()).repartition(3), plan)
    alone = pv.anonymize(table, plan)
    found = collected(release)
    assert found.columns == ["age", "zip", "sex", "pay", "disease"]
    assert texts(found).equals(texts(alone.frame))
    assert release.trace == alone.trace
    assert release.verdict.levels == alone.verdict.levels
    assert str(release.verdict) == str(alone.verdict)
    ours, theirs = release.measure().to_dict(), alone.measure().to_dict()
    assert {name: theirs[name] for name in ours} == ours
    release.close()


def test_the_second_job_counts_people_in_the_files(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that takes rows for people would leave classes of four rows and fewer people."""
    monkeypatch.setattr(spark_run, "folded_people", folded)
    frame = spark.createDataFrame(visits().to_arrow())
    with pytest.raises(UnsafeReleaseError, match="4-anonymity fails"):
        anonymize_on_spark(
            frame, of_people(pv.methods.Datafly(), pv.KAnonymity(4), suppression=0.05), target=str(tmp_path / "out")
        )
    assert list(tmp_path.iterdir()) == []
    told = frame.withColumnRenamed("patient", PERSON).drop(PERSON)
    check_same_rows(told, told.repartition(3))
    with pytest.raises(UnsafeReleaseError, match="not those in which people were counted"):
        check_same_rows(told, told.limit(20))


def test_nobody_is_sampled_twice(spark: Any) -> None:
    """SafePub draws from one row of each person, the least by its cells."""
    rows = pl.concat([people_of(1200, seed=s).with_columns(patient=pl.int_range(1200)) for s in (1, 2, 3)])
    plan = sampling_plan(unsafe_seed=4, columns=WHO, person="patient")
    release = pv.anonymize(spark.createDataFrame(rows.to_arrow()).repartition(3), plan)
    least = rows.sort("age", "sex", "disease").unique("patient", keep="first", maintain_order=True)
    alone = pv.anonymize(least.sort("age", "sex", "disease"), plan)
    assert texts(collected(release)).equals(texts(alone.frame))
    assert release.verdict.suppressed == 1200 - release.verdict.rows
    assert any("one person of 'patient', of whom the row that comes first" in note for note in release.verdict.notes)
    release.close()


def test_what_cannot_be_counted_is_refused(spark: Any, tmp_path: Path) -> None:
    frame = spark.createDataFrame(visits().to_arrow())
    plan = of_people(pv.methods.Datafly(), pv.KAnonymity(4), suppression=0.05)
    other = frame.selectExpr("age + pay % 2 as age", "zip", "sex", "pay", "disease", "patient")
    refused(other, plan, PlanError, "some people have rows that differ", tmp_path)
    refused(frame, of_people(pv.methods.Mondrian()), PlanError, "not counted by Mondrian on Spark", tmp_path)
    refused(frame, plan.replace(person="patent"), PlanError, "no column 'patent'", tmp_path)
    holes = frame.selectExpr("age", "zip", "sex", "pay", "disease", "nullif(patient, 7) as patient")
    refused(holes, plan, PlanError, "nobody knows whose", tmp_path)
    shown = plan.replace(columns={**plan.columns, "patient": pv.Insensitive()})
    refused(frame, shown, PlanError, "'patient' would show which rows", tmp_path)
    unsaid = plan_of(pv.methods.Datafly(), suppression=0.05)
    unsaid = unsaid.replace(columns={**unsaid.columns, **WHO})
    refused(frame, unsaid, PlanError, "Write person='patient'", tmp_path)
    with pytest.raises(PlanError, match=r"without \.csv"):
        anonymize_on_spark(frame, plan, target=str(tmp_path / "out.csv"))


def test_how_many_people_may_be_suppressed() -> None:
    """Whoever they are: those with the most rows count."""
    draw = np.random.default_rng(3)
    for allowed in (0, 3, 11, 40, 1000):
        rows = draw.integers(1, 5, 60)
        expected = int(np.searchsorted(np.cumsum(np.sort(rows)[::-1]), allowed, side="right"))
        values, people = np.unique(rows, return_counts=True)
        counts = list(zip(values[::-1].tolist(), people[::-1].tolist(), strict=True))
        assert most_people(counts, allowed) == expected
