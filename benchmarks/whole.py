"""What a whole command costs, stage by stage. `python -m benchmarks.whole [--rows N] [--table adult|sparse|csv]`

Two tables: Adult enlarged (`adult`; `csv` is the same as text, columns that nobody asked for included), and people in
13 000 zip codes with deep trees (`sparse`). Parquet goes in, verified Parquet comes out. Wall seconds beside seconds of
processors: twice as many of the latter means that two worked at once. `ratio` is to reading the file alone, by polars.
The command is run as users run it, in a process of its own; the stages are those of another one.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import polars as pl

import paravent as pv
from benchmarks.generated import sparse, sparse_plan
from benchmarks.printing import print_table
from benchmarks.tables import adult, enlarged, plan

STAGES = ("read", "check", "encode", "anonymize", "assemble", "verify", "summary", "write", "measures")


class Clock:
    """Wall and processor seconds by stage."""

    def __init__(self) -> None:
        self.spent: dict[str, tuple[float, float]] = {}
        self._open: dict[str, tuple[float, float]] = {}

    def progress(self, stage: str, share: float) -> None:
        if stage in STAGES and share == 0.0:
            self._open[stage] = _now()
        elif stage in STAGES and share == 1.0 and stage in self._open:
            (wall, cpu), (was, used) = _now(), self._open.pop(stage)
            before = self.spent.get(stage, (0.0, 0.0))
            self.spent[stage] = (before[0] + wall - was, before[1] + cpu - used)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        self.progress(name, 0.0)
        yield
        self.progress(name, 1.0)


def _now() -> tuple[float, float]:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return time.perf_counter(), used.ru_utime + used.ru_stime


def make(table: str, rows: int, folder: Path) -> Path:
    """The file and its plan."""
    method = pv.methods.Mondrian()
    if table == "sparse":
        sparse(rows).write_parquet(folder / "in.parquet")
        sparse_plan(folder, method).save(folder / "plan.toml")
        return folder / "in.parquet"
    plan(method).save(folder / "plan.toml")
    frame = enlarged(adult(), rows)
    if table == "adult":
        frame.write_parquet(folder / "in.parquet")
        return folder / "in.parquet"
    rng = np.random.default_rng(2)
    more = [pl.Series(f"amount {i}", rng.integers(0, 10**7, rows) / 100) for i in range(5)]
    frame.with_columns(*more).write_csv(folder / "in.csv")
    return folder / "in.csv"


def stages(source: Path, folder: Path) -> dict[str, object]:
    """One run, measured from within: seconds by stage, and the peak of memory before all measures are taken."""
    clock = Clock()
    with clock.stage("read"):
        table = pv.read(source)
    release = pv.anonymize(table, folder / "plan.toml", progress=clock.progress)
    with clock.stage("summary"):
        release.summary()
    with clock.stage("write"):
        release.write(folder / "out.parquet")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    with clock.stage("measures"):
        release.measure()
    return {"spent": clock.spent, "peak": peak, "classes": len(release.classes)}


def command(source: Path, folder: Path) -> tuple[float, float, float]:
    """The command as users run it: wall seconds, processor seconds, peak of memory in GiB."""
    call = [str(Path(sys.executable).parent / "paravent"), "anonymize", str(source)]
    call += ["--plan", str(folder / "plan.toml"), "--output", str(folder / "release.parquet")]
    begun, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(call, check=True, stdout=subprocess.DEVNULL)
    wall, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, after.ru_maxrss / 1024**2


def run(table: str, rows: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = subprocess.run(_again("--make", table, rows, folder), check=True, capture_output=True, text=True)
        source = Path(made.stdout.strip())
        wall, cpu, peak = command(source, folder)
        inside = subprocess.run(
            _again("--stages", str(source), rows, folder), check=True, capture_output=True, text=True
        )
        found = json.loads(inside.stdout)
        begun = time.perf_counter()
        (pl.read_csv if table == "csv" else pl.read_parquet)(source)
        baseline = time.perf_counter() - begun
        size = source.stat().st_size / 1024**3
    lines: list[list[object]] = [
        [stage, *found["spent"][stage], f"{found['spent'][stage][0] / baseline:.1f}"]
        for stage in STAGES
        if stage in found["spent"]
    ]
    lines.append(["(polars reads the file)", baseline, "-", "1.0"])
    lines.append(["the whole command", wall, cpu, f"{wall / baseline:.1f}"])
    head = ["stage", "wall s", "processor s", "ratio"]
    print_table(f"{table}: {rows} rows, {size:.2f} GiB, {found['classes']} classes", head, lines)
    print(f"\nPeak of memory: {peak:.2f} GiB (the command), {found['peak']:.2f} GiB (up to writing, in Python).")


def _again(what: str, which: str, rows: int, folder: Path) -> list[str]:
    return [sys.executable, "-m", "benchmarks.whole", what, which, "--rows", str(rows), "--folder", str(folder)]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--rows", type=int, default=10_000_000, help="rows of each table (default: 10 million)")
    options.add_argument("--table", choices=("adult", "sparse", "csv"), help="this one alone")
    options.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options.add_argument("--make", help=argparse.SUPPRESS)
    options.add_argument("--stages", type=Path, help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.make:
        print(make(given.make, given.rows, given.folder))
    elif given.stages:
        print(json.dumps(stages(given.stages, given.folder)))
    else:
        for table in (given.table,) if given.table else ("adult", "sparse", "csv"):
            run(table, given.rows)


if __name__ == "__main__":
    main()
