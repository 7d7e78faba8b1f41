"""Balanced trees against semantic ones (Mauger 2021, conclusion): does it pay to build trees without meaning?

GkAA merges once by the trees of the table and once by balanced binary ones over the same values (2^n values, height
n + 1). Alteration counts on the tree that a table was merged by, so it cannot tell which tree serves better; what can
is how many values a cell leaves open, and what the classes of the one would cost on the trees of the other.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from paravent.errors import PlanError
from paravent.hierarchy.axis import Axis
from paravent.hierarchy.builders import balanced
from paravent.methods.merging.criteria import table_criteria
from paravent.methods.merging.gkaa import GkAA
from paravent.methods.method import Progress, silent
from paravent.plan.k_sweep import k_sweep
from paravent.utility.cost import vmn
from paravent_experiments import metrics
from paravent_experiments.results import Results

KINDS = ("semantic", "balanced")
MEASURES = {
    "covered": "values left open",
    "generalized": "generalized cells",
    "root": "cells at the root",
    "semantic": "alteration on the semantic trees",
    "balanced": "alteration on the balanced trees",
}


def trees_of(table: str, kind: str) -> tuple[Any, Mapping[str, Any]]:
    """A table of the experiments with the trees of a kind."""
    known, trees = metrics.TABLES[table]()
    return known, trees if kind == "semantic" else dict.fromkeys(trees, balanced())


def run(
    tables: Iterable[str] = tuple(metrics.TABLES), *, results: Path | None = None, progress: Progress = silent
) -> Results:
    """Run what `results` does not hold yet."""
    wanted = tuple(tables)
    for name in wanted:
        if name not in metrics.TABLES:
            raise PlanError(f"there is no table {name!r} in this experiment. Choose {' or '.join(metrics.TABLES)}.")
    protocol = {"experiment": "trees", "k": list(metrics.KS), "metric": "nllm", "tie_break": "first", "version": 1}
    found = Results.open(protocol, results)
    parts = [(name, kind) for name in wanted for kind in KINDS]
    for done, (name, kind) in enumerate(parts):
        progress("trees", done / len(parts))
        if f"{name} {kind}" not in found.parts:
            loaded = {which: trees_of(name, which) for which in KINDS}
            found.add(f"{name} {kind}", measured(loaded, kind))
    progress("trees", 1.0)
    return found


def measured(
    loaded: Mapping[str, tuple[Any, Mapping[str, Any]]], kind: str, *, ks: Iterable[int] = metrics.KS
) -> dict[str, Any]:
    """One run of GkAA on the trees of a kind, judged at every k on both."""
    method = GkAA()
    sweeps = {which: k_sweep(table, trees, method, ks=[2]).task.axes for which, (table, trees) in loaded.items()}
    start = time.perf_counter()
    sweep = k_sweep(*loaded[kind], method, ks=ks)
    seconds = time.perf_counter() - start
    points: dict[str, dict[str, float]] = {name: {} for name in MEASURES}
    classes: dict[str, int] = {}
    for k in sweep.ks:
        found = sweep.recoding(k)
        judged = {which: table_criteria(axes, found.of_row, found.n_classes, method) for which, axes in sweeps.items()}
        values = {
            "covered": covered(sweeps[kind], found.of_row, found.n_classes),
            "generalized": judged[kind].generalized,
            "root": judged[kind].root,
            "semantic": judged["semantic"].alteration,
            "balanced": judged["balanced"].alteration,
        }
        for name, value in values.items():
            points[name][str(k)] = float(f"{value:.10g}")
        classes[str(k)] = found.n_classes
    nodes = {axis.name: [axis.tree.n_nodes, axis.tree.height] for axis in sweeps[kind] if axis.tree is not None}
    return {"seconds": round(seconds, 3), "trees": nodes, "classes": classes, **points}


def covered(axes: tuple[Axis, ...], of_row: np.ndarray, n_classes: int) -> float:
    """How many values of its column a cell leaves open, on average, in percent: 0 where one is named, 100 at the root.

    Only values that occur are counted, so that trees over the same table can be compared.
    """
    total = 0.0
    for axis in axes:
        assert axis.tree is not None
        low = np.full(n_classes, len(axis), dtype=np.int64)
        high = np.full(n_classes, -1, dtype=np.int64)
        np.minimum.at(low, of_row, axis.codes)
        np.maximum.at(high, of_row, axis.codes)
        node = axis.tree.ancestor(low.astype(np.int32), high.astype(np.int32))
        open_ = (axis.tree.last[node] - axis.tree.first[node]) / max(len(axis) - 1, 1)
        total += float(open_[of_row].mean())
    return 100 * total / len(axes)


def curves(results: Results, table: str) -> dict[str, dict[str, dict[int, float]]]:
    """The finished curves of a table, by kind of trees and measure."""
    return {
        kind: {name: {int(k): float(y) for k, y in part[name].items()} for name in MEASURES}
        for kind in KINDS
        if (part := results.parts.get(f"{table} {kind}")) is not None
    }


def means(results: Results, table: str, measure: str) -> dict[str, list[float]]:
    """The VMN on every interval, by kind of trees."""
    return {
        kind: [vmn(found[measure], low, high) for low, high in metrics.INTERVALS]
        for kind, found in curves(results, table).items()
    }
