"""Optimal full-domain search: brute force agrees, and ARX's optima on Adult come out."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

import paravent as pv
from paravent.errors import InfeasibleError, PlanError
from paravent.hierarchy.tree import Tree
from paravent.methods import Axis, Optimal, Task
from paravent.methods.levels import METRIC_NAMES, classes_at, level_costs
from paravent.privacy import KAnonymity, LDiversity
from paravent.table.kinds import Kind

ADULT = Path(__file__).parents[3] / "shared" / "data" / "adult"


@st.composite
def tasks(draw: st.DrawFn) -> Task:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows = draw(st.integers(2, 40))
    axes = []
    for j in range(draw(st.integers(1, 3))):
        size = int(rng.integers(2, 9))
        given_tree = Tree.from_paths(f"c{j}", [[f"v{i}", f"g{i // 2}", f"h{i // 4}", "*"] for i in range(size)])
        leaves = rng.integers(0, size, rows)
        seen = np.unique(leaves)
        codes = np.searchsorted(seen, leaves).astype(np.int32)
        tree = given_tree.restrict(seen)
        axes.append(Axis(f"c{j}", Kind.NOMINAL, codes, tree.leaves, tree, given=given_tree))
    models: list[Any] = [KAnonymity(draw(st.integers(1, 6)))]
    sensitive = {}
    if draw(st.booleans()):
        models.append(LDiversity(1.7, "s", "entropy") if draw(st.booleans()) else LDiversity(2, "s"))
        sensitive["s"] = rng.integers(0, 3, rows).astype(np.int32)
    return Task(rows, tuple(axes), tuple(models), sensitive, max_suppressed=draw(st.integers(0, rows // 2)))


def brute_force(task: Task, metric: str, mean: str) -> tuple[float, tuple[int, ...]] | None:
    """Every node by itself: classes, suppression, and the loss of each column summed cell by cell."""
    costs = level_costs(task.axes, metric)
    best = None
    for node in product(*(range(len(cost.kept)) for cost in costs)):
        of_row, example = classes_at(task.axes, node)
        left = task.suppress_failing(of_row, len(example))
        if left is None or (left < 0).all():
            continue
        columns = []
        for axis, cost, level in zip(task.axes, costs, node, strict=True):
            gone = float(cost.spare[level][axis.codes[left < 0]].sum()) * cost.unit
            columns.append(cost.kept[level] + gone)
        joined = np.mean(columns) if mean == "arithmetic" else np.exp(np.log1p(columns).mean()) - 1
        if best is None or (round(float(joined), 12), sum(node), node) < best:
            best = (round(float(joined), 12), sum(node), node)
    return None if best is None else (best[0], best[2])


@settings(max_examples=150, deadline=None)
@given(tasks(), st.sampled_from(METRIC_NAMES), st.sampled_from(["geometric", "arithmetic"]))
def test_brute_force_agrees(task: Task, metric: str, mean: Any) -> None:
    expected = brute_force(task, metric, mean)
    event("found" if expected else "infeasible")
    method = Optimal(metric=metric, mean=mean)
    if expected is None:
        with pytest.raises(InfeasibleError):
            method.run(task)
        return
    found = method.run(task)
    assert found.trace[-1] == "No other combination loses less."
    said = float(found.trace[1].split("loss ")[1].split(",")[0])
    assert said == pytest.approx(expected[0], rel=1e-5, abs=1e-5)
    kept = found.of_row >= 0
    assert int((~kept).sum()) <= task.max_suppressed
    assert np.bincount(found.of_row[kept]).min() >= task.models[0].k


@pytest.mark.skipif(not ADULT.exists(), reason="the reference data are not here")
@pytest.mark.parametrize(
    ("suppression", "levels", "loss", "classes"),
    [(0.05, [0, 3, 0, 0, 1, 1, 1, 2], 0.25185, 399), (0.0, [0, 4, 0, 2, 3, 2, 2, 1], 0.591585, 30)],
)
def test_arx_optima_on_adult(suppression: float, levels: list[int], loss: float, classes: int) -> None:
    names = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]
    table = pv.read(pl.read_csv(ADULT / "adult.csv", separator=";"))
    plan = pv.Plan(
        columns={name: pv.Quasi(str(ADULT / f"hierarchy_{name}.csv")) for name in names},
        protect=[pv.KAnonymity(5)],
        method=pv.methods.Optimal(),
        suppression=suppression,
    )
    release = pv.anonymize(table, plan)
    said = ", ".join(f"{name} {level}" for name, level in zip(names, levels, strict=True))
    assert f"Best: {said};" in release.trace[1]
    assert float(release.trace[1].split("loss ")[1].split(",")[0]) == pytest.approx(loss, abs=5e-6)
    assert len(release.classes) == classes


def test_a_lattice_too_large_to_walk_is_searched_and_says_so() -> None:
    rng = np.random.default_rng(0)
    axes = []
    for j in range(16):
        tree = Tree.from_paths(f"c{j}", [[f"v{i}", f"g{i // 2}", f"h{i // 4}", "*"] for i in range(8)])
        axes.append(Axis(f"c{j}", Kind.NOMINAL, rng.integers(0, 8, 200).astype(np.int32), tree.leaves, tree))
    found = Optimal(time_limit=0.5).run(Task(200, tuple(axes), (KAnonymity(3),), max_suppressed=20))
    assert found.trace[-1].startswith("Not proven")
    assert np.bincount(found.of_row[found.of_row >= 0]).min() >= 3


@pytest.mark.parametrize("option", [{"metric": "dm"}, {"mean": "max"}, {"time_limit": -1}])
def test_unknown_options_are_named(option: dict[str, Any]) -> None:
    with pytest.raises(PlanError, match=next(iter(option))):
        Optimal(**option)
