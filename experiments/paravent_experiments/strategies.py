"""Which strategy to merge by when a sensitive column matters (Mauger 2021, ch. 4): GAA under k-anonymity.

A configuration is a table and its sensitive column: a real one, which is then no quasi-identifier, or a made-up one
that follows a law. Every table is judged by its alteration (NLLM), the diversity l of its least diverse class and the
distance t of its least close one; over k by their normalised mean values, l as a share of the most it could be.
"""

from __future__ import annotations

import time
import tomllib
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from paravent import kernels
from paravent.data import simulated
from paravent.errors import PlanError
from paravent.methods.merging.gaa import GAA, Scope, Strategy
from paravent.methods.merging.strategy_choice import choose_by_values
from paravent.methods.method import Progress, silent
from paravent.plan.k_sweep import k_sweep
from paravent.utility.cost import vmn
from paravent_experiments import metrics
from paravent_experiments.results import Results

SEVEN: tuple[Strategy, ...] = (1, 2, 3, 4, 5, 6, 7)
NINE: tuple[Strategy, ...] = (*SEVEN, "l", "t")
REAL = {"adult-age": ("adult", "age"), "adult-marital-status": ("adult", "marital-status")} | {
    "voters-party": ("voters", "party")
}
VALUES = (5, 10, 20, 50, 100, 200, 500)
SIMULATED = {
    f"{table}-{law}-{values}": (table, law, values)
    for table in metrics.TABLES
    for law in get_args(simulated.Law)
    for values in VALUES
}
MEASURES = ("alteration", "diversity", "closeness")
Norm = Literal["tv", "l1"]


def ks_of(configuration: str) -> tuple[int, ...]:
    """Fourteen k to 15 000 for real columns, twelve to 5000 for made-up ones."""
    return metrics.KS if configuration in REAL else tuple(k for k in metrics.KS if k <= 5000)


def run(
    configurations: Iterable[str] = tuple(REAL),
    *,
    strategies: Iterable[Strategy] = NINE,
    scopes: Iterable[Scope] = ("class", "table"),
    results: Path | None = None,
    progress: Progress = silent,
) -> Results:
    """Run what `results` does not hold yet, on all cores."""
    wanted = [(c, scope, s) for c in configurations for scope in scopes for s in strategies]
    for name, _, _ in wanted:
        if name not in REAL and name not in SIMULATED:
            raise PlanError(f"there is no configuration {name!r} in this experiment. Choose one of {', '.join(REAL)}.")
    protocol = {"experiment": "strategies", "k": list(metrics.KS), "metric": "nllm", "norm": "tv", "version": 2}
    found = Results.open(protocol, results)

    def measure(name: str, scope: Scope, strategy: Strategy) -> dict[str, Any]:
        table, trees, column = configuration(name)
        return measured(table, trees, column, GAA(strategy=strategy, column=column, scope=scope), ks_of(name))

    todo = [part for part in wanted if " ".join(map(str, part)) not in found.parts]
    with ThreadPoolExecutor(kernels.threads()) as pool:
        running = [pool.submit(measure, *part) for part in todo]
        try:
            for done, (part, future) in enumerate(zip(todo, running, strict=True)):
                progress("strategies", done / len(todo))
                found.add(" ".join(map(str, part)), future.result())
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    progress("strategies", 1.0)
    return found


@lru_cache(maxsize=8)
def configuration(name: str) -> tuple[Any, Mapping[str, Any], str]:
    """The table, its trees and its sensitive column."""
    import polars as pl

    from paravent.table.read import read

    if name in REAL:
        which, column = REAL[name]
        table, trees = metrics.TABLES[which]()
        return table, {other: tree for other, tree in trees.items() if other != column}, column
    which, law, values = SIMULATED[name]
    table, trees = metrics.TABLES[which]()
    drawn = simulated.sensitive_column(len(table), values=values, law=law)
    return read(table.frame.with_columns(pl.Series("simulated", drawn))), trees, "simulated"


