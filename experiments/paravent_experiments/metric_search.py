"""A metric made for a table: edge weights that lower a criterion for this table, these trees and this k.

The source asks for it (Mauger 2021, conclusion: learn the metric) and had 45 minutes a trial; here a trial takes about
a second. The search is a climb: the weights of a column, of one level of it, or of one edge are changed by a random
factor, and what is better stays.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from paravent.errors import PlanError
from paravent.methods.merging.criteria import Criteria
from paravent.methods.merging.gkaa import GkAA
from paravent.methods.method import Progress, silent
from paravent.plan.k_sweep import k_sweep
from paravent.privacy.k_anonymity import KAnonymity, k_asked
from paravent.utility.cost import edge_weights
from paravent_experiments.results import Results

if TYPE_CHECKING:
    from paravent.plan.plan import Plan
    from paravent.table.table import Table

Aim = Literal["average", "generalized", "root"]
_SCALE = 10_000  # weights are whole numbers, the lightest edge of the start this heavy


@dataclass(frozen=True, eq=False)
class FoundMetric:
    """The best metric, for `GkAA(metric=…)`: weights, or the name of the start where nothing better was found; what it
    reaches, what the start reached, and after how many trials."""

    metric: str | Mapping[str, Mapping[str, int]]
    value: float
    start: float
    trials: int
    criteria: Mapping[str, float]

    def __repr__(self) -> str:
        return f"<FoundMetric: {self.start:.4f} % → {self.value:.4f} % after {self.trials} trials>"


def search_metric(
    source: Any,
    plan: Any,
    *,
    k: int,
    aim: Aim = "average",
    start: str = "nllm",
    trials: int = 100,
    seconds: float | None = None,
    seed: int = 0,
    results: Path | None = None,
    progress: Progress = silent,
) -> FoundMetric:
    """Look for weights that lower a criterion of the k-anonymous table; never worse than the metric it starts from.

    `plan` may be a mapping of quasi-identifiers to their trees. Trial i draws from (seed, i): the same search gives the
    same weights, and with `results` goes on where it was left. `seconds` ends it early.
    """
    if aim not in get_args(Aim):
        raise PlanError(f"search_metric: aim must be one of {', '.join(get_args(Aim))}, not {aim!r}.")
    begun = time.monotonic()
    first = k_sweep(source, plan, GkAA(metric=start), ks=[k])
    trees = [axis.whole for axis in first.task.axes]
    known = [tree for tree in trees if tree is not None]
    task = replace(first.task, models=(KAnonymity(k),))

    def judged(weights: list[np.ndarray]) -> Criteria:
        method = GkAA(metric=_named(known, weights))
        return replace(first, method=method, run=method.merged(task, k)).criteria(k)

    reached = first.criteria(k)
    protocol = {"search": "metric", "k": k, "aim": aim, "start": start, "seed": seed, "value": getattr(reached, aim)}
    kept = Results.open(protocol, results)
    best = kept.parts.get("best")
    if best is None:
        initial = [w.tolist() for w in _scaled(known, start)]
        best = {"weights": initial, "criteria": vars(reached), "trials": 0, "step": 0.7}
    weights, step = [np.array(w, dtype=np.int64) for w in best["weights"]], float(best["step"])
    criteria = dict(best["criteria"])
    done = int(best["trials"])
    while done < trials and (seconds is None or time.monotonic() - begun < seconds):
        progress("searching", done / trials)
        tried = _changed(np.random.default_rng([seed, done]), known, weights, step)
        found = vars(judged(tried))
        if found[aim] < criteria[aim]:
            weights, criteria, step = tried, dict(found), min(step * 1.3, 1.5)
        else:
            step = max(step * 0.97, 0.15)
        done += 1
        best = {"weights": [w.tolist() for w in weights], "criteria": criteria, "trials": done, "step": step}
        kept.add("best", best)
    progress("searching", 1.0)
    better = criteria[aim] < getattr(reached, aim)
    return FoundMetric(
        _named(known, weights) if better else start, criteria[aim], getattr(reached, aim), done, criteria
    )


def subject(table: Table | None, options: Any) -> tuple[Any, Plan]:
    """What to search a metric for: a table and the plan that was wished for, or Adult with all its columns."""
    from paravent.plan.plan import Plan
    from paravent.plan.roles import Quasi
    from paravent_experiments.metrics import adult

    if table is not None:
        return table, options.to_plan(lambda: table.names)
    if [option for option in options.given if option not in ("--k", "--seed")]:
        raise PlanError("metric-search: roles and plans go with a table. Name its file.")
    known, trees = adult()
    columns = {name: Quasi(tree) for name, tree in trees.items()}
    return known, Plan(columns, [KAnonymity(options.k or 100)], GkAA(), seed=options.seed or 0)


def k_of(plan: Plan) -> int:
    """The k that a plan asks for."""
    asked = k_asked(plan.models)
    if asked is None:
        raise PlanError("metric-search: the plan asks for no k. Add k-anonymity, or give --k.")
    return asked


def plan_with(plan: Plan, found: FoundMetric) -> Plan:
    """The plan, merging by the found weights."""
    return plan.replace(method=GkAA(metric=found.metric))


def _scaled(trees: list[Any], metric: str) -> list[np.ndarray]:
    """The weights of a metric as whole numbers of one size for all trees."""
    found = [
        [w.of(node) for node in range(tree.n_nodes - 1)]
        for w, tree in zip(edge_weights(trees, metric), trees, strict=True)
    ]
    lightest = min((x for tree in found for x in tree if x > 0), default=Fraction(1))
    return [np.array([round(x / lightest * _SCALE) for x in tree], dtype=np.int64) for tree in found]


def _changed(rng: np.random.Generator, trees: list[Any], weights: list[np.ndarray], step: float) -> list[np.ndarray]:
    """Other weights: a column, one level of it, or one edge, times a random factor."""
    new = [w.copy() for w in weights]
    for _ in range(int(rng.integers(1, 4))):
        j = int(rng.integers(len(trees)))
        tree, scale = trees[j], float(np.exp(rng.normal(0, step)))
        what = rng.random()
        if what < 0.4:
            hit = np.ones(tree.n_nodes - 1, dtype=bool)
        elif what < 0.8:
            hit = tree.level[:-1] == rng.choice(np.unique(tree.level[:-1]))
        else:
            hit = np.arange(tree.n_nodes - 1) == rng.integers(tree.n_nodes - 1)
        new[j][hit] = np.clip(np.rint(new[j][hit] * scale), 0, 10**9).astype(np.int64)
    return new


def _named(trees: list[Any], weights: list[np.ndarray]) -> dict[str, dict[str, int]]:
    return {
        tree.name: dict(zip(tree.labels[:-1], w.tolist(), strict=True)) for tree, w in zip(trees, weights, strict=True)
    }
