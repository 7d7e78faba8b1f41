"""Better tables by splitting classes again (Mauger 2021, ch. 5): five algorithms and our best one, fourteen k.

Every table is judged by its alteration (NLLM), over k by its normalised mean value (VMN), beside GkAA, and beside a
bound that no table of k-anonymous classes can go below.
"""

from __future__ import annotations

import time
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from paravent.errors import PlanError
from paravent.methods.merging.gkaa import GkAA
from paravent.methods.method import Progress, Task, silent
from paravent.methods.partition.construction import Construction, G2kP2kPkConv, G2kPkConv, G3kPk, G4kP2kPkConv, GkPk
from paravent.methods.partition.polish import Polish
from paravent.methods.partition.search import Effort
from paravent.methods.partition.space import Space
from paravent.plan.k_sweep import KSweep, k_sweep
from paravent.privacy.k_anonymity import KAnonymity
from paravent.utility.cost import vmn
from paravent_experiments.metrics import INTERVALS, KS, TABLES
from paravent_experiments.results import Results

METRIC = "nllm"
FIVE: Mapping[str, Any] = {method.__name__: method for method in (GkPk, G3kPk, G2kPkConv, G2kP2kPkConv, G4kP2kPkConv)}
BEST = "Polish"
"""Our best method, on the best table of the five; with a lower bound of what any k-anonymous table costs."""
NAMES = ("GkAA", *FIVE, BEST)
CONVERGENT = ("G2kPkConv", "G2kP2kPkConv", "G4kP2kPkConv")
ROUNDS, RESTARTS = 25, 2


@dataclass(eq=False)
class Bench:
    """A table encoded once, with one run of GkAA that serves every algorithm and every k."""

    name: str
    effort: Effort = "fast"
    best: dict[int, Construction] = field(default_factory=dict)
    """The best table of a construction so far, by k."""

    @cached_property
    def sweep(self) -> KSweep:
        table, trees = TABLES[self.name]()
        return k_sweep(table, trees, GkAA(metric=METRIC), ks=[*KS, len(table)])

    @cached_property
    def space(self) -> Space:
        return Space.of(self.sweep.task.axes, METRIC)

    def task(self, k: int) -> Task:
        return replace(self.sweep.task, models=(KAnonymity(k),))

    def measured(self, algorithm: str, k: int) -> dict[str, Any]:
        """One table: its alteration, what it took, and how it went."""
        start, cpu = time.perf_counter(), time.process_time()
        if algorithm == "GkAA":
            of_row, _ = self.sweep.run.classes(self.sweep.run.steps(k))
            found = {"alteration": self.space.alteration(self.space.cost(self.space.parts(of_row)))}
        elif algorithm == BEST:
            found = self._polished(k)
        else:
            found = self._constructed(algorithm, k)
        return {**found, "seconds": round(time.perf_counter() - start, 2), "cpu": round(time.process_time() - cpu, 2)}

    def _constructed(self, algorithm: str, k: int) -> dict[str, Any]:
        options = {"rounds": ROUNDS, "restarts": RESTARTS} if algorithm in CONVERGENT else {}
        built = FIVE[algorithm](metric=METRIC, **options).construct(self.task(k), merged=self.sweep.run)
        if k not in self.best or built.cost < self.best[k].cost:
            self.best[k] = built
        return {
            "alteration": built.alterations[built.best],
            "rounds": len(built.alterations),
            "best": built.best + 1,
            "ended": built.ended,
        }

    def _polished(self, k: int) -> dict[str, Any]:
        found = Polish(metric=METRIC, effort=self.effort).polish(self.task(k), self.best[k].of_row)
        assert found.bound is not None
        return {
            "alteration": self.space.alteration(found.cost),
            "bound": self.space.alteration(found.bound.cost),
            "said": list(found.said),
        }


def run(
    tables: Iterable[str] = ("adult",),
    *,
    effort: Effort = "fast",
    results: Path | None = None,
    progress: Progress = silent,
) -> Results:
    """Run what `results` does not hold yet. `effort` is that of our best method."""
    wanted = tuple(tables)
    for name in wanted:
        if name not in TABLES:
            raise PlanError(f"there is no table {name!r} in this experiment. Choose {' or '.join(TABLES)}.")
    Polish(effort=effort)
    protocol = {
        "experiment": "construction",
        "k": list(KS),
        "metric": METRIC,
        "leaf_count": 0,
        "rounds": ROUNDS,
        "restarts": RESTARTS,
        "effort": effort,
        "version": 1,
    }
    found = Results.open(protocol, results)
    for name in wanted:
        bench = Bench(name, effort)
        parts = [(k, algorithm) for k in KS for algorithm in NAMES]
        for done, (k, algorithm) in enumerate(parts):
            progress(f"constructing {name}", done / len(parts))
            if (part := f"{name} {algorithm} {k}") in found.parts:
                continue
            if algorithm == BEST:
                _have_best(bench, found, k)
            found.add(part, bench.measured(algorithm, k))
        progress(f"constructing {name}", 1.0)
    return found


def _have_best(bench: Bench, results: Results, k: int) -> None:
    """Make the best table of the five again where it was made in an earlier run."""
    ranked = sorted(FIVE, key=lambda algorithm: float(results.parts[f"{bench.name} {algorithm} {k}"]["alteration"]))
    reached = results.parts[f"{bench.name} {ranked[0]} {k}"]["alteration"]
    if k not in bench.best or bench.best[k].alterations[bench.best[k].best] > reached:
        bench.measured(ranked[0], k)


def curves(results: Results, table: str) -> dict[str, dict[int, float]]:
    """The alteration by k of every algorithm that is done."""
    found: dict[str, dict[int, float]] = {}
    for algorithm in NAMES:
        parts = {k: results.parts.get(f"{table} {algorithm} {k}") for k in KS}
        if all(part is not None for part in parts.values()):
            found[algorithm] = {k: float(part["alteration"]) for k, part in parts.items() if part is not None}
    return found


def means(results: Results, table: str) -> dict[str, list[float]]:
    """The VMN on every interval, by algorithm."""
    return {name: [vmn(curve, low, high) for low, high in INTERVALS] for name, curve in curves(results, table).items()}


def bounds(results: Results, table: str) -> dict[int, float]:
    """What no k-anonymous table goes below, by k, in percent of alteration."""
    parts = {k: results.parts.get(f"{table} {BEST} {k}", {}) for k in KS}
    return {k: float(part["bound"]) for k, part in parts.items() if "bound" in part}


def gaps(results: Results, table: str) -> dict[int, float]:
    """By how many percent our best table may cost more than the optimum, by k."""
    best = curves(results, table).get(BEST, {})
    below = bounds(results, table)
    return {k: 100 * (best[k] / low - 1) for k, low in below.items() if k in best and low > 0}


def published() -> Mapping[str, Mapping[str, list[float]]]:
    """The numbers of the source: by table and algorithm, on every interval."""
    return tomllib.loads((files(__package__) / "published_construction.toml").read_text(encoding="utf-8"))
