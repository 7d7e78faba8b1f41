"""GkAA and GAA: time on Adult, beside plain Python, and how it grows.

`python -m benchmarks.merging [rows of the largest exact run] [rows in parts]`. The processor's time stands beside the
clock's: on a shared machine only the first can be compared.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from paravent_experiments.metrics import KS, TABLES

from benchmarks.printing import best_of, print_table
from paravent.hierarchy.axis import Axis
from paravent.hierarchy.tree import Tree
from paravent.kernels.merging import TreeCosts, merge
from paravent.methods import GAA, GkAA, Task
from paravent.methods.merging.criteria import table_alteration
from paravent.plan.k_sweep import k_sweep
from paravent.privacy import KAnonymity
from paravent.table.kinds import Kind
from paravent.utility.cost import METRICS
from paravent.utility.cost.axes import axis_costs
from tests.kernels.twins.merging import merge_twin

T = TypeVar("T")


def timed(times: int, call: Callable[[], T]) -> tuple[float, float, T]:
    """The shortest of several runs by the clock and by the processor, in seconds, and the last result."""
    clock = processor = float("inf")
    for _ in range(times):
        start, busy = time.perf_counter(), time.process_time()
        result = call()
        clock, processor = min(clock, time.perf_counter() - start), min(processor, time.process_time() - busy)
    return clock, processor, result


def published_tables() -> None:
    rows: list[list[object]] = []
    for name, load in TABLES.items():
        table, trees = load()
        task = k_sweep(table, trees, GkAA(), ks=[2]).task
        for metric in METRICS:
            method = GkAA(metric=metric)
            clock, busy, run = timed(3, lambda method=method, task=task: method.merged(task, KS[-1]))  # type: ignore[misc]
            rows.append([name, metric, run.n, len(run.merges.left), clock, busy])
    head = ["table", "metric", "tuples", "merges", "seconds", "of the processor"]
    print_table(f"All {len(KS)} k up to {KS[-1]} in one run (published: about 45 minutes)", head, rows)


def strategies() -> None:
    rows: list[list[object]] = []
    table, trees = TABLES["adult"]()
    trees = {name: tree for name, tree in trees.items() if name != "marital-status"}
    for strategy in (1, 2, 3, 4, 5, 6, 7, "l", "t"):
        method = GAA(strategy=strategy, column="marital-status", scope="class")
        task = k_sweep(table, trees, method, ks=[2]).task
        clock, busy, run = timed(1, lambda method=method, task=task: method.merged(task, KS[-1]))  # type: ignore[misc]
        rows.append([strategy, run.n, len(run.merges.left), clock, busy])
    head = ["strategy", "tuples", "merges", "seconds", "of the processor"]
    print_table("Adult, marital status sensitive: all k in one run of GAA, by class", head, rows)


def stubs() -> None:
    rows: list[list[object]] = []
    table, trees = TABLES["adult"]()
    for k in (3, 10, 100, 1000):
        task = k_sweep(table, trees, GkAA(), ks=[k]).task
        for method in (GkAA(), GkAA(stubs=True)):
            clock, busy, found = timed(1, lambda method=method, task=task: method.run(task))  # type: ignore[misc]
            lost = table_alteration(task.axes, found.of_row, found.n_classes, method)
            rows.append([k, "stubs" if method.stubs else "whole classes", clock, busy, found.n_classes, lost])
    print_table("Adult with stubs", ["k", "merging", "seconds", "of the processor", "classes", "alteration, %"], rows)


def beside_plain_python(sample: int = 2000) -> None:
    table, trees = TABLES["adult"]()
    rows: list[list[object]] = []
    for size in (sample // 4, sample // 2, sample):
        part = table.frame.sample(size, seed=1)
        task = k_sweep(part, trees, GkAA(), ks=[2]).task
        _, costs = axis_costs(task.axes, "nllm", rows=size)
        tree_costs = [TreeCosts(c.tree.parent, c.tree.first, c.tree.last, c.climb) for c in costs]
        nodes, counts = np.unique(np.stack([a.codes for a in task.axes], axis=1), axis=0, return_counts=True)
        weights = counts.astype(np.int64)
        slow, _ = best_of(1, lambda: merge_twin(nodes, weights, tree_costs, k=size))  # noqa: B023
        fast, _ = best_of(3, lambda: merge(nodes, weights, tree_costs, k=size))  # noqa: B023
        rows.append([size, len(nodes), slow, fast, slow / fast])
    head = ["rows", "tuples", "plain Python, s", "paravent, s", "times faster"]
    print_table("Samples of Adult, NLLM, merged to one class", head, rows)


def made_up(tuples: int) -> Task:
    """A table with about so many distinct tuples: five columns of 100, 30, 20, 10 and 5 values in trees."""
    rng = np.random.default_rng(1)
    axes = []
    for j, size in enumerate((100, 30, 20, 10, 5)):
        tree = Tree.from_paths(f"c{j}", [[f"v{i}", f"g{i // 3}", f"h{i // 9}", "*"] for i in range(size)])
        codes = rng.choice(size, tuples, p=(w := rng.random(size) + 0.2) / w.sum()).astype(np.int32)
        codes[:size] = np.arange(size)
        axes.append(Axis(tree.name, Kind.NOMINAL, codes, tree.leaves, tree, given=tree))
    return Task(tuples, tuple(axes), (KAnonymity(10),))


def growth(most: int) -> None:
    rows: list[list[object]] = []
    size, before = 12_500, (0, 0.0)
    while size <= most:
        task = made_up(size)
        clock, busy, run = timed(1, lambda: GkAA().merged(task, 10))  # noqa: B023
        grown = np.log(busy / before[1]) / np.log(run.n / before[0]) if before[0] else float("nan")
        rows.append([size, run.n, clock, busy, f"{grown:.2f}" if before[0] else ""])
        before, size = (run.n, busy), size * 2
    print_table("Growth, k = 10", ["rows", "tuples", "seconds", "of the processor", "exponent"], rows)


def in_parts(rows: int, exact_up_to: int = 250_000) -> None:
    """In parts beside the whole: time, and how much more is lost."""
    task = made_up(rows)
    found: list[list[object]] = []
    whole: tuple[float, float] | None = None
    for shards in (1, 8, 32, 128):
        if shards == 1 and rows > exact_up_to:
            continue
        method = GkAA(shards=shards)
        clock, busy, recoding = timed(1, lambda: method.run(task))  # noqa: B023
        lost = table_alteration(task.axes, recoding.of_row, recoding.n_classes, method)
        whole = whole or ((busy, lost) if shards == 1 else None)
        ratio, more = (whole[0] / busy, f"{lost - whole[1]:+.2f}") if whole else ("", "")
        found.append([shards, clock, busy, ratio, lost, more])
    head = ["parts", "seconds", "of the processor", "times faster", "alteration, %", "points more"]
    tuples = len(np.unique(np.stack([a.codes for a in task.axes], axis=1), axis=0))
    print_table(f"In parts: {rows} rows, {tuples} tuples, k = 10", head, found)


def main(most: int, parted: int) -> None:
    published_tables()
    beside_plain_python()
    strategies()
    stubs()
    growth(most)
    in_parts(parted)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("most", type=int, nargs="?", default=100_000, help="rows up to which growth is shown")
    options.add_argument("parted", type=int, nargs="?", default=250_000, help="rows that are merged in parts")
    given = options.parse_args()
    main(given.most, given.parted)
