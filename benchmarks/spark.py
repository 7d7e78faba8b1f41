"""A plan on a Spark cluster beside the same plan on one machine: `python -m benchmarks.spark [--rows N …]`

The cluster is a master and two workers of one core each on loopback (`tools/spark-cluster`), so both sides have the
same two cores. The table is Adult enlarged (benchmarks/tables.py), written in files of a million rows. Times are whole
runs: from files to verified files, without the start of the session. Processor seconds are of all processes of the
cluster and of the driver that live at the end of a run; they say more than time on a machine that others use too.
`slope` is the processor time of a size over that of the size before it, beside the ratio of the rows: 1 is linear.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import paravent as pv
from benchmarks.printing import print_table
from benchmarks.tables import adult, enlarged, plan
from paravent.engine.spark.options import Spark
from paravent.engine.spark.run import anonymize_on_spark

ROOT = Path(__file__).parents[1]
_FILE = 1_000_000
_HELD = 20_000_000
"""Rows that one machine holds at once; more are done part by part."""
_NODES, _CORES, _GOAL = 50, 16, 10_000_000_000


def write_table(folder: Path, rows: int) -> None:
    """Files of a million rows, each another bootstrap."""
    base = adult()
    folder.mkdir(parents=True)
    for i, start in enumerate(range(0, rows, _FILE)):
        part = enlarged(base, min(_FILE, rows - start), seed=i + 1)
        part.write_parquet(folder / f"part-{i:05d}.parquet")


def cluster(command: str, folder: Path) -> str:
    environment = {**os.environ, "SPARK_CLUSTER": str(folder), "PYTHON": sys.executable}
    tool = str(ROOT / "tools" / "spark-cluster")
    return subprocess.run([tool, command], env=environment, check=True, capture_output=True, text=True).stdout.strip()


def opened(master: str, folder: Path, memory: str, rows: int) -> Any:
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.executor.memory": memory,
        # A part is fetched by one process: of a hundred million rows in 16 parts, executors of a GiB ran out of the
        # memory that Java has outside its heap.
        "spark.sql.shuffle.partitions": str(max(16, rows // 1_000_000)),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": folder.as_uri(),
        "spark.eventLog.rolling.enabled": "false",
        "spark.eventLog.compress": "false",
    }
    builder = SparkSession.builder.master(master).appName("benchmark")
    for key, value in settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def processor_seconds(leaders: set[int]) -> float:
    """What the processes of some sessions and of this program have used so far. Python workers that Spark has ended for
    being idle are missing: they count only while they live."""
    total = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = path.read_text()
        except OSError:
            continue
        entries = text[text.rindex(")") + 2 :].split()
        parent, session = int(entries[1]), int(entries[3])
        if session in leaders or parent == os.getpid() or int(path.parent.name) == os.getpid():
            total += sum(map(int, entries[11:15]))
    return total / os.sysconf("SC_CLK_TCK")


def shuffled(log: Path, before: int) -> tuple[int, int]:
    """Bytes that tasks wrote for others to read, from Spark's own log behind a place in it; also where it ends now."""
    total = 0
    with log.open("rb") as file:
        file.seek(before)
        for line in file:
            if b'"SparkListenerTaskEnd"' not in line:
                continue
            metrics = json.loads(line).get("Task Metrics") or {}
            total += metrics.get("Shuffle Write Metrics", {}).get("Shuffle Bytes Written", 0)
        end = file.tell()
    return total, end


