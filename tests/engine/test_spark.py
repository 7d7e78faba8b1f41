"""The same plan on a cluster: two workers on loopback, real files, and every fault that a sentence is promised for."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import paravent as pv
from paravent.cli.app import app
from paravent.engine.spark import run as spark_run
from paravent.engine.spark.run import anonymize_on_spark
from paravent.errors import InfeasibleError, ParaventError, PlanError, RoleError, TableError, UnsafeReleaseError
from paravent.methods.method import Method
from paravent.table.formulas import guarded
from tests.engine.conftest import Cluster

ROWS = 1500
pytestmark = pytest.mark.usefixtures("spark")


def people_of(n: int, seed: int = 7) -> pl.DataFrame:
    draw = np.random.default_rng(seed)
    zips = [100, 101, 110, 111, 120, 200, 210, 211]
    return pl.DataFrame(
        {
            "age": draw.integers(20, 60, n),
            "zip": [f"{code:03d}" for code in draw.choice(zips, n)],
            "sex": draw.choice(["f", "m"], n),
            "pay": draw.integers(10, 90, n) * 100,
            "disease": draw.choice(["flu", "cold", "ulcer", "asthma"], n, p=[0.4, 0.3, 0.2, 0.1]),
        }
    )


@pytest.fixture(scope="module")
def people() -> pl.DataFrame:
    return people_of(ROWS)


@pytest.fixture(scope="module")
def lake(people: pl.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The people as a folder of three Parquet files."""
    folder = tmp_path_factory.mktemp("lake") / "people"
    folder.mkdir()
    for i in range(3):
        people[i::3].write_parquet(folder / f"part-{i}.parquet")
    return folder


def plan_of(method: Method, *protect: Any, **more: Any) -> pv.Plan:
    columns = {
        "age": pv.Quasi(pv.intervals(5, 10, 20, 40)),
        "zip": pv.Quasi(pv.prefixes()),
        "sex": pv.Quasi(pv.flat()),
        "pay": pv.Insensitive(),
        "disease": pv.Sensitive(),
    }
    return pv.Plan(columns, list(protect) or [pv.KAnonymity(5)], method=method, **more)


