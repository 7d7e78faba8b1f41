"""Full-domain methods on a cluster: the releases of one machine, row for row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import paravent as pv
from paravent.engine.spark.run import anonymize_on_spark
from paravent.methods.method import Method
from tests.engine.lake import collected, plan_of, texts

pytestmark = pytest.mark.usefixtures("spark", "nothing_stays_behind")


FULL_DOMAIN = [
    (pv.methods.Datafly(), (pv.KAnonymity(5),)),
    (pv.methods.Samarati(), (pv.KAnonymity(5), pv.LDiversity(2, "disease"))),
    (pv.methods.Incognito(), (pv.KAnonymity(5),)),
    (pv.methods.Optimal(), (pv.KAnonymity(5), pv.TCloseness(0.35, "disease"))),
]


@pytest.mark.parametrize(("method", "protect"), FULL_DOMAIN, ids=lambda given: type(given).__name__)
def test_full_domain_releases_are_those_of_one_machine(
    spark: Any, lake: Path, people: pl.DataFrame, method: Method, protect: tuple[Any, ...]
) -> None:
    plan = plan_of(method, *protect, suppression=0.05)
    release = pv.anonymize(spark.read.parquet(str(lake)), plan)
    alone = pv.anonymize(people, plan)
    assert isinstance(release, pv.SparkRelease)
    assert texts(collected(release)).equals(texts(alone.frame))
    assert release.verdict.levels == alone.verdict.levels
    assert release.verdict.suppressed == alone.verdict.suppressed
    assert release.trace == alone.trace
    ours, theirs = release.measure().to_dict(), alone.measure().to_dict()
    assert {name: theirs[name] for name in ours} == ours
    release.close()


def test_treated_and_replaced_columns(spark: Any, people: pl.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY_OF_THE_TEST", "an example, no secret")
    named = people.with_columns(name=pl.format("person {}", pl.int_range(pl.len())), town=pl.lit("x"))
    plan = plan_of(pv.methods.Datafly(), suppression=0.05, treat=[
        pv.treatments.TopCode("pay", above=5000), pv.treatments.Round("age", base=5),
    ])  # fmt: skip
    plan = plan.replace(
        columns={**plan.columns, "name": pv.Identifier("pseudonym", key_env="KEY_OF_THE_TEST"), "town": pv.Drop()}
    )
    release = pv.anonymize(spark.createDataFrame(named.to_arrow()), plan)
    found, alone = collected(release), pv.anonymize(named, plan).frame
    assert "town" not in found.columns
    assert texts(found).equals(texts(alone))
    release.close()


def test_missing_values_as_the_plan_says(spark: Any, people: pl.DataFrame) -> None:
    holes = people.with_columns(
        sex=pl.when(pl.col("age") % 7 == 0).then(None).otherwise(pl.col("sex")),
        zip=pl.when(pl.col("age") % 11 == 0).then(None).otherwise(pl.col("zip")),
    )
    frame = spark.createDataFrame(holes.to_arrow())
    for meaning in ("own value", "drop rows", "impute"):
        plan = plan_of(pv.methods.Datafly(), suppression=0.05, missing=meaning)
        release, alone = pv.anonymize(frame, plan), pv.anonymize(holes, plan)
        assert texts(collected(release)).equals(texts(alone.frame)), meaning
        assert release.measure()["utility.gcp"] == alone.measure()["utility.gcp"]
        release.close()


def test_what_is_suppressed_is_nowhere_in_the_files(spark: Any, people: pl.DataFrame, tmp_path: Path) -> None:
    """A single row far from all others is suppressed; its note must not be in any byte of the release."""
    hermit = pl.DataFrame({"age": [59], "zip": ["999"], "sex": ["f"], "pay": [100], "disease": ["flu"]})
    rows = pl.concat([people, hermit.cast(dict(people.schema))])
    rows = rows.with_columns(note=pl.when(pl.col("zip") == "999").then(pl.lit("hermit-note")).otherwise(pl.lit("kept")))
    columns = {"zip": pv.Quasi(pv.flat()), "sex": pv.Quasi(pv.flat()), "note": pv.Insensitive()}
    plan = pv.Plan(columns, pv.KAnonymity(5), method=pv.methods.Optimal(metric="gcp"), suppression=0.05)
    release = anonymize_on_spark(spark.createDataFrame(rows.to_arrow()), plan, target=str(tmp_path / "out"))
    assert release.verdict.suppressed >= 1
    release.write(tmp_path / "out")
    held = b"".join(path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file())
    assert b"kept" in held
    assert b"hermit-note" not in held
    assert b"999" not in held
