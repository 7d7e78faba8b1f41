"""Polishing partitions: loss, time and distance from the optimum. `python -m benchmarks.partition [--full]`

Adult with nine quasi-identifiers under NLLM: GkAA as the baseline, the splitting of its classes (GkPk; with `--full`
the convergent constructions too), Polish on top of GkAA, and the bound that no partition goes below. Then the
polishing of the best local recoding at k = 5 (GCP), and how polishing grows with rows, columns and k. Seconds are by
the clock, processor seconds count all threads; loss is the alteration in percent.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from typing import Any

import numpy as np
from paravent_experiments.metrics import KS
from paravent_experiments.metrics import adult as nine_columns

import paravent as pv
from benchmarks.local import judged
from benchmarks.printing import print_table
from benchmarks.tables import adult, plan
from paravent.methods.partition.bound import lower_bound
from paravent.methods.partition.search import Search
from paravent.methods.partition.space import Space
from paravent.plan.k_sweep import KSweep
from paravent.privacy.k_anonymity import KAnonymity
from paravent.utility.cost import vmn

HEAD = [
    "k",
    "GkAA",
    "GkPk",
    "G2kPkConv",
    "Polish",
    "bound",
    "within % of optimal",
    "seconds",
    "processor seconds",
    "bound: seconds",
]


GROWTH = ((4, 9, 100), (2, 9, 100), (1, 9, 100), (1, 3, 100), (1, 6, 100), (1, 9, 10), (1, 9, 1000))
"""One row in so many, columns, k."""


def timed(call: Any) -> tuple[Any, float, float]:
    start, cpu = time.perf_counter(), time.process_time()
    found = call()
    return found, time.perf_counter() - start, time.process_time() - cpu


def by_k(sweep: KSweep, space: Space, effort: Any, *, full: bool) -> None:
    rows: list[list[object]] = []
    curves: dict[str, dict[int, float]] = {"GkAA": {}, "Polish": {}}
    for k in KS:
        task = replace(sweep.task, models=(KAnonymity(k),))
        begun = sweep.classes(k)
        search = Search(space, k, effort)
        (found, _), seconds, used = timed(lambda search=search, begun=begun: search.improved(begun))
        bound, bounding, _ = timed(lambda k=k: lower_bound(space, k))
        start, cost = (space.alteration(search.cost(classes)) for classes in (begun, found))
        split = pv.methods.GkPk().construct(task, merged=sweep.run)
        convergent: object = "-"
        if full:
            rounds = pv.methods.G2kPkConv().construct(task, merged=sweep.run)
            convergent = rounds.alterations[rounds.best]
        curves["GkAA"][k], curves["Polish"][k] = start, cost
        lowest = space.alteration(bound.cost)
        rows.append(
            [k, start, split.alterations[0], convergent, cost, lowest, bound.gap(search.cost(found)), seconds, used,
            bounding] )  # fmt: skip
    print_table(f"Adult, {space.n_rows} rows, nine quasi-identifiers, NLLM, effort {effort}", HEAD, rows)
    for low, high in ((3, 2000), (3, 15_000)):
        before, after = (vmn(curves[name], low, high) for name in ("GkAA", "Polish"))
        print(f"VMN [{low}, {high}]: GkAA {before:.2f}, Polish {after:.2f} ({after - before:+.2f} points)")


def local_recoding(effort: Any) -> None:
    """The best local recoding at k = 5, polished."""
    table = pv.read(adult())
    rows: list[list[object]] = []
    for name, method in (
        (f"LocalRecoding, {effort}", pv.methods.LocalRecoding(effort=effort)),
        (
            "the same, polished",
            pv.methods.Polish(base=f"LocalRecoding(effort={effort!r})", metric="gcp", effort=effort),
        ),
    ):
        release, seconds, used = timed(lambda method=method: pv.anonymize(table, plan(method, k=5)))
        said = [words for words in release.trace if "optimal" in words.lower()]
        rows.append([name, seconds, used, release.measure()["utility.gcp"], judged(release, 5), " ".join(said)])
    print_table("Adult, k = 5", ["method", "seconds", "processor seconds", "GCP", "GCP (yardstick)", "bound"], rows)


def growth(sweep: KSweep, effort: Any) -> None:
    """A quarter of the rows, half, all; three, six, all columns; some k."""
    rows: list[list[object]] = []
    axes = sweep.task.axes
    n = sweep.task.n_rows
    for share, columns, k in GROWTH:
        picked = np.arange(0, n, share)
        some = tuple(replace(axis, codes=np.ascontiguousarray(axis.codes[picked])) for axis in axes[:columns])
        space = Space.of(some, "nllm")
        search = Search(space, k, effort)
        start = np.zeros(len(picked), dtype=np.int32)
        (found, _), seconds, used = timed(lambda search=search, start=start: search.improved(start))
        bound, bounding, _ = timed(lambda space=space, k=k: lower_bound(space, k))
        cost = search.cost(found)
        rows.append([len(picked), columns, k, seconds, used, bounding, space.alteration(cost), bound.gap(cost)])
    head = ["rows", "columns", "k", "seconds", "processor seconds", "bound: seconds", "alteration", "within %"]
    print_table(f"Growth, begun with one class, effort {effort}", head, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--effort", choices=("fast", "normal", "high"), default="normal")
    parser.add_argument("--full", action="store_true", help="the convergent constructions too")
    asked = parser.parse_args()
    table, trees = nine_columns()
    sweep = pv.k_sweep(table, trees, pv.methods.GkAA(metric="nllm"), ks=KS)
    by_k(sweep, Space.of(sweep.task.axes, "nllm"), asked.effort, full=asked.full)
    local_recoding(asked.effort)
    growth(sweep, asked.effort)


if __name__ == "__main__":
    main()
