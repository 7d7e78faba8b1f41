"""Methods that work in blocks of a table on a cluster: every model holds on all rows, at hardly more loss."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent.engine.spark import block_counts
from paravent.methods.method import Method
from tests.engine.lake import ROWS, collected, plan_of, texts

pytestmark = pytest.mark.usefixtures("spark", "nothing_stays_behind")


MODELS = [
    pv.KAnonymity(4),
    pv.LDiversity(2, "disease"),
    pv.LDiversity(1.5, "disease", kind="entropy"),
    pv.TCloseness(0.6, "disease"),
    pv.AlphaKAnonymity(alpha=0.8, k=4, column="disease"),
    pv.BetaLikeness(9, "disease"),
    pv.DeltaDisclosure(3, "disease"),
]


@pytest.mark.parametrize("labels", ["tree", "interval", "set"])
def test_mondrian_in_blocks_keeps_every_model(lake: Path, people: pl.DataFrame, labels: Any) -> None:
    plan = plan_of(pv.methods.Mondrian(labels=labels), *MODELS)
    release = pv.anonymize(str(lake), plan, engine=pv.Spark(block=200, sample=1000))
    assert "blocks" in release.trace[0]
    found = collected(release)
    judged = pv.verify(found, plan)  # by the verifier of one machine, from the rows alone
    assert judged
    assert judged.levels == pytest.approx(release.verdict.levels)
    assert found.height == ROWS
    assert sorted(found["pay"]) == sorted(people["pay"])
    alone = pv.anonymize(people, plan)
    assert release.measure()["utility.gcp"] <= 1.25 * alone.measure()["utility.gcp"]
    ours, theirs = release.measure().to_dict(), pv.measure(people, found, plan).to_dict()
    for name in ("utility.gcp", "utility.dm", "utility.cavg", "risk.prosecutor.average", "utility.classes"):
        assert ours[name] == pytest.approx(theirs[name], rel=1e-12), name
    release.close()


ADULT = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]


@pytest.mark.parametrize("method", [pv.methods.Optimal(), pv.methods.Mondrian()], ids=lambda m: type(m).__name__)
def test_adult_is_released_as_on_one_machine(spark: Any, method: Method) -> None:
    """The combination of levels of least loss, row for row; by Mondrian in blocks, hardly more loss."""
    adult = pv.data.adult().frame.select(*ADULT, "salary-class")
    columns: dict[str, Any] = {name: pv.Quasi(str(pv.data.adult_tree_path(name))) for name in ADULT}
    protect = [pv.KAnonymity(5), pv.LDiversity(2, "salary-class")]
    plan = pv.Plan({**columns, "salary-class": pv.Sensitive()}, protect, method=method, suppression=0.01)
    release = pv.anonymize(spark.createDataFrame(adult.to_arrow()), plan, engine=pv.Spark(block=8000))
    alone = pv.anonymize(adult, plan)
    found = collected(release)
    assert pv.verify(found, plan)
    if isinstance(method, pv.methods.Optimal):
        assert texts(found).equals(texts(alone.frame))
    else:
        assert "1 block " not in release.trace[0]
    assert release.measure()["utility.gcp"] <= 1.02 * alone.measure()["utility.gcp"]
    release.close()


@pytest.mark.parametrize("method", [pv.methods.Optimal(), pv.methods.Mondrian()], ids=lambda m: type(m).__name__)
def test_what_attackers_know_of_other_columns(spark: Any, lake: Path, people: pl.DataFrame, method: Method) -> None:
    """Somebody who knows the pay of a person divides classes by it: two diseases in each part."""
    grouped = "case when pay < 5000 then 'low' else 'high' end as pay"
    known = people.with_columns(pay=pl.when(pl.col("pay") < 5000).then(pl.lit("low")).otherwise(pl.lit("high")))
    protect = [pv.KAnonymity(4), pv.LDiversity(2, "disease", knowing=("pay",)), pv.DeltaDisclosure(3, "disease")]
    plan = plan_of(method, *protect, suppression=0.05)
    plan = plan.replace(columns={**plan.columns, "pay": pv.Sensitive()})
    source = spark.read.parquet(str(lake)).selectExpr("age", "zip", "sex", grouped, "disease")
    release, alone = pv.anonymize(source, plan, engine=pv.Spark(block=400, sample=1000)), pv.anonymize(known, plan)
    found = collected(release)
    judged = pv.verify(found, plan)
    assert judged
    assert judged.levels == pytest.approx(release.verdict.levels)
    if isinstance(method, pv.methods.Optimal):
        assert texts(found).equals(texts(alone.frame))
    release.close()


def test_one_block_is_what_one_machine_does(spark: Any, lake: Path, people: pl.DataFrame) -> None:
    plan = plan_of(pv.methods.Mondrian(), *MODELS)
    release = pv.anonymize(spark.read.parquet(str(lake)), plan)
    assert texts(collected(release)).equals(texts(pv.anonymize(people, plan).frame))
    release.close()


def test_rows_are_the_same_whatever_the_partitioning(spark: Any, lake: Path, people: pl.DataFrame) -> None:
    plan = plan_of(pv.methods.Mondrian(strict=False), pv.KAnonymity(5))
    engine = pv.Spark(block=300, sample=1000)
    shuffled = people.sample(fraction=1.0, shuffle=True, seed=3)
    other = spark.createDataFrame(shuffled.to_arrow()).select(*people.columns).repartition(5)
    one, two = (pv.anonymize(s, plan, engine=engine) for s in (spark.read.parquet(str(lake)), other))
    assert collected(one).equals(collected(two))  # in the same order, too
    one.close()
    two.close()


def test_the_table_is_read_once_to_cut_it(spark: Any, people: pl.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many blocks come out too large and are cut again: codes are kept. The rows are the same for any parts."""
    draw = np.random.default_rng(1)
    crowded = people.with_columns(zip=pl.when(pl.Series(draw.random(ROWS)) < 0.9).then(pl.lit("100")).otherwise("zip"))
    reads, rounds = spark.sparkContext.accumulator(0), []
    honest, honest_cuts = block_counts.tuples_of, block_counts.cuts_of

    def counted(session: Any, frame: Any, ready: Any) -> Any:
        def pass_on(batches: Any) -> Any:
            for batch in batches:
                reads.add(batch.num_rows)
                yield batch

        return honest(session, frame.mapInArrow(pass_on, frame.schema), ready)

    def watched(session: Any, tuples: Any, cutting: Any, rows: Any, *more: Any) -> Any:
        rounds.append(dict(rows))
        return honest_cuts(session, tuples, cutting, rows, *more)

    monkeypatch.setattr(block_counts, "tuples_of", counted)
    monkeypatch.setattr(block_counts, "cuts_of", watched)
    monkeypatch.setattr(block_counts, "_AGAIN", 1)
    plan, engine = plan_of(pv.methods.Mondrian(), pv.KAnonymity(5)), pv.Spark(block=100, sample=1000)
    whole = spark.createDataFrame(crowded.to_arrow())
    one = pv.anonymize(whole.coalesce(1), plan, engine=engine)
    assert reads.value == ROWS
    assert len(rounds) >= 2
    assert len(rounds[1]) >= 1
    rounds.clear()
    two = pv.anonymize(whole.repartition(5), plan, engine=engine)
    assert reads.value == 2 * ROWS
    assert collected(one).equals(collected(two))
    one.close()
    two.close()


