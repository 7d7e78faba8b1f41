"""Treatments of rows and of groups on a cluster: they keep what they promise, however rows are divided."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent.engine.spark import parts, treating
from paravent.engine.spark.reading import Source, open_source
from paravent.engine.spark.run import anonymize_on_spark
from paravent.engine.spark.treating import treated_source
from paravent.errors import InfeasibleError, PlanError, UnsafeReleaseError
from paravent.plan.treat import base_of
from paravent.treatments.treatment import Treatment
from tests.engine.lake import ROWS, collected, people_of, plan_of, refused, texts

pytestmark = pytest.mark.usefixtures("spark", "nothing_stays_behind")

ROW_WISE = [
    pv.treatments.Noise("pay", scale=0.2),
    pv.treatments.Noise("pay", kind="multiplicative", scale=0.1, whole=False),
    pv.treatments.Noise("pay", scale=0.3, outliers=True, rescale=True, quantiles=(0.05, 0.95)),
    pv.treatments.PRAM("job", minimum=0.7),
    pv.treatments.Round("pay", base=1000, how="random"),
]
GROUP_WISE = [
    pv.treatments.Shuffle(("pay", "job"), within=("sex", "zip"), together=True),
    pv.treatments.Swap("pay", kind="rank", window=0.05, within="zip"),
    pv.treatments.Swap(("pay", "job"), kind="random", share=0.4, within="sex"),
    pv.treatments.PRAM("job", minimum=0.5, within="zip"),
    pv.treatments.Noise("pay", scale=0.2, within="sex"),
]
AT_ONCE = [
    pv.treatments.Noise(("pay", "age"), kind="correlated", scale=0.2),
    pv.treatments.Shuffle("pay", kind="ranks", given="age"),
    pv.treatments.Swap("pay", kind="rank", window=0.05),
]


def workers_of(n: int = ROWS) -> pl.DataFrame:
    """People with a job that some have not told, a third of them in rows that are there three times."""
    people = people_of(n)
    jobs = np.random.default_rng(4).choice(["nurse", "cook", "judge", ""], n, p=[0.5, 0.3, 0.1, 0.1])
    rows = people.with_columns(job=pl.Series(jobs.tolist()).replace("", None))
    return pl.concat([rows.head(n - n // 3), *[rows.head(n // 9)] * 3])


def plan_with(*steps: Treatment, **more: Any) -> pv.Plan:
    plan = plan_of(pv.methods.Datafly(), suppression=0.05, treat=list(steps), **more)
    return plan.replace(columns={**plan.columns, "job": pv.Insensitive()})


def name_of(step: Any) -> str:
    return f"{type(step).__name__} {getattr(step, 'kind', getattr(step, 'how', ''))}"


def treated(spark: Any, frame: Any, plan: pv.Plan, **options: Any) -> pl.DataFrame:
    """The rows that classes would be made of, sorted."""
    source = frame if isinstance(frame, Source) else Source(frame, "rows")
    found = treated_source(spark, source, plan, pv.Spark(**options))
    rows = pl.from_arrow(found.source.frame.toArrow())
    found.close()
    assert isinstance(rows, pl.DataFrame)
    assert not found.plan.treat
    return rows.sort(rows.columns)


@pytest.mark.parametrize("step", [*ROW_WISE, *GROUP_WISE, *AT_ONCE], ids=name_of)
def test_rows_are_the_same_whatever_the_partitioning(
    spark: Any, step: Treatment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "_DEALT", 400)
    monkeypatch.setattr(parts, "_COPIES", 2)
    table, plan = workers_of(), plan_with(step)
    mixed = table.sample(fraction=1.0, shuffle=True, seed=3)
    one = treated(spark, spark.createDataFrame(table.to_arrow()).coalesce(1), plan)
    two = treated(spark, spark.createDataFrame(mixed.to_arrow()).repartition(5), plan)
    assert one.equals(two)
    _kept_what_it_promises(step, table, one)


def _kept_what_it_promises(step: Any, table: pl.DataFrame, found: pl.DataFrame) -> None:
    """Which cells are missing, the values of a shuffle and a swap, the distance of a swap, the mean of noise."""
    assert found.height == table.height
    assert found["job"].null_count() == table["job"].null_count()
    assert sorted(found["disease"]) == sorted(table["disease"])
    for name in step.columns:
        if name not in ("pay", "job"):
            continue
        before, after = table[name].drop_nulls(), found[name].drop_nulls()
        assert sorted(before) != sorted(after) or isinstance(step, pv.treatments.Shuffle | pv.treatments.Swap)
        if isinstance(step, pv.treatments.Shuffle | pv.treatments.Swap):
            assert sorted(before) == sorted(after)
        elif name == "pay":
            deviation = float(before.std()) * 0.35  # type: ignore[arg-type]
            assert abs(before.mean() - after.mean()) < 4 * deviation / np.sqrt(len(before))  # type: ignore[operator]
        else:
            share = (after == "nurse").mean() - (before == "nurse").mean()  # type: ignore[operator]
            assert abs(share) < 4 * np.sqrt(0.25 / len(before))


def test_equal_rows_draw_each_for_itself(spark: Any) -> None:
    """Nine tenths of all rows are one and the same: their noise is not, and it is as wide as was asked for."""
    crowd = pl.DataFrame({"age": [40], "zip": ["100"], "sex": ["f"], "pay": [3000.0], "disease": ["flu"]})
    rows = pl.concat([people_of(200).with_columns(pl.col("pay").cast(pl.Float64)), crowd[[0] * 1800]])
    plan = plan_of(pv.methods.Datafly(), treat=[pv.treatments.Noise("pay", scale=0.5)])
    found = treated(spark, spark.createDataFrame(rows.to_arrow()).repartition(3), plan)
    noise = found.filter(age=40, zip="100", sex="f", disease="flu")["pay"] - 3000.0
    assert found["pay"].n_unique() == 2000
    width = 0.5 * float(rows["pay"].std(ddof=0))  # type: ignore[arg-type]
    near = noise.filter(noise.abs() < 3.5 * width)
    assert len(near) > 1700
    assert 0.9 < float(near.std()) / width < 1.1  # type: ignore[arg-type]


def test_nobody_draws_again_who_lacks_the_table(spark: Any) -> None:
    """One cell changed, and all the noise is another; the same table, plan and seed give the same."""
    table, plan = workers_of(), plan_with(pv.treatments.Noise("pay", scale=0.2, whole=False))
    other = table.with_columns(pl.when(pl.int_range(pl.len()) == 7).then(1).otherwise("pay").alias("pay"))
    noise = [treated(spark, spark.createDataFrame(given.to_arrow()), plan)["pay"] for given in (table, table, other)]
    assert noise[0].equals(noise[1])
    assert set(noise[0]).isdisjoint(noise[2])


@pytest.mark.parametrize("strata", [(), ("sex",), ("job", "sex")], ids=len)
def test_a_sample_has_so_many_rows_of_each_stratum(spark: Any, strata: tuple[str, ...]) -> None:
    table, plan = workers_of(), plan_with(pv.treatments.Sample(share=0.3, strata=strata))
    mixed = table.sample(fraction=1.0, shuffle=True, seed=9)
    found = treated(spark, spark.createDataFrame(table.to_arrow()).coalesce(1), plan)
    assert found.equals(treated(spark, spark.createDataFrame(mixed.to_arrow()).repartition(4), plan))
    assert found.height == len(table) * 3 // 10
    if strata:
        sizes, whole = (frame.group_by(strata).len().sort(strata)["len"] for frame in (found, table))
        assert ((sizes - 0.3 * whole).abs() < 1).all()
    copies = found.join(table.group_by(table.columns).len("there"), on=table.columns, how="left", nulls_equal=True)
    assert copies["there"].null_count() == 0


def test_a_release_of_a_sample_says_what_one_machine_says(spark: Any) -> None:
    table, plan = workers_of(), plan_with(pv.treatments.Sample(share=0.5))
    release, alone = pv.anonymize(spark.createDataFrame(table.to_arrow()), plan), pv.anonymize(table, plan)
    assert release.trace[0] == alone.trace[0]
    assert release.provenance["input"]["rows"] == alone.provenance["input"]["rows"] == len(table)
    assert release.verdict.allowed == alone.verdict.allowed
    assert release.verdict.rows + release.verdict.suppressed == len(table) // 2
    assert release.provenance["rows"]["sampled_out"] == alone.provenance["rows"]["sampled_out"]
    ours, theirs = release.measure(), alone.measure()
    assert ours["rows.original"] == theirs["rows.original"]
    assert ours["utility.completeness"] == release.verdict.rows / len(table)
    assert ours["utility.cavg"] == (len(table) // 2) / len(release.verdict.classes) / 5
    release.close()


def test_treatments_follow_one_another(spark: Any) -> None:
    """Coding before noise, noise before rounding, a sample in between: each sees what those before have left."""
    steps = (
        pv.treatments.TopCode("pay", above=5000, replace="limit"),
        pv.treatments.Recode("zip", mapping={"100": "a", "101": "a", "110": "a", "111": "a"}, other="b"),
        pv.treatments.Shuffle("job", within="zip"),
        pv.treatments.Sample(share=0.5),
        pv.treatments.Noise("pay", scale=0.05, high=5000),
        pv.treatments.Round("pay", base=10),
        pv.treatments.Suppress("job", where={"sex": "m"}),
    )
    table, plan = workers_of(), plan_with(*steps)
    plan = plan.replace(columns={**plan.columns, "zip": pv.Quasi(pv.flat())})
    release = pv.anonymize(spark.createDataFrame(table.to_arrow()), plan)
    found = collected(release)
    assert found["pay"].max() == 5000
    assert (found["pay"] % 10 == 0).all()
    assert set(found["zip"]) <= {"a", "b", "*"}
    assert found.filter(pl.col("sex") == "m")["job"].null_count() == found.filter(pl.col("sex") == "m").height
    assert pv.verify(found, plan.replace(treat=[]))
    assert release.provenance["plan"] == plan.to_document()
    assert release.measure().absent == {}
    told = [each.partition("(")[0].partition(":")[0] for each in release.trace]
    assert told[:4] == ["Shuffle", "Sample", "Noise", "Suppress"]
    release.close()


def test_text_files_are_treated_as_what_they_say(spark: Any, tmp_path: Path) -> None:
    """Missing values, numbers and words of a CSV file are what they are on one machine."""
    (tmp_path / "in").mkdir()
    table = workers_of(600).with_columns(pay=pl.col("pay") + 0.5)
    table.write_csv(tmp_path / "in" / "a.csv")
    plan = plan_with(pv.treatments.Noise("pay", scale=0.1), pv.treatments.PRAM("job", minimum=0.6, within="sex"))
    found = treated(spark, open_source(spark, tmp_path / "in"), plan)
    read = pv.read(tmp_path / "in" / "a.csv").frame
    assert found["job"].null_count() == read["job"].null_count() > 0
    assert found["pay"].dtype == pl.Float64
    assert set(found["job"].drop_nulls()) == set(read["job"].drop_nulls())
    assert found["zip"].sort().equals(table["zip"].sort())
    plan = plan.replace(method=pv.methods.Mondrian())
    release = anonymize_on_spark(str(tmp_path / "in"), plan, target=str(tmp_path / "out"))
    assert collected(release)["pay"].sort().equals(found["pay"].sort())
    release.close()


def test_what_reads_no_chance_is_what_one_machine_does(spark: Any) -> None:
    """Cells left empty by rarity, by risk or by another column; and what noise on a quasi-identifier cannot tell."""
    table = workers_of()
    rare = pv.treatments.Suppress("job", rarer=200)
    steps = [rare, pv.treatments.Suppress("pay", risk=0.5), pv.treatments.Suppress("pay", where={"zip": "100"})]
    plan = plan_with(*steps)
    found = treated(spark, spark.createDataFrame(table.to_arrow()).repartition(3), plan)
    alone = base_of(pv.read(table), plan).table.frame
    assert found.equals(alone.sort(alone.columns))
    assert 0 < found["pay"].null_count() < found.height
    noisy = plan_with(pv.treatments.Noise("age", scale=0.2))
    release, other = pv.anonymize(spark.createDataFrame(table.to_arrow()), noisy), pv.anonymize(table, noisy)
    assert release.measure().absent["utility.gcp"] == other.measure().absent["utility.gcp"]
    release.close()


def test_the_matrix_is_published_beside_the_rows(spark: Any, tmp_path: Path) -> None:
    plan = plan_with(pv.treatments.PRAM("job", minimum=0.7))
    release = anonymize_on_spark(spark.createDataFrame(workers_of().to_arrow()), plan, target=str(tmp_path / "out"))
    release.write(tmp_path / "out")
    matrix = release.tables["pram_job"]
    assert pl.read_parquet(tmp_path / "out" / "_tables" / "pram_job" / "*.parquet").equals(matrix)
    found = pl.read_parquet(tmp_path / "out" / "*.parquet")
    assert texts(collected(release)).equals(texts(found))
    counts = dict(found["job"].drop_nulls().value_counts().iter_rows())
    expected = pv.treatments.PRAM("job", minimum=0.7)._table(counts)
    assert matrix.equals(expected)
    estimate = pv.treatments.true_counts(found["job"], matrix)
    assert estimate["estimate"].sum() == pytest.approx(sum(counts.values()))


def test_what_a_treatment_does_beside_is_noticed(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another job compares the rows before and after: a column that nobody named, a cell that was not missing."""
    frame = spark.createDataFrame(workers_of().to_arrow())
    honest = treating.treated_in_parts
    for lie in ("pay + 1 as pay", "nullif(job, 'cook') as job"):

        def lying(*given: Any, lie: str = lie) -> Any:
            made, told = honest(*given)
            name = lie.rpartition(" ")[2]
            return made.selectExpr(*(lie if own == name else own for own in made.columns)), told

        monkeypatch.setattr(treating, "treated_in_parts", lying)
        with pytest.raises(UnsafeReleaseError, match="changed more than the columns that it names"):
            anonymize_on_spark(frame, plan_with(pv.treatments.PRAM("job")), target=str(tmp_path / "out"))
    monkeypatch.setattr(treating, "treated_in_parts", honest)
    drawn = treating.drawn_rows
    monkeypatch.setattr(treating, "drawn_rows", lambda *given: (drawn(*given)[0].union(frame.limit(1)), "told"))
    with pytest.raises(UnsafeReleaseError, match="not in the table, or not as often"):
        anonymize_on_spark(frame, plan_with(pv.treatments.Sample(share=1.0)), target=str(tmp_path / "out"))
    assert list(tmp_path.iterdir()) == []


