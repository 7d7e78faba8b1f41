"""Microaggregation: loss beside the published one, time beside the plain algorithm, and how it grows.

`python -m benchmarks.microaggregation [most rows]`
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np
import polars as pl

import paravent as pv
from benchmarks.printing import print_table
from paravent.kernels.micro import MicroColumn, mdav
from paravent.methods.microaggregation.groups import median_blocks, part
from tests.kernels.twins.micro import mdav_twin

T = TypeVar("T")
CASC = Path(__file__).parents[2] / "shared" / "data" / "casc"


def timed(times: int, call: Callable[[], T]) -> tuple[float, float, T]:
    """The shortest of several runs: seconds on the wall, seconds of processor time, and the last result."""
    best = (float("inf"), float("inf"))
    for _ in range(times):
        wall, busy = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF).ru_utime
        result = call()
        used = resource.getrusage(resource.RUSAGE_SELF).ru_utime - busy
        best = (min(best[0], time.perf_counter() - wall), min(best[1], used))
    return *best, result


def made_up(rows: int, columns: int) -> list[MicroColumn]:
    """Independent normal columns: the hardest case, nothing lies in clusters."""
    rng = np.random.default_rng(1)
    return [MicroColumn.line(rng.normal(size=rows)) for _ in range(columns)]


def loss(columns: list[MicroColumn], of_row: np.ndarray) -> float:
    """100 SSE / SST."""
    sizes = np.maximum(np.bincount(of_row), 1)
    within = total = 0.0
    for column in columns:
        means = np.bincount(of_row, weights=column.values) / sizes
        within += float(((column.values - means[of_row]) ** 2).sum())
        total += float(((column.values - column.values.mean()) ** 2).sum())
    return 100 * within / total


def reference_sets() -> None:
    rows: list[list[object]] = []
    methods = [pv.methods.MDAV(), pv.methods.VMDAV(), pv.methods.RefinedMDAV()]
    for name in ("census", "tarragona", "eia"):
        path = CASC / f"{name}.csv"
        if not path.exists():
            print(f"{path} is not here: the reference sets are left out.")
            return
        frame = pl.read_csv(path)
        if name == "eia":
            frame = frame.select("UTILITYID", *(c for c in frame.columns if c.endswith(("REVENUE", "SALES"))))
        for k in (3, 4, 5, 10):
            row: list[object] = [name, k]
            for method in methods:
                plan = pv.Plan({column: pv.Quasi() for column in frame.columns}, [pv.KAnonymity(k)], method)
                wall, busy, release = timed(1, lambda plan=plan, frame=frame: pv.anonymize(frame, plan))  # type: ignore[misc]
                row += [f"{release.measure()['utility.sse']:.4f}", f"{wall:.2f} ({busy:.2f})"]
            rows.append(row)
    head = ["set", "k"]
    for method in methods:
        head += [f"{type(method).__name__}, 100 SSE/SST", "s (processor)"]
    print_table("Reference sets: loss, and seconds with checks", head, rows)


def beside_the_plain_algorithm() -> None:
    rows: list[list[object]] = []
    for size, k in ((2500, 5), (5000, 5), (10_000, 5)):
        columns = made_up(size, 9)
        _, slow, plain = timed(1, lambda c=columns, k=k: mdav_twin(c, k=k))  # type: ignore[misc]
        _, fast, found = timed(3, lambda c=columns, k=k: mdav(c, k=k))  # type: ignore[misc]
        same = "yes" if np.array_equal(plain[0], found[0]) else "NO"
        rows.append([size, k, slow, fast, slow / fast, same])
    head = ["rows", "k", "NumPy, processor s", "paravent, processor s", "times faster", "same groups"]
    print_table("MDAV, 9 columns, beside the plain algorithm in NumPy", head, rows)


def growth(most: int) -> None:
    rows: list[list[object]] = []
    for size, k, width in (
        (30_000, 5, 9),
        (30_000, 10, 9),
        (30_000, 5, 3),
        (30_000, 5, 18),
        (60_000, 10, 9),
        (100_000, 10, 9),
        (200_000, 10, 9),
        (1_000_000, 10, 9),
    ):
        if size > most:
            continue
        columns = made_up(size, width)
        wall, busy, (of_row, _) = timed(3 if size <= 100_000 else 1, lambda c=columns, k=k: mdav(c, k=k))  # type: ignore[misc]
        rows.append([size, width, k, wall, busy, busy / (size * size / k) * 1e9, loss(columns, of_row)])
    head = ["rows", "columns", "k", "s", "processor s", "ns per rows² / k", "100 SSE/SST"]
    print_table("MDAV: how it grows", head, rows)


def blocks(most: int) -> None:
    rows: list[list[object]] = []
    size, k = min(200_000, most), 10
    columns = made_up(size, 9)
    _, _, (whole, _) = timed(1, lambda: mdav(columns, k=k))
    base = loss(columns, whole)
    for block in (100_000, 50_000, 25_000, 10_000, 5_000):
        if block >= size:
            continue

        def cut(block: int = block) -> np.ndarray:
            of_row, count = np.empty(size, dtype=np.int32), 0
            for those in median_blocks(columns, np.arange(size), block):
                found, groups = mdav(part(columns, those), k=k)
                of_row[those] = found + count
                count += groups
            return of_row

        wall, busy, of_row = timed(1, cut)
        lost = loss(columns, of_row)
        rows.append([size, block, wall, busy, lost, 100 * (lost / base - 1)])
    head = ["rows", "rows a block", "s", "processor s", "100 SSE/SST", "% more than in one block"]
    print_table(f"Blocks cut at medians first, 9 columns, k = {k}; one block: {base:.4f}", head, rows)


if __name__ == "__main__":
    limit = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    reference_sets()
    beside_the_plain_algorithm()
    growth(limit)
    blocks(limit)