def measured(
    table: Any, trees: Mapping[str, Any], column: str, method: GAA, ks: Iterable[int], *, norm: Norm = "tv"
) -> dict[str, Any]:
    """One run of GAA, judged at every k."""
    start = time.perf_counter()
    sweep = k_sweep(table, trees, method, ks=ks)
    seconds = time.perf_counter() - start
    codes = np.unique(table.frame[column].to_numpy(), return_inverse=True)[1].reshape(-1)
    points: dict[str, dict[str, float]] = {name: {} for name in MEASURES}
    for k in sweep.ks:
        least, most = levels(sweep.classes(k), codes, norm=norm)
        for name, value in zip(MEASURES, (sweep.alteration(k), least, most), strict=True):
            points[name][str(k)] = float(f"{value:.10g}")
    return {"seconds": round(seconds, 3), "most": simulated.effective_values(np.bincount(codes)), **points}


def levels(of_row: np.ndarray, codes: np.ndarray, *, norm: Norm = "tv") -> tuple[float, float]:
    """The diversity of the least diverse class and the distance of the least close one.

    >>> least, most = levels(np.array([0] * 5 + [1] * 3), np.array([0, 0, 1, 1, 2, 0, 1, 2]))
    >>> round(least, 3), round(12 * most, 9)
    (2.872, 1.0)
    """
    width = int(codes.max()) + 1
    counts = np.bincount(of_row.astype(np.int64) * width + codes, minlength=(int(of_row.max()) + 1) * width)
    shares = counts.reshape(-1, width) / np.maximum(counts.reshape(-1, width).sum(axis=1, keepdims=True), 1)
    logs = np.log(shares, out=np.zeros_like(shares), where=shares > 0)
    away = np.abs(shares - np.bincount(codes, minlength=width) / len(codes)).sum(axis=1)
    return float(np.exp(-(shares * logs).sum(axis=1)).min()), float(away.max()) / (2 if norm == "tv" else 1)


def means(results: Results, name: str, scope: str) -> dict[str, dict[Strategy, float]]:
    """The VMN of each measure in percent, by strategy, over all k of a configuration."""
    found: dict[str, dict[Strategy, float]] = {measure: {} for measure in MEASURES}
    for strategy in NINE:
        part = results.parts.get(f"{name} {scope} {strategy}")
        if part is not None:
            scale = {"alteration": 1.0, "diversity": 100 / part["most"], "closeness": 100.0}
            for measure in MEASURES:
                curve = {int(k): float(y) * scale[measure] for k, y in part[measure].items()}
                found[measure][strategy] = vmn(curve, min(curve), max(curve))
    return found


def simulated_means(results: Results, table: str, scope: str) -> dict[str, dict[Strategy, list[float]]]:
    """The VMN of each measure on the 21 made-up columns of a table, by strategy; empty where some are not done."""
    names = [name for name, (which, _, _) in SIMULATED.items() if which == table]
    each = [means(results, name, scope) for name in names]
    done = [s for s in NINE if all(s in found["alteration"] for found in each)]
    return {measure: {s: [found[measure][s] for found in each] for s in done} for measure in MEASURES}


def chosen(results: Results, name: str, scope: str) -> Strategy | None:
    """The strategy that the calculation chooses among the seven; None where some are not done."""
    found = means(results, name, scope)
    alteration, diversity, closeness = ({s: found[m][s] for s in SEVEN if s in found[m]} for m in MEASURES)
    if len(alteration) < len(SEVEN):
        return None
    picked: Strategy = choose_by_values(alteration, diversity, closeness)
    return picked


def published() -> dict[str, Any]:
    """The numbers of the source: by configuration and measure, strategies 1 to 7; and the strategies it chose."""
    return tomllib.loads((files(__package__) / "published_strategies.toml").read_text(encoding="utf-8"))
