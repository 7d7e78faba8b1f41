"""Clusterings: loss and time on Adult, beside plain Python, how they grow, and what blocks lose.

`python -m benchmarks.clustering [rows of the largest table]`. Times are those of the methods alone, after encoding, the
best of several runs; `user` is the time that the processor spent on them.
"""

from __future__ import annotations

import math
import resource
import sys
import time
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

import paravent as pv
from benchmarks.plain_k_member import k_member
from benchmarks.printing import print_table
from benchmarks.tables import QUASI, adult, enlarged, plan
from paravent import kernels
from paravent.methods import Recoding, Task
from paravent.methods.clustering.cluster_space import ClusterSpace
from paravent.methods.clustering.clustering import Clustering
from paravent.methods.method import Method
from paravent.plan.encode import encode

M = pv.methods
FOUND: list[Clustering] = [M.KMember(), M.NearestNeighbour(), M.GCCG(), M.OKA(), M.KACA(), M.KACA(divide=False)]


def task_of(frame: pl.DataFrame, k: int, quasi: list[str] = QUASI) -> Task:
    asked = plan(M.Mondrian(), k=k, quasi=quasi)
    return Task(len(frame), encode(pv.read(frame), asked), tuple(asked.models))


def loss(task: Task, recoding: Recoding) -> float:
    """GCP, as the methods count it."""
    space = ClusterSpace.of(task, "gcp", "tree")
    cost = space.cost(kernels.Grouped(space.unit_of_row, recoding.of_row), recoding.n_classes)
    return cost / (space.points.dearest * task.n_rows)


def timed(task: Task, method: Method, times: int = 3) -> tuple[float, float, Recoding]:
    """The shortest time, the least time of the processor, and the result."""
    seconds = user = math.inf
    for _ in range(times):
        before, began = resource.getrusage(resource.RUSAGE_SELF).ru_utime, time.perf_counter()
        recoding = method.run(task)
        seconds = min(seconds, time.perf_counter() - began)
        user = min(user, resource.getrusage(resource.RUSAGE_SELF).ru_utime - before)
    return seconds, user, recoding


def named(method: Clustering) -> str:
    return type(method).__name__ + ("(divide=False)" if getattr(method, "divide", True) is False else "")


def on_adult(frame: pl.DataFrame, ks: tuple[int, ...] = (2, 5, 10, 25)) -> None:
    for k in ks:
        task = task_of(frame, k)
        baseline, user, recoding = timed(task, M.Mondrian())
        rows: list[list[object]] = [["Mondrian", baseline, user, 1.0, loss(task, recoding), recoding.n_classes]]
        for method in FOUND:
            seconds, user, recoding = timed(task, method, 2)
            rows.append([named(method), seconds, user, seconds / baseline, loss(task, recoding), recoding.n_classes])
        head = ["method", "seconds", "user", "of Mondrian", "loss (GCP)", "classes"]
        print_table(f"Adult, {len(frame)} rows, 8 columns, k = {k}", head, rows)


def beside_plain_python(frame: pl.DataFrame, k: int = 5, sizes: tuple[int, ...] = (500, 1000, 2000)) -> None:
    rows: list[list[object]] = []
    for size in sizes:
        task = task_of(frame.sample(size, seed=1), k)
        space = ClusterSpace.of(task, "gcp", "tree")
        units = np.repeat(np.arange(len(space.points.codes)), space.points.counts)
        start = int(units[np.random.default_rng([task.seed, 0]).integers(size)])
        began = time.perf_counter()
        plain = k_member(space.points, k, start)
        slow = time.perf_counter() - began
        fast, _, recoding = timed(task, M.KMember())
        group = np.concatenate([np.full(len(cluster), c, dtype=np.int32) for c, cluster in enumerate(plain)])
        unit = np.concatenate([np.array(cluster, dtype=np.int32) for cluster in plain])
        lost = space.cost(kernels.Grouped(unit, group), len(plain)) / (space.points.dearest * size)
        rows.append([size, slow, fast, slow / fast, lost, loss(task, recoding)])
    head = ["rows", "plain Python, s", "paravent, s", "times faster", "its loss", "our loss"]
    print_table(f"k-member on samples of Adult, k = {k}", head, rows)


def _exponent(seconds: float, size: float, before: tuple[float, float] | None) -> str:
    return f"{math.log(seconds / before[1]) / math.log(size / before[0]):.2f}" if before else ""


def growth(frame: pl.DataFrame, most: int) -> None:
    """By rows, by columns and by k; blocks are off."""
    whole: list[Clustering] = [M.KMember(block=0), M.NearestNeighbour(block=0), M.KACA(block=0), M.OKA(block=0)]
    for method in whole:
        rows: list[list[object]] = []
        before: tuple[float, float] | None = None
        size = 7_500
        while size <= most and (before is None or before[1] < 20):
            table = frame.sample(size, seed=1) if size <= len(frame) else enlarged(frame, size, redrawn=0.3)
            task = task_of(table, 5)
            seconds, user, recoding = timed(task, method, 1)
            tuples = len(ClusterSpace.of(task, "gcp", "tree").points.codes)
            rows.append([size, tuples, seconds, user, _exponent(user, size, before), loss(task, recoding)])
            before, size = (size, user), size * 2
        head = ["rows", "distinct", "seconds", "user", "exponent", "loss (GCP)"]
        print_table(f"{named(method)}, k = 5, by rows (Adult; beyond it enlarged, 30 % of cells redrawn)", head, rows)
    by_columns: list[list[object]] = []
    for columns in (2, 4, 6, 8):
        task = task_of(frame, 5, QUASI[:columns])
        row: list[object] = [columns]
        for method in FOUND[:5]:
            row.append(timed(task, method, 2)[0])
        by_columns.append(row)
    names = [named(method) for method in FOUND[:5]]
    print_table("Seconds by columns, Adult, k = 5", ["columns", *names], by_columns)
    by_k: list[list[object]] = []
    for k in (2, 5, 10, 25, 100):
        task = task_of(frame, k)
        by_k.append([k, *(timed(task, method, 2)[0] for method in FOUND[:5])])
    print_table("Seconds by k, Adult, 8 columns", ["k", *names], by_k)


def in_blocks(frame: pl.DataFrame, rows: int, redrawn: float, whole: bool) -> None:
    """What blocks save, and what they lose."""
    task = task_of(enlarged(frame, rows, redrawn=redrawn), 5)
    found: list[list[object]] = []
    for method in (M.KMember(), M.KACA()):
        first: tuple[float, float] | None = None
        for block in (0, 50_000, 10_000, 2_000):
            if block == 0 and not whole:
                continue
            seconds, user, recoding = timed(task, replace(method, block=block), 1)
            lost = loss(task, recoding)
            first = first or ((seconds, lost) if block == 0 else None)
            more: list[Any] = [first[0] / seconds, f"{lost / first[1] - 1:+.1%}"] if first else ["", ""]
            found.append([named(method), block or "none", seconds, user, more[0], lost, more[1]])
    head = ["method", "block", "seconds", "user", "times faster", "loss (GCP)", "more loss"]
    print_table(f"In blocks: {rows} rows, {redrawn:.0%} of cells redrawn, k = 5", head, found)


def main(most: int = 120_000) -> None:
    frame = adult()
    on_adult(frame)
    beside_plain_python(frame)
    growth(frame, most)
    in_blocks(frame, most, 0.3, whole=True)
    in_blocks(frame, 1_000_000, 0.05, whole=False)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
