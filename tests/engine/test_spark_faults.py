"""Every fault on a cluster that a sentence is promised for; nothing is left behind."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import paravent as pv
from paravent.engine.spark import run as spark_run
from paravent.engine.spark.run import anonymize_on_spark
from paravent.errors import InfeasibleError, PlanError, RoleError, TableError, UnsafeReleaseError
from tests.engine.lake import plan_of, refused

pytestmark = pytest.mark.usefixtures("spark", "nothing_stays_behind")


def test_a_release_that_does_not_hold_is_not_there(lake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever goes wrong while rows are recoded, the second job sees it in the files."""

    def broken(session: Any, frame: Any, ready: Any, recoding: Any) -> Any:
        del session, ready, recoding
        return frame.selectExpr("cast(age as string) age", "zip", "sex", "pay", "disease")

    monkeypatch.setattr(spark_run, "recoded", broken)
    with pytest.raises(UnsafeReleaseError, match="5-anonymity fails"):
        anonymize_on_spark(str(lake), plan_of(pv.methods.Datafly(), suppression=0.05), target=str(tmp_path / "out"))
    assert list(tmp_path.iterdir()) == []


def test_faults_get_a_sentence(spark: Any, people: pl.DataFrame, lake: Path, tmp_path: Path) -> None:
    plan = plan_of(pv.methods.Mondrian(), pv.KAnonymity(5))
    frame = spark.read.parquet(str(lake))
    refused(frame.limit(0), plan, InfeasibleError, "no rows", tmp_path)
    refused(frame, plan_of(pv.methods.Mondrian(), pv.KAnonymity(2000)), InfeasibleError, "has 1500 rows", tmp_path)
    refused(frame.selectExpr("*", "nullif(sex, 'f') as sex2").drop("sex").withColumnRenamed("sex2", "sex"), plan,
            PlanError, "missing value", tmp_path)  # fmt: skip
    refused(frame.withColumnRenamed("age", "years"), plan, PlanError, "no column 'age'", tmp_path)
    refused(frame.selectExpr("*", "concat('Ann ', monotonically_increasing_id()) as name"), plan, RoleError,
            "could name people", tmp_path)  # fmt: skip
    twice = frame.selectExpr("*", "cast(pay as string) as patient_id")
    named = plan.replace(columns={**plan.columns, "patient_id": pv.Identifier()})
    refused(twice, named, PlanError, "'patient_id' names people and repeats", tmp_path)
    refused(frame, plan, TableError, "more than 5 different values", tmp_path, values=5)
    optimal = plan_of(pv.methods.Optimal(), suppression=0.05)
    refused(frame, optimal, TableError, "more than 10 different rows", tmp_path, tuples=10)
    refused(str(tmp_path / "nowhere"), plan, TableError, "no file or folder", tmp_path)
    (tmp_path / "odd").mkdir()
    people.write_parquet(tmp_path / "odd" / "a.parquet")
    people.with_columns(pl.col("age").cast(pl.String)).write_parquet(tmp_path / "odd" / "b.parquet")
    refused(str(tmp_path / "odd"), plan, TableError, "'b.parquet' has column 'age' as", tmp_path)
    people.drop("zip").write_parquet(tmp_path / "odd" / "b.parquet")
    refused(str(tmp_path / "odd"), plan, TableError, "'b.parquet' has no column 'zip'", tmp_path)
    (tmp_path / "odd" / "b.parquet").write_bytes(b"no parquet")
    refused(str(tmp_path / "odd"), plan, TableError, "'b.parquet' is not a Parquet file", tmp_path)
    (tmp_path / "texts").mkdir()
    people.write_csv(tmp_path / "texts" / "a.csv")
    people.rename({"zip": "postcode"}).write_csv(tmp_path / "texts" / "b.csv")
    refused(str(tmp_path / "texts"), plan, TableError, "different columns", tmp_path)


def test_a_full_disk_leaves_nothing(lake: Path, tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", str(small)], check=False)
    if mounted.returncode:
        pytest.skip("a small file system cannot be mounted here")
    try:
        plan = plan_of(pv.methods.Datafly(), suppression=0.05)
        with pytest.raises(TableError, match="disk is full"):
            anonymize_on_spark(str(lake), plan, pv.Spark(staging=str(small)), target=str(tmp_path / "out"))
        assert list(small.iterdir()) == []
        assert not (tmp_path / "out").exists()
    finally:
        subprocess.run(["umount", str(small)], check=True)
