"""GkAA: time on Adult, beside plain Python, and how it grows. `python -m benchmarks.merging [most distinct tuples]`"""

from __future__ import annotations

import sys

import numpy as np

from benchmarks.printing import best_of, print_table
from paravent.experiments.metrics import KS, TABLES
from paravent.hierarchy.axis import Axis
from paravent.hierarchy.tree import Tree
from paravent.kernels.merging import Slope, merge, merge_twin
from paravent.methods import GkAA, Task
from paravent.methods.k_sweep import k_sweep, table_criteria
from paravent.privacy import KAnonymity
from paravent.table.kinds import Kind
from paravent.utility.cost import METRICS
from paravent.utility.cost.axes import axis_costs


def published_tables() -> None:
    rows: list[list[object]] = []
    for name, load in TABLES.items():
        table, trees = load()
        task = k_sweep(GkAA(), table, trees, [2]).task
        for metric in METRICS:
            method = GkAA(metric=metric)
            seconds, run = best_of(3, lambda method=method, task=task: method.merged(task, KS[-1]))  # type: ignore[misc]
            rows.append([name, metric, run.n, len(run.merges.left), seconds])
    print_table(f"All {len(KS)} k up to {KS[-1]} in one run", ["table", "metric", "tuples", "merges", "seconds"], rows)


def beside_plain_python(sample: int = 2000) -> None:
    table, trees = TABLES["adult"]()
    rows: list[list[object]] = []
    for size in (sample // 4, sample // 2, sample):
        part = table.frame.sample(size, seed=1)
        task = k_sweep(GkAA(), part, trees, [2]).task
        _, costs = axis_costs(task.axes, "nllm", rows=size)
        slopes = [Slope(c.tree.parent, c.tree.first, c.tree.last, c.climb) for c in costs]
        nodes, counts = np.unique(np.stack([a.codes for a in task.axes], axis=1), axis=0, return_counts=True)
        weights = counts.astype(np.int64)
        slow, _ = best_of(1, lambda: merge_twin(nodes, weights, slopes, k=size))  # noqa: B023
        fast, _ = best_of(3, lambda: merge(nodes, weights, slopes, k=size))  # noqa: B023
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
        seconds, run = best_of(1, lambda: GkAA().merged(task, 10))  # noqa: B023
        grown = np.log(seconds / before[1]) / np.log(run.n / before[0]) if before[0] else float("nan")
        rows.append([size, run.n, seconds, f"{grown:.2f}" if before[0] else ""])
        before, size = (run.n, seconds), size * 2
    print_table("Growth, k = 10", ["rows", "tuples", "seconds", "exponent"], rows)


def in_parts(rows: int, exact_up_to: int = 250_000) -> None:
    """In parts beside the whole: time, and how much more is lost."""
    task = made_up(rows)
    found: list[list[object]] = []
    whole: tuple[float, float] | None = None
    for shards in (1, 8, 32, 128):
        if shards == 1 and rows > exact_up_to:
            continue
        method = GkAA(shards=shards)
        seconds, recoding = best_of(1, lambda: method.run(task))  # noqa: B023
        lost = table_criteria(task.axes, recoding.of_row, recoding.n_classes, method).alteration
        whole = whole or ((seconds, lost) if shards == 1 else None)
        ratio, more = (whole[0] / seconds, f"{lost - whole[1]:+.2f}") if whole else ("", "")
        found.append([shards, seconds, ratio, lost, more])
    head = ["parts", "seconds", "times faster", "alteration, %", "points more"]
    tuples = len(np.unique(np.stack([a.codes for a in task.axes], axis=1), axis=0))
    print_table(f"In parts: {rows} rows, {tuples} tuples, k = 10", head, found)


def main(most: int = 100_000) -> None:
    published_tables()
    beside_plain_python()
    growth(most)
    in_parts(most)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
