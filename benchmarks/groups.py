"""Anatomy, bucketization and slicing by rows: time, growth, and how well counts are answered at equal l.
`python -m benchmarks.groups [--rows N]`

The table is Adult enlarged by a bootstrap in which 5 % of the cells are drawn anew: seven quasi-identifiers and the
occupation. Method time is what the algorithm takes on encoded columns; the whole run is `pv.anonymize`, verified.
"""

from __future__ import annotations

import argparse
import math
import time
from functools import partial

import paravent as pv
from benchmarks.printing import best_of, print_table
from benchmarks.tables import QUASI, adult, enlarged
from paravent.methods import Method
from paravent.plan.prepare import prepare

SENSITIVE = "occupation"
KNOWN = [name for name in QUASI if name != SENSITIVE]
METHODS: dict[str, Method] = {
    "Anatomy": pv.methods.Anatomy(),
    "Bucketization": pv.methods.Bucketization(),
    "Slicing, given blocks": pv.methods.Slicing(columns=[KNOWN[:3], KNOWN[3:], [SENSITIVE]]),
    "Slicing by correlation": pv.methods.Slicing(blocks=3),
}


def plan_of(method: Method, l: int) -> pv.Plan:  # noqa: E741
    roles = {**{name: pv.Quasi() for name in KNOWN}, SENSITIVE: pv.Sensitive()}
    return pv.Plan(roles, [pv.LDiversity(l, SENSITIVE)], method, person=None)


def by_rows(most: int, l: int) -> None:  # noqa: E741
    for name, method in METHODS.items():
        rows: list[list[object]] = []
        last: tuple[int, float] | None = None
        for n in [n for n in (30_000, 100_000, 300_000, 1_000_000, 3_000_000) if n <= most]:
            table = pv.read(enlarged(adult(), n).select(*KNOWN, SENSITIVE))
            prepared = prepare(table, plan_of(method, l))
            table.order_key  # a hash of the table, which every release takes  # noqa: B018
            seconds, found = best_of(2, partial(method.run, prepared.task))
            growth = "-"
            if last is not None:  # 1: as n log n; more: slower than that
                growth = f"{seconds / last[1] / (n * math.log(n) / (last[0] * math.log(last[0]))):.2f}"
            last = (n, seconds)
            begun = time.perf_counter()
            pv.anonymize(table, plan_of(method, l))
            rows.append([n, seconds, growth, found.n_classes, time.perf_counter() - begun])
        head = ["rows", "method s", "growth against n log n", "groups", "whole run s"]
        print_table(f"{name}: {len(KNOWN)} quasi-identifiers, l = {l}", head, rows)


def by_queries(l: int) -> None:  # noqa: E741
    table = pv.read(adult().select(*KNOWN, SENSITIVE))
    rows: list[list[object]] = []
    for name, method in {"Mondrian": pv.methods.Mondrian(), **METHODS}.items():
        release = pv.anonymize(table, plan_of(method, l))
        found = release.measure("queries", seed=1)
        level = release.verdict.levels[f"privacy.distinct_l.{SENSITIVE}"]
        shown = found.get("risk.membership.real", "-")
        rows.append([name, level, found["utility.queries.are"], found["utility.queries.median"], shown])
    head = ["method", "l reached", "mean error of counts", "median", "combinations that are somebody's"]
    print_table(f"Adult, {len(table)} rows, l = {l}: COUNT queries", head, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--l", type=int, default=4)
    options = parser.parse_args()
    by_queries(options.l)
    by_rows(options.rows, options.l)


if __name__ == "__main__":
    main()
