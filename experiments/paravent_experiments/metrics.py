"""Which metric to merge by (Mauger 2021, ch. 3): seven metrics, fourteen k, one run of GkAA for each metric.

Every table is judged by three criteria that take no side: the average alteration under all seven metrics, the share of
cells that are generalized, and the share that show the root; over k by their normalised mean value (VMN).
"""

from __future__ import annotations

import time
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

from paravent.errors import PlanError
from paravent.methods.merging.gkaa import GkAA
from paravent.methods.method import Progress, silent
from paravent.plan.k_sweep import k_sweep
from paravent.utility.cost import METRICS, vmn
from paravent_experiments import reconstructions
from paravent_experiments.results import Results

KS = (3, 4, 5, 10, 20, 50, 100, 250, 500, 1000, 2000, 5000, 10_000, 15_000)
INTERVALS = ((3, 10), (10, 100), (100, 1000), (1000, 10_000), (3, 2000), (3, 15_000))
CRITERIA = {
    "average": "average alteration",
    "generalized": "generalized cells",
    "root": "cells at the root",
    "alteration": "alteration under its own metric",
}
TITLES = {"adult": "Adult", "voters": "Voters (made up, in the shape of the Florida register)"}

Curves = dict[str, dict[int, float]]
"""For each criterion its value at each k."""


def adult() -> tuple[Any, Mapping[str, Any]]:
    """Adult with its nine quasi-identifiers, and trees with the published numbers of nodes and levels."""
    from paravent import data

    return data.adult(), reconstructions.trees()


def _adult_with(name: str) -> tuple[Any, Mapping[str, Any]]:
    return adult()[0], reconstructions.trees(name)


def voters() -> tuple[Any, Mapping[str, Any]]:
    """The stand-in for the Florida register, all five columns."""
    from paravent.data import simulated

    return simulated.voters(), simulated.voter_trees()


DRAWS = (1, 2, 3, 14)
"""Draws of the stand-in that were compared. Of the first forty, 14 is nearest to what is published of the register's
sample: 28 896 classes of one to six rows, parties worth 3.16 equally large ones."""


def _voters_drawn(seed: int) -> tuple[Any, Mapping[str, Any]]:
    from paravent.data import simulated

    return simulated.voters(seed=seed), simulated.voter_trees()


TABLES: Mapping[str, Callable[[], tuple[Any, Mapping[str, Any]]]] = {"adult": adult, "voters": voters}


def run(
    tables: Iterable[str] = ("adult", "voters"),
    *,
    other_trees: bool = False,
    other_draws: bool = False,
    results: Path | None = None,
    progress: Progress = silent,
) -> Results:
    """Run what `results` does not hold yet; with `other_trees` also Adult with every reconstruction of its trees, with
    `other_draws` also the stand-in of the voters drawn anew."""
    wanted = tuple(tables)
    for name in wanted:
        if name not in TABLES:
            raise PlanError(f"there is no table {name!r} in this experiment. Choose {' or '.join(TABLES)}.")
    protocol = {"experiment": "metrics", "k": list(KS), "leaf_count": 0, "tie_break": "first", "version": 2}
    found = Results.open(protocol, results)
    loaded = {name: TABLES[name] for name in wanted}
    if other_trees:
        loaded |= {f"adult, {name}": partial(_adult_with, name) for name in reconstructions.variants()}
    if other_draws:
        loaded |= {f"voters, draw {seed}": partial(_voters_drawn, seed) for seed in DRAWS}
    parts = [(name, metric) for name in loaded for metric in METRICS]
    for done, (name, metric) in enumerate(parts):
        progress("metrics", done / len(parts))
        if f"{name} {metric}" not in found.parts:
            found.add(f"{name} {metric}", measured(*loaded[name](), metric=metric))
    progress("metrics", 1.0)
    return found


def measured(table: Any, trees: Mapping[str, Any], *, metric: str, ks: Iterable[int] = KS) -> dict[str, Any]:
    """One run of GkAA, judged at every k."""
    start = time.perf_counter()
    sweep = k_sweep(table, trees, GkAA(metric=metric), ks=ks)
    seconds = time.perf_counter() - start
    points = {k: asdict(sweep.criteria(k)) for k in sweep.ks}
    return {
        "seconds": round(seconds, 3),
        "merges": sweep.run.steps(sweep.ks[0]),
        **{name: {str(k): point[name] for k, point in points.items()} for name in CRITERIA},
    }


def curves(results: Results, table: str) -> dict[str, Curves]:
    """The finished curves of a table, by metric."""
    found = {}
    for metric in METRICS:
        part = results.parts.get(f"{table} {metric}")
        if part is not None:
            found[metric] = {name: {int(k): float(y) for k, y in part[name].items()} for name in CRITERIA}
    return found


def means(results: Results, table: str, criterion: str) -> dict[str, list[float]]:
    """The VMN on every interval, by metric."""
    return {
        metric: [vmn(found[criterion], low, high) for low, high in INTERVALS]
        for metric, found in curves(results, table).items()
    }


def published() -> dict[str, Any]:
    """The numbers of the source: by table, criterion and metric, on every interval."""
    return tomllib.loads((files(__package__) / "published.toml").read_text(encoding="utf-8"))
