"""A real Spark cluster for the tests: a master and two workers on loopback, started once and stopped at the end."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.engine.lake import ROWS, people_of

ROOT = Path(__file__).parents[2]


class Cluster:
    """The cluster of `tools/spark-cluster`, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.environment = {**os.environ, "SPARK_CLUSTER": str(folder), "PYTHON": sys.executable}

    def __call__(self, command: str) -> str:
        tool = str(ROOT / "tools" / "spark-cluster")
        done = subprocess.run(
            [tool, command], env=self.environment, capture_output=True, text=True, timeout=500, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    if shutil.which("java") is None:
        pytest.skip("there is no Java: tools/system-packages spark")
    found = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        yield found
    finally:
        found("stop")


@pytest.fixture(scope="session")
def spark(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "512m",
        "spark.executor.memory": "600m",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
    }
    builder = SparkSession.builder.master(cluster("start")).appName("tests")
    for key, value in settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def people() -> pl.DataFrame:
    return people_of(ROWS)


@pytest.fixture(scope="session")
def lake(people: pl.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The people as a folder of three Parquet files."""
    folder = tmp_path_factory.mktemp("lake") / "people"
    folder.mkdir()
    for i in range(3):
        people[i::3].write_parquet(folder / f"part-{i}.parquet")
    return folder


@pytest.fixture
def nothing_stays_behind(tmp_path: Path) -> Iterator[None]:
    """No staging folder, whatever a test did."""
    yield
    assert list(tmp_path.rglob("_paravent-*")) == []
