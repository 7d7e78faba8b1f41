"""A table larger than memory on one machine. `python -m benchmarks.larger [--rows N] [--memory SIZE]`

Adult enlarged, written to Parquet a million rows at a time and anonymized part by part (`pv.anonymize_file`), in a
process of its own. The peak of its memory stands beside what was allowed and what the cells take, the time beside that
of polars reading the file once and writing it again.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import polars as pl

import paravent as pv
from benchmarks.printing import print_table
from benchmarks.tables import adult, enlarged, plan

_AT_ONCE = 1_000_000
_RUN = """
import json, re, sys, time
import paravent as pv
begun, used = time.perf_counter(), time.process_time()
found = pv.anonymize_file(*sys.argv[1:4], memory=sys.argv[4])
peak = int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) / 2**20
spent = [time.perf_counter() - begun, time.process_time() - used, peak]
print(json.dumps([*spent, found.verdict.rows, len(found.verdict.classes), dict(found.timings)]))
"""


def make(rows: int, folder: Path) -> float:
    """The files, and how many GiB their cells take in memory."""
    source, held = adult(), 0.0
    for number in range(-(-rows // _AT_ONCE)):
        part = enlarged(source, min(_AT_ONCE, rows - number * _AT_ONCE), seed=number)
        part.write_parquet(folder / f"{number:05d}.parquet")
        held += part.estimated_size() / 2**30
    return held


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--rows", type=int, default=10_000_000, help="rows of the table (default: 10 million)")
    options.add_argument("--memory", default="2 GiB", help="what may be held at a time (default: 2 GiB)")
    options.add_argument("--methods", nargs="*", default=["Mondrian", "Datafly"])
    options.add_argument("--folder", type=Path, help="where the files lie meanwhile (default: that of temporary files)")
    given = options.parse_args()
    lines: list[list[object]] = []
    with tempfile.TemporaryDirectory(dir=given.folder) as name:
        folder = Path(name)
        (folder / "in").mkdir()
        held = make(given.rows, folder / "in")
        begun = time.perf_counter()
        pl.scan_parquet(folder / "in").sink_parquet(folder / "copy.parquet")
        baseline = time.perf_counter() - begun
        for method in given.methods:
            wanted = plan(getattr(pv.methods, method)()).replace(suppression=0.05)
            wanted.save(folder / "plan.toml")
            call = [
                sys.executable,
                "-c",
                _RUN,
                folder / "in",
                folder / "out.parquet",
                folder / "plan.toml",
                given.memory,
            ]
            done = subprocess.run([*map(str, call)], check=True, capture_output=True, text=True)
            wall, cpu, peak, released, classes, timings = json.loads(done.stdout)
            slowest = max(timings, key=lambda stage: timings[stage])
            lines.append([method, wall, cpu, f"{wall / baseline:.1f}", peak, held, released, classes, slowest])
    head = ["method", "wall s", "processor s", "ratio to copying", "peak GiB", "cells GiB", "released", "classes"]
    title = re.sub(r"\s+", " ", f"{given.rows} rows in {given.memory}; copying takes {baseline:.1f} s")
    print_table(title, [*head, "longest stage"], lines)


if __name__ == "__main__":
    main()
