"""One run for every k, weights of one's own, and rows that are left out."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paravent as pv
from paravent.errors import PlanError
from paravent.methods import Axis, GkAA, Task
from paravent.methods.merging.criteria import table_criteria
from paravent.methods.merging.spared import spared
from paravent.privacy import KAnonymity, LDiversity
from paravent.utility.cost import METRICS, CostModel
from paravent.utility.cost.axes import axis_costs

from ..generators.tasks import axes_of_eight, axis_of_eight


def frame(seed: int, rows: int = 40) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "a": rng.integers(0, 30, rows),
            "b": [f"v{i}" for i in rng.integers(0, 5, rows).tolist()],
            "s": [f"s{i}" for i in rng.integers(0, 4, rows).tolist()],
        }
    )


TREES = {"a": pv.intervals(3, 6, 12), "b": pv.flat()}
QUASI = {name: pv.Quasi(tree) for name, tree in TREES.items()}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("suppression", [0.0, 0.1])
@pytest.mark.parametrize("diverse", [False, True])
def test_a_sweep_gives_what_a_run_for_each_k_gives(seed: int, suppression: float, diverse: bool) -> None:
    table = pv.read(frame(seed))
    others = [LDiversity(2, "s")] if diverse else []
    method = GkAA(metric="total", tie_break="random")

    def plan(k: int) -> pv.Plan:
        columns = {**QUASI, "s": pv.Sensitive()}
        return pv.Plan(columns, [KAnonymity(k), *others], method, suppression=suppression, seed=seed, order="source")

    found = pv.k_sweep(table, plan(2), ks=[2, 3, 7, 20])
    for k in found.ks:
        alone = pv.anonymize(table, plan(k))
        assert found.release(k).frame.equals(alone.frame)
        kept = found.classes(k) >= 0
        assert np.flatnonzero(kept).tolist() == alone.kept.tolist()
        shown = alone.frame.select(pl.struct("a", "b").rank("dense")).to_series().to_numpy()
        pairs = set(zip(found.classes(k)[kept].tolist(), shown.tolist(), strict=True))
        assert len(pairs) == found.recoding(k).n_classes == len(set(shown.tolist()))


def test_costs_grow_with_k_and_end_at_the_roots() -> None:
    found = pv.k_sweep(frame(1), TREES, ks=[2, 4, 8, 40])
    assert repr(found) == "<KSweep: 40 rows, k = 2, 4, 8, 40>"
    curve = [found.criteria(k) for k in found.ks]
    for name in ("alteration", "average", "generalized", "root"):
        values = [getattr(point, name) for point in curve]
        assert values == sorted(values)
        assert values[-1] == pytest.approx(100)
    assert found.alteration(4) == curve[1].alteration


def test_what_is_no_part_of_a_sweep_is_said() -> None:
    with pytest.raises(PlanError, match="k = 5 is no part"):
        pv.k_sweep(frame(1), TREES, ks=[2]).classes(5)
    for wrong in ([], [0], ["3"], [True]):
        with pytest.raises(PlanError, match="ks"):
            pv.k_sweep(frame(1), TREES, ks=wrong)


def plain_gkaa(axes: tuple[Axis, ...], rows: int, metric: Any, k: int) -> set[frozenset[int]]:
    """GkAA as it is printed (Mauger 2021, Alg. 1): lists, exact costs from the trees as given, no index. A node over
    all values that occur is the root."""
    model = CostModel.of([a.given for a in axes if a.given], metric, rows=rows)
    leaves = [axis.leaf[axis.codes].tolist() for axis in axes]

    def meet(j: int, x: int, y: int) -> int:
        tree = model.trees[j]
        node = int(tree.common(np.array([x]), np.array([y]))[0])
        everything = tree.first[node] <= min(leaves[j]) and tree.last[node] >= max(leaves[j])
        return tree.root if everything else node

    def cost(a: list[int], size_a: int, b: list[int], size_b: int) -> int:
        total = 0
        for j, (x, y) in enumerate(zip(a, b, strict=True)):
            climb = model.climb[j]
            node = meet(j, x, y) if x != y else x
            total += int(climb[x] - climb[node]) * size_a + int(climb[y] - climb[node]) * size_b
        return total

    tuples: dict[tuple[int, ...], list[int]] = {}
    for row in sorted(range(rows), key=lambda i: tuple(int(axis.codes[i]) for axis in axes)):
        tuples.setdefault(tuple(column[row] for column in leaves), []).append(row)
    classes = [(list(nodes), members) for nodes, members in tuples.items()]
    while min(len(members) for _, members in classes) < k:
        at = min(range(len(classes)), key=lambda c: (len(classes[c][1]), c))
        small, few = classes[at]
        _, best = min((cost(small, len(few), b, len(rest)), c) for c, (b, rest) in enumerate(classes) if c != at)
        nodes, many = classes[best]
        met = [meet(j, x, y) if x != y else x for j, (x, y) in enumerate(zip(small, nodes, strict=True))]
        joined = few + many
        left = [c for i, c in enumerate(classes) if i not in (at, best)]
        for same in [c for c in left if c[0] == met]:
            joined = joined + same[1]
            left.remove(same)
        classes = [*left, (met, joined)]
    return {frozenset(members) for _, members in classes}


@settings(max_examples=220, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    rows=st.integers(2, 24),
    metric=st.sampled_from([*METRICS, "own"]),
    share=st.floats(0, 1),
)
def test_the_printed_algorithm_gives_the_same_classes(seed: int, rows: int, metric: str, share: float) -> None:
    rng = np.random.default_rng(seed)
    axes = axes_of_eight(rng, rows)
    k = max(1, round(share * rows))
    chosen: Any = metric
    if metric == "own":
        chosen = {
            axis.name: {label: f"{rng.integers(0, 9)}/{rng.integers(1, 4)}" for label in axis.given.labels[:-1]}
            for axis in axes
            if axis.given
        }
    found = GkAA(metric=chosen).run(Task(rows, axes, (KAnonymity(k),)))
    classes = {frozenset(np.flatnonzero(found.of_row == c).tolist()) for c in range(found.n_classes)}
    assert classes == plain_gkaa(axes, rows, chosen, k)


def test_weights_of_ones_own_are_part_of_a_plan() -> None:
    weights = {"b": {f"v{i}": "1/3" for i in range(5)}}
    method = GkAA(metric=weights)
    plan = pv.Plan({"b": pv.Quasi(pv.flat())}, [KAnonymity(3)], method)
    assert pv.Plan.from_document(plan.to_document()).method == method
    release = pv.anonymize(frame(3), plan)
    assert release.verdict
    with pytest.raises(PlanError, match="no weights are given for column 'a'"):
        pv.anonymize(frame(3), pv.Plan(QUASI, [KAnonymity(3)], method))


@settings(max_examples=80, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), rows=st.integers(4, 40), k=st.integers(2, 5), budget=st.integers(0, 12))
def test_rows_are_left_out_within_the_budget_and_never_in_vain(seed: int, rows: int, k: int, budget: int) -> None:
    rng = np.random.default_rng(seed)
    axes = tuple(axis_of_eight("xy"[j], rng.integers(0, 8, rows)) for j in range(2))
    k = min(k, rows)
    method = GkAA()
    task = Task(rows, axes, (KAnonymity(k),), max_suppressed=budget)
    found = method.run(task)
    gone = int((found.of_row < 0).sum())
    assert gone <= budget
    assert np.bincount(found.of_row[found.of_row >= 0]).min() >= k
    run = method.merged(task, k)
    sizes = run.folded.weight[run.order].astype(np.int64)
    left_out = spared(run.merges, sizes, run.steps(k), k=k, budget=budget, price=run.price)
    assert left_out.rows == gone
    kept = found.of_row >= 0
    shorter = tuple(Axis(a.name, a.kind, a.codes[kept], a.values, a.tree, given=a.given) for a in axes)
    model, _ = axis_costs(axes, "nllm", rows=rows)
    most = model.most([a.leaf[a.codes] for a in shorter])
    shown = table_criteria(shorter, found.of_row[kept], found.n_classes, method).alteration
    spent = shown / 100 * most
    before = int(run.merges.cost[: run.steps(k)].sum())
    assert spent == pytest.approx(before - left_out.saved)
    if gone:
        assert left_out.saved > 0


def test_more_rows_to_spare_never_make_a_table_worse() -> None:
    """A peer gives a worse table when more may be suppressed; a row left out costs as much as a row at the roots."""
    rng = np.random.default_rng(4)
    axes = tuple(axis_of_eight("xyz"[j], rng.integers(0, 8, 200)) for j in range(3))
    method = GkAA()
    costs = []
    for budget in (0, 5, 20, 60):
        found = method.run(Task(200, axes, (KAnonymity(5),), max_suppressed=budget))
        model, some = axis_costs(axes, "nllm", rows=200)
        total = 0
        for a, cost in zip(axes, some, strict=True):
            cells = found.cells[a.name]
            node = np.array([cost.tree.node_of[label] for label in cells.labels])[cells.codes][found.of_row]
            total += int(np.where(found.of_row < 0, cost.climb[a.codes], cost.climb[a.codes] - cost.climb[node]).sum())
        costs.append(total)
        assert model.exact
    assert costs == sorted(costs, reverse=True)


def test_the_outlier_is_left_out() -> None:
    """Two close groups and one row far from both: with one row to spare it is that one."""
    codes = np.array([0, 0, 1, 1, 7, 3, 3, 2, 2])
    axis = axis_of_eight("x", codes)
    found = GkAA().run(Task(9, (axis,), (KAnonymity(2),), max_suppressed=1))
    assert np.flatnonzero(found.of_row < 0).tolist() == [4]
    costs = []
    for gone in combinations(range(9), 1):
        kept = np.setdiff1d(np.arange(9), gone)
        rest = axis_of_eight("x", codes[kept])
        alone = GkAA().run(Task(8, (rest,), (KAnonymity(2),)))
        costs.append((table_criteria((rest,), alone.of_row, alone.n_classes, GkAA()).alteration, gone))
    assert min(costs)[1] == (4,)


def test_a_method_with_a_run_for_each_k_is_refused() -> None:
    plan = pv.Plan(QUASI, [KAnonymity(2)], pv.methods.Mondrian())
    with pytest.raises(PlanError, match="Mondrian has a run for each k"):
        pv.k_sweep(frame(1), plan, ks=[2, 3])
    assert pv.k_sweep(frame(1), plan, GkAA(), ks=[2, 3]).release(3).plan.method == GkAA()


def test_people_and_populations_are_refused_by_a_sweep() -> None:
    table = frame(1).with_columns(who=pl.int_range(40) // 2)
    by_person = pv.Plan({**QUASI, "who": pv.Identifier()}, [KAnonymity(2)], GkAA(), person="who")
    with pytest.raises(PlanError, match="counts rows, not people"):
        pv.k_sweep(table, by_person, ks=[2])
    among = pv.Plan(QUASI, [pv.KMap(2, "everybody")], GkAA())
    with pytest.raises(PlanError, match="counts in no population"):
        pv.k_sweep(frame(1), among, ks=[2])
