"""Many quasi-identifiers: how the best-effort searches improve. `python -m benchmarks.wide [--seconds N] [--rows N]`

The tables are generated: columns of 2 to 64 values, skewed, half of them drawn around a hidden group of the row, each
with a tree of twos or fours. Their lattices have far too many nodes to be walked. The optimal full-domain search prints
the best loss after 1, 2, 5, 10, 20 seconds (the last two fifths go to the bound: what no node can lose less than), and
the most memory that it took beside its limit; local recoding prints its loss beside Mondrian's in the same run.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import paravent as pv
from benchmarks.printing import print_table
from paravent.hierarchy.tree import Tree
from paravent.methods import Axis, Task
from paravent.methods.full_domain.lattice_search import Found
from paravent.methods.local.space import Space
from paravent.table.kinds import Kind

MARKS = (1, 2, 5, 10, 20)


def wide_task(columns: int, rows: int, *, suppression: float = 0.05, k: int = 5, seed: int = 1) -> Task:
    """A generated table with trees."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 12, rows)
    axes = []
    for j in range(columns):
        size = int(rng.choice([2, 3, 5, 8, 16, 32, 64]))
        by = int(rng.choice([2, 4]))
        own = (size * rng.random(rows) ** rng.uniform(1, 4)).astype(np.int64)
        if j % 2:
            near = (rng.integers(0, size, 12)[group] + rng.geometric(0.5, rows) - 1) % size
            own = np.where(rng.random(rows) < 0.8, near, own)
        steps = range(1, max(2, int(np.ceil(np.log(size) / np.log(by)))))
        given = Tree.from_paths(f"c{j}", [[f"v{i}", *(f"{s}:{i // by**s}" for s in steps), "*"] for i in range(size)])
        seen, codes = np.unique(own, return_inverse=True)
        tree = given.restrict(seen)
        axes.append(Axis(f"c{j}", Kind.NOMINAL, codes.reshape(-1).astype(np.int32), tree.leaves, tree, given=given))
    return Task(rows, tuple(axes), (pv.KAnonymity(k),), max_suppressed=int(suppression * rows))


def status(name: str) -> int:
    """A number of bytes that Linux keeps of this process; 0 elsewhere."""
    path = Path("/proc/self/status")
    lines = path.read_text().splitlines() if path.exists() else []
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(name)), 0)


def full_domain(columns: int, rows: int, seconds: int, limit: int) -> None:
    """One run, its row printed as text: it has a process of its own, so that the peak is its own."""
    task = wide_task(columns, rows)
    pv.methods.Optimal(time_limit=0.1, memory_limit=limit).run(wide_task(columns, 500))
    if Path("/proc/self/clear_refs").exists():
        Path("/proc/self/clear_refs").write_text("5")
    before, start = status("VmRSS"), time.monotonic()
    heard: list[tuple[float, float]] = []

    def better(found: Found) -> None:
        heard.append((time.monotonic() - start, found.loss))

    found = pv.methods.Optimal(time_limit=seconds, memory_limit=limit).search(task, better)
    peak = max(0, status("VmHWM") - before)
    marks = [mark for mark in MARKS if mark <= seconds]
    at = [min([loss for when, loss in heard if when <= mark], default=1.0) for mark in marks]
    bound = float(found.trace[-1].split("less than ")[1].split(" ")[0])
    checked = int(found.trace[0].split()[1])
    texts = [f"{loss:.5f}" for loss in at]
    print("|".join([*texts, f"{bound:.5f}", str(checked), f"{peak / 2**20:.1f}", f"{limit / 2**20:.0f}"]))


def local(columns: int, rows: int) -> list[object]:
    task = wide_task(columns, rows, suppression=0)
    space = Space(task.axes)

    def measured(method: pv.methods.Method) -> tuple[float, float]:
        start = time.perf_counter()
        found = method.run(task)
        seconds = time.perf_counter() - start
        return seconds, space.loss(found.of_row, found.n_classes)

    seconds, loss = measured(pv.methods.Mondrian(strict=False))
    row: list[object] = [columns, rows, seconds, loss]
    for effort in ("fast", "normal"):
        took, found = measured(pv.methods.LocalRecoding(effort=effort))
        row += [took, found, 1 - found / loss]
    return row


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--seconds", type=int, default=20)
    options.add_argument("--rows", type=int, default=20_000)
    options.add_argument("--memory", type=int, default=64, help="the limit of the full-domain search in MiB")
    options.add_argument("--only", nargs=2, type=int, metavar=("COLUMNS", "ROWS"), help=argparse.SUPPRESS)
    asked = options.parse_args()
    if asked.only:
        columns, rows_asked = asked.only
        full_domain(columns, rows_asked, asked.seconds, asked.memory << 20)
        return
    rows: list[list[object]] = []
    for columns in (16, 24):
        command = [sys.executable, "-m", "benchmarks.wide", "--only", str(columns), str(asked.rows)]
        command += ["--seconds", str(asked.seconds), "--memory", str(asked.memory)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        rows.append([columns, asked.rows, *done.stdout.strip().split("|")])
    marks = [f"loss after {mark} s" for mark in MARKS if mark <= asked.seconds]
    head = ["columns", "rows", *marks, "no less than", "nodes counted", "peak MiB", "limit MiB"]
    print_table("Optimal full-domain search, k = 5, 5 % may be suppressed", head, rows)
    head = ["columns", "rows", "Mondrian s", "loss", "local fast s", "loss", "less", "local normal s", "loss", "less"]
    print_table("Local recoding, k = 5", head, [local(columns, asked.rows) for columns in (8, 16, 24)])


if __name__ == "__main__":
    main()
