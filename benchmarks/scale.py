"""How Mondrian grows with rows, columns and k, and what a whole run costs. `python -m benchmarks.scale [--rows N]`

The table is Adult enlarged by a bootstrap in which 5 % of the cells are drawn anew. Method time is what the algorithm
takes on encoded columns; the whole run is the command `paravent anonymize`, Parquet in to verified Parquet out.
"""

from __future__ import annotations

import argparse
import math
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import paravent as pv
from benchmarks.plain_mondrian import plain_mondrian
from benchmarks.printing import best_of, print_table
from benchmarks.tables import QUASI, adult, enlarged, plan
from paravent.methods import Axis, Task
from paravent.plan.encode import encode


def method_seconds(axes: tuple[Axis, ...], k: int, labels: str) -> tuple[float, int]:
    task = Task(len(axes[0].codes), axes, (pv.KAnonymity(k),))
    method = pv.methods.Mondrian(labels=labels)  # type: ignore[arg-type]
    seconds, found = best_of(2, lambda: method.run(task))
    return seconds, found.n_classes


def plain_seconds(axes: tuple[Axis, ...], k: int) -> float:
    rows = list(zip(*(axis.codes.tolist() for axis in axes), strict=True))
    ruler = [(np.arange(len(axis)) / max(len(axis) - 1, 1)).tolist() for axis in axes]
    return best_of(1, lambda: plain_mondrian(rows, ruler, k))[0]


def by_rows(most: int) -> None:
    rows: list[list[object]] = []
    last: tuple[int, float] | None = None
    for n in [n for n in (30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000) if n <= most]:
        axes = encode(pv.read(enlarged(adult(), n)), plan(pv.methods.Mondrian()))
        seconds = {labels: method_seconds(axes, 5, labels)[0] for labels in ("interval", "tree", "set")}
        plain = plain_seconds(axes, 5) if n <= 300_000 else None
        growth = "-"
        if last is not None:  # 1: as n log n; less: slower than that
            expected = n * math.log(n) / (last[0] * math.log(last[0]))
            growth = f"{seconds['tree'] / last[1] / expected:.2f}"
        last = (n, seconds["tree"])
        ratio = f"{plain / seconds['interval']:.0f}" if plain else "-"
        rows.append([n, *seconds.values(), plain or "-", ratio, growth])
    head = ["rows", "interval s", "tree s", "set s", "plain Python s", "times faster", "growth against n log n (tree)"]
    print_table(f"By rows: {len(QUASI)} quasi-identifiers, k = 5", head, rows)


def by_columns_and_k(n: int) -> None:
    table = pv.read(enlarged(adult(), n))
    rows: list[list[object]] = []
    for width in (2, 4, 6, 8):
        axes = encode(table, plan(pv.methods.Mondrian(), quasi=QUASI[:width]))
        rows.append([width, 5, *method_seconds(axes, 5, "tree")])
    axes = encode(table, plan(pv.methods.Mondrian()))
    for k in (2, 10, 50, 250, 1000):
        rows.append([len(QUASI), k, *method_seconds(axes, k, "tree")])
    print_table(f"By columns and k: {n} rows, tree labels", ["columns", "k", "seconds", "classes"], rows)


def whole_run(n: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        enlarged(adult(), n).write_parquet(folder / "in.parquet")
        plan(pv.methods.Mondrian()).save(folder / "plan.toml")
        command = [str(Path(sys.executable).parent / "paravent"), "anonymize", "in.parquet"]
        command += ["--plan", "plan.toml", "--output", "out.parquet"]
        start = time.perf_counter()
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        seconds = time.perf_counter() - start
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024**2
    print_table(
        "Whole command, Parquet in to verified Parquet out", ["rows", "seconds", "peak GiB"], [[n, seconds, peak]]
    )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--rows", type=int, default=10_000_000, help="the largest table (default: 10 million)")
    most = options.parse_args().rows
    whole_run(most)  # first, while this process is small: the peak is that of the largest child
    by_rows(most)
    by_columns_and_k(min(most, 1_000_000))


if __name__ == "__main__":
    main()
