"""Splitting classes (PCkPCk'): the kernel beside plain Python and CP-SAT, and how it grows with k and with class size.

`python -m benchmarks.splitting`. The processor's time stands beside the clock's: on a shared machine only the first can
be compared.
"""

from __future__ import annotations

import time

from paravent_experiments.construction import Bench

from benchmarks.printing import print_table
from paravent.methods.partition.repartition import Limits, Repartition, Solver, entries, joined
from paravent.methods.partition.space import Parts
from tests.kernels.twins.exact import split_twin

_SAMPLE = 20
"""So many classes are split by the slower ways."""


def some(parts: Parts, k: int) -> Parts:
    """The first classes that can be split, as a table of their own."""
    return joined([entry for entry in entries(parts) if int(entry[1].sum()) >= 2 * k][:_SAMPLE])


def beside_others(bench: Bench) -> None:
    space, rows = bench.space, []
    for k in (3, 10):
        parts = some(space.parts(bench.sweep.run.classes(bench.sweep.run.steps(3 * k))[0]), k)
        short = Limits(nodes=200, effort=0.2)
        times, costs = {}, {}
        for name, limits in (
            ("kernel, 200 nodes", short),
            ("plain Python, 200 nodes", short),
            ("kernel, 4000 nodes", Limits()),
            ("CP-SAT, 0.2 of its seconds", short),
        ):
            start = time.process_time()
            if name.startswith("plain"):
                found = joined([p for entry in entries(parts) for p in split_twin(space, *entry, k, limits).parts])
            else:
                solver: Solver = "own" if name.startswith("kernel") else "ortools"
                found = Repartition(space, solver, limits, workers=1).run(parts, k)
            times[name], costs[name] = time.process_time() - start, space.cost(found)
        base = times["kernel, 200 nodes"]
        for name, seconds in times.items():
            rows.append([k, parts.n_parts, name, seconds, f"{seconds / base:.0f}×", costs[name] * float(space.unit)])
    head = ["k", "classes of 3k", "by", "processor, s", "of the kernel's", "cost"]
    print_table("Adult, NLLM: classes of 3k rows split into parts of k", head, rows)


def growth(bench: Bench) -> None:
    space, rows = bench.space, []
    for k in (3, 10, 100, 1000):
        for times in (1, 2, 4, 8):
            parts = space.parts(bench.sweep.run.classes(bench.sweep.run.steps(times * k))[0])
            run = Repartition(space)
            start, busy = time.perf_counter(), time.process_time()
            found = run.run(parts, k)
            clock, processor = time.perf_counter() - start, time.process_time() - busy
            before, after = (space.alteration(space.cost(table)) for table in (parts, found))
            proved = f"{100 * run.last[0] / run.last[1]:.0f} %"
            rows.append([k, times, parts.n_parts, before, after, proved, clock, processor])
    head = ["k", "classes of … k", "classes", "alteration before", "after", "proved best", "seconds", "processor, s"]
    print_table("Adult, NLLM: how it grows with k and with the size of the classes", head, rows)


def main() -> None:
    bench = Bench("adult")
    beside_others(bench)
    growth(bench)


if __name__ == "__main__":
    main()