@pytest.mark.parametrize(
    "method", [pv.methods.MDAV(), pv.methods.GkAA(), pv.methods.LocalRecoding()], ids=lambda m: type(m).__name__
)
def test_other_methods_work_inside_blocks(spark: Any, lake: Path, method: Method) -> None:
    plan = plan_of(method, pv.KAnonymity(5))
    release = pv.anonymize(spark.read.parquet(str(lake)), plan, engine=pv.Spark(block=300))
    found = collected(release)
    assert found.height == ROWS
    assert pv.verify(found, plan)
    release.close()


def test_a_column_of_which_nine_tenths_are_one_value(spark: Any, people: pl.DataFrame) -> None:
    skewed = people.with_columns(zip=pl.when(pl.int_range(pl.len()) % 10 > 0).then(pl.lit("100")).otherwise("zip"))
    plan = plan_of(pv.methods.Mondrian(), pv.KAnonymity(5), pv.LDiversity(2, "disease"))
    release = pv.anonymize(spark.createDataFrame(skewed.to_arrow()), plan, engine=pv.Spark(block=200, sample=1000))
    assert pv.verify(collected(release), plan)
    release.close()


@pytest.mark.parametrize("method", [pv.methods.Mondrian(), pv.methods.MDAV()], ids=["labels", "averages"])
def test_many_rows_that_are_all_alike_need_no_process_of_their_own(
    spark: Any, people: pl.DataFrame, method: Method
) -> None:
    """Half of all rows have one combination: more than three blocks may hold, and no cut can part them."""
    crowd = pl.DataFrame({"age": [40], "zip": ["100"], "sex": ["f"], "pay": [100], "disease": ["flu"]})
    crowd = crowd.cast(dict(people.schema))[[0] * ROWS].with_columns(
        disease=pl.Series(["flu", "cold"] * (ROWS // 2)), pay=pl.int_range(ROWS).cast(pl.Int64)
    )
    rows = pl.concat([people, crowd])
    plan = plan_of(method, pv.KAnonymity(5), pv.LDiversity(2, "disease"))
    release = pv.anonymize(spark.createDataFrame(rows.to_arrow()), plan, engine=pv.Spark(block=200, sample=1000))
    found = collected(release)
    assert pv.verify(found, plan)
    assert found.height == 2 * ROWS
    assert sorted(found["pay"]) == sorted(rows["pay"])
    exact = found.filter(pl.col("age").cast(pl.String).is_in(["40", "40.0"]), zip="100", sex="f")
    assert exact.height >= ROWS
    release.close()
