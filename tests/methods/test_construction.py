"""The construction algorithms: the thesis' examples, their laws on random tables, cycles, other bases and models."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paravent as pv
from paravent.errors import InfeasibleError, PlanError
from paravent.methods import G2kP2kPkConv, G2kPkConv, G3kPk, G4kP2kPkConv, GkAA, GkPk, Method, Task
from paravent.methods.named import method_named
from paravent.methods.partition import solver
from paravent.methods.partition.repartition import Repartition
from paravent.methods.partition.schedules import downwards, schedule, upwards
from paravent.methods.partition.space import Space
from paravent.methods.partition.workshop import Workshop, generalised_axis
from paravent.privacy import KAnonymity, LDiversity, TCloseness

from ..generators.tasks import random_task, tree_axis
from .conftest import groups_of, oracle, sizes_of

ORACLE: dict[str, Any] = oracle("partitions")
FIVE: list[type[Method]] = [GkPk, G3kPk, G2kPkConv, G2kP2kPkConv, G4kP2kPkConv]
SMALL = settings(max_examples=300, deadline=None)


def suboptimal() -> Task:
    example, trees = ORACLE["suboptimal"], ORACLE["groups"]["trees"]
    axes = tuple(tree_axis(name, example["rows"][name], trees[name]) for name in ("a", "b"))
    return Task(4, axes, (KAnonymity(example["k"]),))


@pytest.mark.parametrize("method", FIVE)
def test_example_5_0_1_is_solved(method: type[Any]) -> None:
    """GkAA loses everything; splitting its one class finds the optimum."""
    task, example = suboptimal(), ORACLE["suboptimal"]
    space = Space.of(task.axes, "nllm")
    worst = GkAA().run(task)
    assert space.cost(space.parts(worst.of_row)) * space.unit == example["most"]
    found = method().construct(task)
    assert found.cost * space.unit == Fraction(example["cost"])
    assert found.alterations[found.best] == pytest.approx(43.3333, abs=1e-4)
    assert groups_of(method().run(task)) == {frozenset(rows) for rows in example["classes"]}


@pytest.mark.parametrize("method", FIVE)
def test_a_result_says_how_far_from_the_optimum_it_is(method: type[Any]) -> None:
    said = method(bound=True).run(suboptimal()).trace[-1]
    assert "ptimal under NLLM" in said
    assert method().run(suboptimal()).trace[-1] != said


def test_schedules_of_the_source() -> None:
    example = ORACLE["schedules"]
    assert upwards(example["n"], example["k"]) == example["up"]
    assert downwards(example["n"], example["k"]) == example["down"]
    assert schedule("fixed", 100, 40, 160) == [100]
    assert schedule("down", 100, 60, 120) == [100]


@SMALL
@given(st.integers(0, 2**32 - 1), st.sampled_from(FIVE), st.sampled_from(["nllm", "ncp", "distortion"]))
def test_every_class_is_large_enough_and_gkpk_is_never_worse_than_gkaa(seed: int, kind: type[Any], metric: str) -> None:
    task = random_task(seed)
    task = replace(task, models=task.models[:1], max_suppressed=0)
    k = task.models[0].k
    method = kind(metric=metric)
    found = method.run(task)
    assert sizes_of(found)[0] >= k
    space = Space.of(task.axes, metric)
    built = method.construct(task)
    assert built.cost == space.cost(space.parts(found.of_row))
    assert built.alterations[built.best] == min(built.alterations)
    if kind is GkPk:
        assert built.cost <= space.cost(space.parts(GkAA(metric=metric).run(task).of_row))
    again = method.construct(task, workers=1)
    assert np.array_equal(again.of_row, built.of_row)
    assert again.alterations == built.alterations


@SMALL
@given(st.integers(0, 2**32 - 1), st.sampled_from(FIVE))
def test_other_models_hold_too(seed: int, kind: type[Any]) -> None:
    task = random_task(seed)
    task = replace(task, models=(task.models[0], LDiversity(2, "disease"), TCloseness(0.6, "disease")))
    try:
        found = kind().run(task)
    except InfeasibleError:
        return
    classes = task.classes(found.of_row, found.n_classes)
    assert task.holds(classes).all()


@pytest.mark.parametrize("method", FIVE)
@pytest.mark.parametrize("base", ["Mondrian(strict=False)", "Optimal()", "KMember()", "GkAA(tie_break='random')"])
def test_any_method_can_take_the_place_of_gkaa(method: type[Any], base: str) -> None:
    rng = np.random.default_rng(4)
    axes = []
    for j in range(3):
        paths = [[f"v{i}", f"g{i // 2}", f"h{i // 4}", "*"] for i in range(8)]
        axes.append(tree_axis(f"t{j}", [f"v{i}" for i in rng.integers(0, 8, 90).tolist()], paths))
    task = Task(90, tuple(axes), (KAnonymity(4),))
    found = method(base=base).run(task)
    assert sizes_of(found)[0] >= 4
    assert found.trace[0].startswith(base)
    if method is GkPk:
        space = Space.of(task.axes, "nllm")
        alone = method_named("GkPk", base).run(task)
        assert space.cost(space.parts(found.of_row)) <= space.cost(space.parts(alone.of_row))


def test_a_generalised_column_is_a_column() -> None:
    """A node that stands above another one is a value of its own, and meets it at itself."""
    axis = tree_axis("q", ["q1", "q2", "q3"], [["q1", "q12", "*"], ["q2", "q12", "*"], ["q3", "q3", "*"]])
    assert axis.tree is not None
    nodes = np.array([axis.tree.node_of[label] for label in ("q1", "q12", "q3")])
    shown = generalised_axis(axis, axis.tree, nodes, np.array([0, 1, 1, 2]))
    assert shown.codes.tolist() == [0, 1, 1, 2]
    assert shown.tree is not None
    met = shown.tree.common(shown.codes[[0, 0]], shown.codes[[1, 3]])
    assert met[0] != met[1] == shown.tree.root


class _Turning(Workshop):
    """Tables that come round for ever: rows are together in one way, then in another."""

    turn = 0

    def enlarged(self, of_row: np.ndarray, k: int) -> np.ndarray:
        assert k <= len(of_row)
        self.turn += 1
        return self.task.axes[self.turn % 2].codes // (2 + self.turn % 2)

    def split(self, of_row: np.ndarray, k: int) -> np.ndarray:
        assert k <= len(of_row)
        return of_row


def test_circles_are_seen_and_left_and_the_best_table_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paravent.methods.partition.construction.Workshop", _Turning)
    rng = np.random.default_rng(1)
    paths = [[f"v{i}", f"g{i // 2}", "*"] for i in range(6)]
    axes = tuple(tree_axis(f"t{j}", [f"v{i}" for i in rng.integers(0, 6, 40).tolist()], paths) for j in range(2))
    task = Task(40, axes, (KAnonymity(3),))
    found = G2kPkConv(rounds=50).construct(task)
    assert found.ended == "until it went round in a circle"
    assert len(found.alterations) <= 5
    assert found.alterations[found.best] == min(found.alterations)
    longer = G2kPkConv(rounds=50, restarts=3).construct(task)
    assert len(longer.alterations) > len(found.alterations)
    least = G2kPkConv(rounds=50, min_rounds=20).construct(task)
    assert len(least.alterations) >= 20
    stopped = G2kPkConv(rounds=2).construct(task)
    assert len(stopped.alterations) == 2


def test_more_rounds_and_restarts_are_never_worse() -> None:
    for seed in range(8):
        task = random_task(seed)
        task = replace(task, models=(KAnonymity(2),), max_suppressed=0)
        if task.n_rows < 2:
            continue
        few, many = (G2kPkConv(rounds=r, restarts=5).construct(task).cost for r in (2, 30))
        assert many <= few


@pytest.mark.parametrize("kind", ["up", "down"])
def test_other_schedules_give_tables_that_hold(kind: str) -> None:
    rng = np.random.default_rng(9)
    paths = [[f"v{i}", f"g{i // 2}", f"h{i // 4}", "*"] for i in range(8)]
    axes = tuple(tree_axis(f"t{j}", [f"v{i}" for i in rng.integers(0, 8, 200).tolist()], paths) for j in range(3))
    found = G2kPkConv(schedule=kind).run(Task(200, axes, (KAnonymity(5),)))
    assert sizes_of(found)[0] >= 5


@pytest.mark.parametrize("method", FIVE)
def test_a_release_is_verified_and_a_plan_file_recreates_it(method: type[Any], tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    frame = pl.DataFrame({"age": rng.integers(17, 60, 120), "sex": rng.choice(["F", "M"], 120)})
    plan = pv.Plan(
        {"age": pv.Quasi(pv.intervals(5, 10, 20)), "sex": pv.Quasi(pv.flat())},
        [pv.KAnonymity(4)],
        method(base="Mondrian(strict=False)", nodes=300),
    )
    release = pv.anonymize(frame, plan)
    assert release.verdict
    assert release.frame.group_by("age", "sex").len()["len"].min() >= 4
    plan.save(tmp_path / "plan.toml")
    again = pv.anonymize(frame, pv.Plan.load(tmp_path / "plan.toml"))
    assert again.frame.equals(release.frame)


def test_the_solver_is_used_where_it_is_asked_for() -> None:
    pytest.importorskip("ortools")
    rng = np.random.default_rng(3)
    paths = [[f"v{i}", f"g{i // 2}", "*"] for i in range(6)]
    axes = tuple(tree_axis(f"t{j}", [f"v{i}" for i in rng.integers(0, 6, 40).tolist()], paths) for j in range(2))
    task = Task(40, axes, (KAnonymity(3),))
    found = G3kPk(solver="ortools").run(task)
    assert "OR-Tools" in found.trace[0]
    assert G3kPk(solver="ortools").construct(task).cost == G3kPk().construct(task).cost


def test_a_missing_solver_is_named_with_the_way_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ortools.sat.python", None)
    with pytest.raises(PlanError, match=r"pip install 'paravent\[solver\]'"):
        solver.cp_sat()
    with pytest.raises(PlanError, match="OR-Tools"):
        GkPk(solver="ortools").run(suboptimal())


def test_the_same_bytes_with_one_worker_and_with_many() -> None:
    rng = np.random.default_rng(8)
    paths = [[f"v{i}", f"g{i // 2}", f"h{i // 4}", "*"] for i in range(8)]
    axes = tuple(tree_axis(f"t{j}", [f"v{i}" for i in rng.integers(0, 8, 400).tolist()], paths) for j in range(4))
    task = Task(400, axes, (KAnonymity(3),))
    one, many = (G2kPkConv(rounds=6).construct(task, workers=workers) for workers in (1, 4))
    assert np.array_equal(one.of_row, many.of_row)


def test_time_that_is_up_ends_a_run_with_a_table_that_holds() -> None:
    task = replace(random_task(12), models=(KAnonymity(2),), max_suppressed=0)
    found = G2kPkConv(t_out=1e-9, rounds=40, min_rounds=40).construct(task)
    assert found.ended == "time was up"
    assert np.bincount(found.of_row).min() >= 2
    assert Repartition(Space.of(task.axes, "nllm")).late == 0


@pytest.mark.parametrize(
    ("option", "named"),
    [
        ({"metric": "dm"}, "metric"),
        ({"base": "Mondrain"}, "Did you mean 'Mondrian'"),
        ({"base": "Mondrian(2)"}, "no method with parameters"),
        ({"base": "Mondrian(cut='x')"}, "cut"),
        ({"base": "Mondrian(cuts=1)"}, "does not take"),
        ({"base": "__import__('os')"}, "no method"),
        ({"solver": "gurobi"}, "solver"),
        ({"nodes": -1}, "nodes"),
        ({"t_out": 0}, "t_out"),
        ({"rounds": 0}, "rounds"),
        ({"restarts": -1}, "restarts"),
        ({"prec": -1.0}, "prec"),
        ({"schedule": "sideways"}, "schedule"),
    ],
)
def test_unknown_options_are_named(option: dict[str, Any], named: str) -> None:
    with pytest.raises(PlanError, match=named):
        G2kPkConv(**option)


def test_a_base_may_be_given_as_a_method() -> None:
    method = GkPk(base=pv.methods.Mondrian(strict=False))  # type: ignore[arg-type]
    assert method_named("GkPk", method.base) == pv.methods.Mondrian(strict=False)
    assert eval(repr(method), {"GkPk": GkPk}) == method


def test_too_few_rows_are_refused() -> None:
    with pytest.raises(InfeasibleError, match="5-anonymity"):
        GkPk().run(replace(suboptimal(), models=(KAnonymity(5),)))
