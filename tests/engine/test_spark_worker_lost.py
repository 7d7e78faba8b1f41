"""A worker that dies in the middle. These are the last tests on the cluster: they kill one of its two workers."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import polars as pl
import pytest

import paravent as pv
from paravent.engine.spark.run import anonymize_on_spark
from paravent.errors import TableError
from tests.engine.conftest import Cluster
from tests.engine.lake import collected, plan_of, sampling_plan, texts

pytestmark = pytest.mark.usefixtures("spark", "nothing_stays_behind")


def test_a_sample_stays_one_sample(cluster: Cluster, lake: Path, people: pl.DataFrame, tmp_path: Path) -> None:
    """A process that works on the sample is killed while that is written. What it did is done again by another, and the
    rows are those that were drawn, once."""
    plan = sampling_plan(unsafe_seed=4)
    told: list[str] = []

    def kill_at(stage: str, done: float) -> None:
        if stage == "write" and done == 0.0:
            threading.Timer(0.3, lambda: told.append(_kill_an_executor(cluster))).start()

    out = tmp_path / "out"
    anonymize_on_spark(str(lake), plan, target=str(out), progress=kill_at).write(out)
    alone = pv.anonymize(people.sort("age", "sex", "disease"), plan)
    assert texts(pl.read_parquet(out / "*.parquet")).equals(texts(alone.frame))
    assert told == ["killed"]


def test_a_treatment_draws_the_same_again(cluster: Cluster, lake: Path, tmp_path: Path) -> None:
    """A process is killed while rows are treated. Another does its part again, and the noise is what it would have
    been."""
    steps = [pv.treatments.Noise("pay", scale=0.3, whole=False), pv.treatments.Sample(share=0.6)]
    plan = plan_of(pv.methods.Datafly(), suppression=0.05, treat=steps)
    calm = anonymize_on_spark(str(lake), plan, target=str(tmp_path / "calm"))
    told: list[str] = []

    def kill_at(stage: str, done: float) -> None:
        if stage == "treat" and done == 0.0:
            threading.Timer(0.8, lambda: told.append(_kill_an_executor(cluster))).start()

    release = anonymize_on_spark(str(lake), plan, target=str(tmp_path / "out"), progress=kill_at)
    assert collected(release).equals(collected(calm))
    assert told == ["killed"]
    calm.close()
    release.close()


def _kill_an_executor(cluster: Cluster) -> str:
    """Kill the process that works for the first worker; the worker starts another."""
    group = int(cluster("workers").splitlines()[0])
    for folder in Path("/proc").iterdir():
        own = folder.name.isdigit() and _group(folder) == group
        if own and b"CoarseGrainedExecutorBackend" in (folder / "cmdline").read_bytes():
            os.kill(int(folder.name), signal.SIGKILL)
            return "killed"
    return "not found"


def _group(folder: Path) -> int:
    try:
        return os.getpgid(int(folder.name))
    except ProcessLookupError:
        return -1


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