def alone(table: Path, rows: int, method: str) -> tuple[float, float, float]:
    """Seconds, processor seconds and GCP of the same plan on one machine, in a process of its own. What would take more
    than a few GiB is done part by part (`pv.anonymize_file`), and its loss is not measured."""
    whole = (
        "frame = pl.read_parquet(sys.argv[1] + '/*.parquet')\n"
        "release = pv.anonymize(frame, wanted)\n"
        "release.write(sys.argv[1] + '-out.parquet')\n"
        "lost = release.summary()['utility.gcp']\n"
    )
    parts = (
        "pv.anonymize_file(sys.argv[1], sys.argv[1] + '-out.parquet', wanted, memory='6 GiB')\nlost = float('nan')\n"
    )
    program = (
        "import sys, time, polars as pl, paravent as pv\n"
        "from benchmarks.tables import plan\n"
        "wanted = plan(getattr(pv.methods, sys.argv[2])()).replace(person=None)\n"
        f"t = time.perf_counter()\n{whole if rows <= _HELD else parts}"
        "print(time.perf_counter() - t, time.process_time(), lost)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(table), method], cwd=ROOT, check=True, capture_output=True, text=True
    )
    seconds, cpu, gcp = map(float, done.stdout.split())
    return seconds, cpu, gcp


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--rows", type=int, nargs="*", default=[1_000_000, 10_000_000])
    options.add_argument("--methods", nargs="*", default=["Mondrian", "Datafly"])
    options.add_argument("--memory", default="1g", help="of each executor")
    options.add_argument("--folder", type=Path, help="where tables lie, and stay (default: a temporary folder)")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tables = given.folder or folder
        for rows in given.rows:
            if not (tables / f"adult-{rows}").exists():
                write_table(tables / f"adult-{rows}", rows)
        master = cluster("start", folder / "cluster")
        try:
            session = opened(master, folder, given.memory, max(given.rows))
            log = next(path for path in folder.glob("*") if path.is_file() and path.name.startswith(("app-", "local-")))
            leaders = {int(path.read_text()) for path in (folder / "cluster").glob("*.pid")}
            rows_of_table: list[list[object]] = []
            for method in given.methods:
                rows_of_table += measure(method, given.rows, tables, folder, log, leaders)
            session.stop()
        finally:
            cluster("stop", folder / "cluster")
    head = [
        "method", "rows", "Spark s", "processor s", "one machine s", "its processor s", "ratio", "shuffle MB",
        "driver MB", "GCP", "GCP alone", "slope",
    ]  # fmt: skip
    print_table("Two workers of one core each, beside one machine with both cores", head, rows_of_table)
    estimate(rows_of_table)


def measure(
    method: str, sizes: list[int], tables: Path, folder: Path, log: Path, leaders: set[int]
) -> list[list[object]]:
    found: list[list[object]] = []
    place, last = log.stat().st_size, (0, 0.0)
    for rows in sizes:
        source = tables / f"adult-{rows}"
        out = folder / f"out-{method}-{rows}"
        start, used = time.perf_counter(), processor_seconds(leaders)
        release = anonymize_on_spark(str(source), plan(getattr(pv.methods, method)()), Spark(), target=str(out))
        release.write(out)
        seconds, used = time.perf_counter() - start, processor_seconds(leaders) - used
        gcp = release.measure()["utility.gcp"]
        time.sleep(2)  # Spark's log is written behind its back
        moved, place = shuffled(log, place)
        driver = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        stages = json.dumps({k: round(v, 1) for k, v in release.timings.items()})
        told = f"{seconds:.0f} s, {used:.0f} processor s, GCP {gcp:.6f}; {release.trace[0]}"
        print(f"{method}, {rows} rows: {stages}, {told}", flush=True)
        single, cpu, gcp_alone = alone(source, rows, method)
        print(
            f"{method}, {rows} rows on one machine: {single:.0f} s, {cpu:.0f} processor s, GCP {gcp_alone:.6f}",
            flush=True,
        )
        slope = "-" if not last[0] else f"{used / last[1] / (rows / last[0]):.2f}"
        last = (rows, used)
        found.append([
            method, rows, seconds, used, single, cpu, used / cpu, moved / 1e6, driver, gcp, gcp_alone, slope
        ])  # fmt: skip
    return found


def estimate(rows: list[list[object]]) -> None:
    """Ten billion rows on fifty nodes, from the largest size of each method and its slope from the one before."""
    told: list[list[object]] = []
    for method in dict.fromkeys(str(row[0]) for row in rows):
        own = [row for row in rows if row[0] == method]
        largest, used = int(str(own[-1][1])), float(str(own[-1][3]))
        slope, steps = 1.0, 0.0
        if len(own) > 1:  # as much steeper again for every such step
            slope = max(1.0, float(str(own[-1][-1])))
            steps = math.log(_GOAL / largest) / math.log(largest / int(str(own[-2][1])))
        hours = used * _GOAL / largest * slope**steps / (_NODES * _CORES) / 3600
        told.append([method, largest, used / largest * 1e6, slope, hours])
    head = ["method", "from rows", "processor s a million rows", "slope", "hours"]
    print_table(f"On paper: {_GOAL:,} rows on {_NODES} nodes of {_CORES} cores".replace(",", " "), head, told)


if __name__ == "__main__":
    main()