def test_what_is_not_done_in_parts_is_refused(spark: Any, tmp_path: Path) -> None:
    frame = spark.createDataFrame(workers_of().to_arrow())
    for step, match in (
        (AT_ONCE[0], r"treat\[0\]: Noise looks at all 1498 rows at once, and one process of a worker takes 500"),
        (AT_ONCE[2], "name more columns in within"),
        (pv.treatments.Swap("pay", kind="random", share=0.1, within="sex"), "groups of 'sex', one of 7[0-9]+ rows"),
        (pv.treatments.Ghost("job", of="sex"), "Ghost looks at several columns or rows"),
        (pv.treatments.TopCode("pay", share=0.1), "looks at other rows or draws by chance"),
        (pv.treatments.Noise("disease"), r"treat\[0\]: Noise: column 'disease' is nominal"),
        (pv.treatments.Sample(size=5000), "Sample: size is 5000"),
    ):
        columns = {"disease": pv.Insensitive()} if step.columns == ("disease",) else {}
        plan = plan_with(step)
        refused(frame, plan.replace(columns={**plan.columns, **columns}), PlanError, match, tmp_path, block=500)
    for step in (pv.treatments.Noise("pay"), pv.treatments.Sample(share=0.5)):
        refused(frame.limit(0), plan_with(step), InfeasibleError, "no rows", tmp_path)
    named = frame.selectExpr("*", "cast(age as string) as patient")
    people = plan_with(pv.treatments.Noise("pay")).replace(person="patient")
    people = people.replace(columns={**people.columns, "patient": pv.Identifier()})
    refused(named, people, PlanError, "treats people with all their rows", tmp_path)
    ordinal = plan_with(pv.treatments.TopCode("pay", above=5000), pv.treatments.Shuffle("pay", within="sex"))
    refused(frame, ordinal, PlanError, "its order is not kept on Spark", tmp_path)