def texts(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows of a frame as texts, sorted: what two releases of the same rows agree in."""
    return frame.select(pl.all().cast(pl.String)).sort(frame.columns)


def collected(release: pv.SparkRelease) -> pl.DataFrame:
    found = pl.from_arrow(release.frame.toArrow())
    assert isinstance(found, pl.DataFrame)
    return found


@pytest.fixture(autouse=True)
def nothing_stays_behind(tmp_path: Path) -> Iterator[None]:
    """No staging folder, whatever a test did."""
    yield
    assert list(tmp_path.rglob("_paravent-*")) == []


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


def test_a_plan_runs_from_the_command_line(lake: Path, tmp_path: Path) -> None:
    plan = plan_of(pv.methods.Mondrian(), pv.KAnonymity(5), pv.LDiversity(2, "disease"))
    plan.save(tmp_path / "plan.toml")
    out = tmp_path / "out"
    done = _command(str(lake), "--plan", str(tmp_path / "plan.toml"), "-o", str(out), "--json")
    told = json.loads(done)
    assert told["holds"] is True
    assert told["files"] == {"release": str(out)}
    assert pv.verify(pl.read_parquet(out / "*.parquet"), plan)
    assert (out / "_SUCCESS").exists()
    again = _command(str(lake), "--plan", str(tmp_path / "plan.toml"), "-o", str(out), fails=True)
    assert "is there already" in again
    told = json.loads(_command(str(lake), "--plan", str(tmp_path / "plan.toml"), "--dry-run", "--json"))
    assert told["rows"] == ROWS
    assert "FileScan parquet" in told["physical_plan"]


def _command(*arguments: str, fails: bool = False) -> str:
    """Run `paravent anonymize` in this process, whose session is open."""
    done = CliRunner().invoke(app, ["anonymize", *arguments, "--engine", "spark"])
    assert (done.exit_code != 0) == fails, done.output
    return done.stderr if fails else done.stdout


def test_text_files_are_read_as_on_one_machine(people: pl.DataFrame, tmp_path: Path) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    for i in range(2):
        people[i::2].write_csv(folder / f"{i}.csv")
    people.write_csv(tmp_path / "all.csv")
    plan = plan_of(pv.methods.Optimal(), suppression=0.05)
    release = anonymize_on_spark(str(folder), plan, target=str(tmp_path / "out.csv"))
    release.write(tmp_path / "out.csv")
    found = pl.concat(pl.read_csv(path, infer_schema=False) for path in sorted((tmp_path / "out.csv").glob("*.csv")))
    assert texts(found).equals(texts(pv.anonymize(tmp_path / "all.csv", plan).frame))


def test_texts_that_a_spreadsheet_would_run(people: pl.DataFrame, tmp_path: Path) -> None:
    """In CSV they get an apostrophe, those of one machine and no others; the release is read without it."""
    notes = ["=1+1", "-5", "'=1+1", " @SUM(A1)", "-5\n", "\u2003+49", "fine", "-", "", "−3 x", 'plain, "quoted"']
    rows = people.head(500).with_columns(note=pl.Series([notes[i % len(notes)] for i in range(500)]))
    (tmp_path / "in").mkdir()
    rows.write_parquet(tmp_path / "in" / "a.parquet")
    plan = plan_of(pv.methods.Optimal(), suppression=0.05)
    plan = plan.replace(columns={**plan.columns, "note": pv.Insensitive()})
    release = anonymize_on_spark(str(tmp_path / "in"), plan, target=str(tmp_path / "out.csv"))
    assert set(collected(release)["note"].fill_null("")) == set(notes)
    release.write(tmp_path / "out.csv")
    found = pl.concat(pl.read_csv(path, infer_schema=False) for path in sorted((tmp_path / "out.csv").glob("*.csv")))
    expected = guarded(pl.DataFrame({"note": notes}))["note"].to_list()
    assert set(found["note"].fill_null("")) == set(expected)
    with pytest.raises(TableError, match="run its name as a formula"):
        anonymize_on_spark(
            _renamed(rows, tmp_path), plan.replace(columns={**plan.columns, "=note": pv.Insensitive()}),
            target=str(tmp_path / "other.csv"),
        )  # fmt: skip
    assert not (tmp_path / "other.csv").exists()


def _renamed(rows: pl.DataFrame, tmp_path: Path) -> str:
    (tmp_path / "renamed").mkdir()
    rows.with_columns(pl.lit("x").alias("=note")).write_parquet(tmp_path / "renamed" / "a.parquet")
    return str(tmp_path / "renamed")


def test_a_table_of_the_catalogue(spark: Any, lake: Path) -> None:
    spark.read.parquet(str(lake)).createOrReplaceTempView("people_view")
    plan = plan_of(pv.methods.Datafly(), suppression=0.05)
    release = pv.anonymize("table:people_view", plan, engine=pv.Spark())
    assert release.verdict
    release.close()
    with pytest.raises(TableError, match="no table 'nobody'"):
        pv.anonymize("table:nobody", plan, engine=pv.Spark())


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


def test_a_release_that_does_not_hold_is_not_there(lake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever goes wrong while rows are recoded, the second job sees it in the files."""

    def broken(session: Any, frame: Any, ready: Any, recoding: Any) -> Any:
        del session, ready, recoding
        return frame.selectExpr("cast(age as string) age", "zip", "sex", "pay", "disease")

    monkeypatch.setattr(spark_run, "recoded", broken)
    with pytest.raises(UnsafeReleaseError, match="5-anonymity fails"):
        anonymize_on_spark(str(lake), plan_of(pv.methods.Datafly(), suppression=0.05), target=str(tmp_path / "out"))
    assert list(tmp_path.iterdir()) == []


def refused(source: Any, plan: pv.Plan, kind: type[ParaventError], match: str, tmp_path: Path, **engine: Any) -> None:
    """One sentence, and nothing written."""
    with pytest.raises(kind, match=match) as told:
        anonymize_on_spark(source, plan, pv.Spark(**engine), target=str(tmp_path / "out"))
    assert "\n" not in str(told.value)
    assert not (tmp_path / "out").exists()


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


def test_a_worker_that_dies_in_the_middle(cluster: Cluster, lake: Path, tmp_path: Path) -> None:
    """The last test: it kills one of the two workers. The other finishes the work, or a sentence says why not."""
    plan = plan_of(pv.methods.Mondrian(), pv.KAnonymity(5))
    stages: list[str] = []

    def kill_at(stage: str, done: float) -> None:
        stages.append(stage)
        if stage == "write" and done == 0.0:
            threading.Timer(0.7, _kill_first_worker, [cluster]).start()

    out = tmp_path / "out"
    refusal, release = "", None
    try:
        release = anonymize_on_spark(
            str(lake), plan, pv.Spark(block=100, sample=1000), target=str(out), progress=kill_at
        )
    except TableError as error:
        refusal = str(error)
    assert not out.exists()
    assert (release is None) == bool(refusal)
    assert "\n" not in refusal
    if release is not None:
        release.write(out)
        assert pv.verify(pl.read_parquet(out / "*.parquet"), plan)
    assert "write" in stages
    time.sleep(1.0)


def _kill_first_worker(cluster: Cluster) -> None:
    os.killpg(int(cluster("workers").splitlines()[0]), signal.SIGKILL)
