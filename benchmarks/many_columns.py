"""Every method with thousands of quasi-identifiers. `python -m benchmarks.many_columns [--columns N] [--rows N]`

A method either ends in time or refuses the table at once, in one sentence that names a remedy. The table is generated:
half of the columns are numbers with intervals, half are categories in groups, around a hidden group of the row. Methods
that publish averages get numbers alone. Each run is a whole one, `pv.anonymize` with k = 5, in a process of its own
that is ended after the limit. Seconds and limit are of processor time: what others do on the machine does not count.
"""

from __future__ import annotations

import argparse
import resource
import signal
import subprocess
import sys
import time
from typing import Any

import numpy as np
import polars as pl

import paravent as pv
from benchmarks.printing import print_table
from paravent import registry
from paravent.methods.method import Method

TARGET = "grade"
SETTINGS: dict[str, dict[str, Any]] = {
    "BottomUp": {"target": TARGET},
    "TopDown": {"target": TARGET},
    "Filter": {"levels": {"c0": "top"}},
}
WORDS = pv.groups({f"group {i}": [f"w{4 * i + j}" for j in range(4)] for i in range(4)})


def method_of(name: str) -> Method:
    """A method as it comes, or with what it cannot do without."""
    classes: dict[str, Any] = registry.classes("method")
    method: Method = classes[name](**SETTINGS.get(name, {}))
    return method


def names() -> list[str]:
    return sorted(registry.classes("method"))


def wide_table(columns: int, rows: int, *, numbers: bool = False, seed: int = 1) -> tuple[pl.DataFrame, dict[str, Any]]:
    """A table and the roles of its columns."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 12, rows)
    found: dict[str, Any] = {}
    roles: dict[str, Any] = {}
    for j in range(columns):
        near = (rng.integers(0, 16, 12)[group] + rng.geometric(0.5, rows) - 1) % 16
        if numbers or j % 2 == 0:
            found[f"c{j}"], roles[f"c{j}"] = 20 + near * 3, pv.Quasi(pv.intervals(5, 20))
        else:
            found[f"c{j}"], roles[f"c{j}"] = [f"w{value}" for value in near.tolist()], pv.Quasi(WORDS)
    found[TARGET] = [f"grade {value}" for value in (group % 3).tolist()]
    return pl.DataFrame(found), {**roles, TARGET: pv.Insensitive()}


def run_one(name: str, columns: int, rows: int) -> str:
    """How a method ends, in words."""
    method = method_of(name)
    frame, roles = wide_table(columns, rows, numbers=method.gives == "averages")
    table = pv.read(frame)
    start = time.process_time()
    try:
        release = pv.anonymize(table, pv.Plan(roles, [pv.KAnonymity(5)], method, suppression=0.05))
        end = f"{len(release.classes)} classes"
    except pv.ParaventError as error:
        end = f"{type(error).__name__}: {error}"
    return f"{time.process_time() - start:.2f}|{end}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--columns", type=int, default=2_000)
    parser.add_argument("--rows", type=int, default=300)
    parser.add_argument("--limit", type=float, default=45, help="processor seconds for a run (45)")
    parser.add_argument("--methods", default="", help="some, comma-separated, instead of all")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    if wanted.one:
        limit = int(wanted.limit) + 5  # Python has to start and the table to be made
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        print(run_one(wanted.one, wanted.columns, wanted.rows))
        return
    rows: list[list[object]] = []
    for name in wanted.methods.split(",") if wanted.methods else names():
        command = [sys.executable, "-m", "benchmarks.many_columns", "--one", name]
        command += ["--columns", str(wanted.columns), "--rows", str(wanted.rows), "--limit", str(wanted.limit)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            seconds, end = done.stdout.strip().split("|", 1)
        elif done.returncode in (-signal.SIGKILL, -signal.SIGXCPU):
            seconds, end = f"> {wanted.limit:g}", "IT DID NOT END"
        else:
            seconds, end = "-", (done.stderr.strip().splitlines() or ["it died"])[-1]
        rows.append([name, seconds, end])
        print(f"{name}: {seconds} s, {end}", file=sys.stderr, flush=True)
    head = ["method", "seconds", "how it ended"]
    print_table(f"{wanted.columns} quasi-identifiers, {wanted.rows} rows, k = 5", head, rows)


if __name__ == "__main__":
    main()
