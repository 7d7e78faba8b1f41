"""The laws of local recoding: none of our methods loses less, and more budget never loses more."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paravent as pv
from paravent.methods import Axis, LocalRecoding, Method, Task
from paravent.methods.local.space import Space
from paravent.methods.local.starts import Starts, schedule
from paravent.plan.persons import of_people
from paravent.privacy.model import Model
from tests.generators.tasks import halved, random_axis, tree_axis

M = pv.methods
OTHERS: tuple[Method, ...] = (
    M.Mondrian(),
    M.Mondrian(strict=False),
    M.KMember(),
    M.NearestNeighbour(),
    M.OKA(),
    M.KACA(),
    M.GCCG(),
    M.GkAA(metric="ncp"),
    M.GkPk(metric="ncp"),
    M.G2kPkConv(metric="ncp"),
    M.G3kPk(metric="ncp"),
    M.Optimal(),
)
MODELS: tuple[tuple[Model, ...], ...] = (
    (),
    (),
    (pv.LDiversity(2, "sick"),),
    (pv.LDiversity(1.6, "sick", kind="entropy"),),
    (pv.TCloseness(0.4, "sick"),),
    (pv.BetaLikeness(3.0, "sick"),),
)


def drawn(seed: int) -> Task:
    """A small table of one to five weighted columns, sometimes one of them without a tree, sometimes with a model
    beside k, sometimes of people who have several rows."""
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(4, 70))
    axes = tuple(
        random_axis(rng, f"t{j}", rows, sizes=(2, 12), weights=(0.5, 1, 3)) for j in range(int(rng.integers(1, 6)))
    )
    models: tuple[Model, ...] = (
        pv.KAnonymity(int(rng.integers(2, min(6, rows)))),
        *MODELS[seed % len(MODELS)],
    )
    sensitive = {"sick": rng.integers(0, 3, rows).astype(np.int32)}
    if seed % 5 == 1:
        places = np.arange(len(axes[0]), dtype=np.float64)
        axes = (replace(axes[0], tree=None, given=None, positions=places), *axes[1:])
    if seed % 7 != 3:
        return Task(rows, axes, models, sensitive)
    whose = np.unique(rng.integers(0, max(4, rows // 2), rows), return_inverse=True)[1].reshape(-1).astype(np.int32)
    return Task(rows, axes, of_people(models, apart=False), sensitive, persons=whose)


def able(task: Task) -> list[Method]:
    """The other methods that can run on a table."""
    flat = any(axis.tree is None for axis in task.axes)
    return [other for other in OTHERS if not (flat and ("trees" in other.needs or other.gives != "multidimensional"))]


def cost(space: Space, method: Method, task: Task) -> int | None:
    """What the classes of a method cost; None where it finds that nothing holds."""
    try:
        found = method.run(task)
    except pv.InfeasibleError:
        return None
    return space.cost(found.of_row, found.n_classes)


@pytest.mark.parametrize("first", range(0, 210, 15))
def test_none_of_our_methods_loses_less_and_more_budget_never_loses_more(first: int) -> None:
    for seed in range(first, first + 15):
        task = drawn(seed)
        space = Space(task.axes)
        costs = [cost(space, LocalRecoding(budget=seconds), task) for seconds in (0.3, 1.5, 5.0)]
        assert costs == sorted(costs, key=lambda each: -1 if each is None else each, reverse=True), seed
        mine = costs[-1]
        for other in able(task):
            theirs = cost(space, other, task)
            assert theirs is None or (mine is not None and mine <= theirs), (seed, other)


def test_tables_of_all_kinds_are_drawn() -> None:
    """Among those of the test above: every model, flat columns and people with several rows, also together."""
    tasks = [drawn(seed) for seed in range(210)]
    people = [task for task in tasks if task.persons is not None]
    flat = [task for task in tasks if any(axis.tree is None for axis in task.axes)]
    assert len(people) >= 30
    assert any(len(np.unique(task.persons)) < task.n_rows for task in people)
    assert len(flat) >= 40
    assert any(task.persons is not None for task in flat)
    assert {len(task.models) for task in people} == {2, 3}
    assert any(len({axis.weight for axis in task.axes}) > 1 for task in tasks)


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_more_budget_never_loses_more_on_other_tables(seed: int) -> None:
    task = drawn(seed)
    space = Space(task.axes)
    costs = [cost(space, LocalRecoding(budget=seconds), task) for seconds in (0.4, 1.2, 1.5, 4.0, 5.0)]
    if None not in costs:
        assert costs == sorted(costs, reverse=True)  # type: ignore[type-var]


@pytest.mark.parametrize("columns", [4, 14, 24])
def test_larger_tables_obey_both_laws(columns: int) -> None:
    """Tables of more rows are not begun in every way: wide ones with k-member's classes, in blocks."""
    rng = np.random.default_rng(columns)
    rows = 3600
    group = rng.integers(0, 12, rows)
    axes = []
    for j in range(columns):
        size = int(rng.integers(4, 17))
        codes = np.where(rng.random(rows) < 0.6, (group * (j + 3) + rng.integers(0, 2, rows)) % size, 0)
        codes = np.where(rng.random(rows) < 0.4, rng.integers(0, size, rows), codes)
        axes.append(tree_axis(f"c{j}", [f"v{i}" for i in codes.tolist()], halved(size, 2)))
    task = Task(rows, tuple(axes), (pv.KAnonymity(5),))
    space = Space(task.axes)
    costs = [cost(space, LocalRecoding(budget=seconds), task) for seconds in (0.5, 1.5, 3.0)]
    assert costs == sorted(costs, reverse=True)  # type: ignore[type-var]
    for other in (M.Mondrian(strict=False), M.KMember(), M.KMember(block=1000), M.NearestNeighbour(), M.OKA()):
        theirs = cost(space, other, task)
        assert theirs is not None
        assert costs[-1] is not None
        assert costs[-1] <= theirs, other


def wide(axis: Axis, columns: int) -> tuple[Axis, ...]:
    return tuple(replace(axis, name=f"c{j}") for j in range(columns))


def test_a_larger_budget_takes_the_steps_of_a_smaller_one_first() -> None:
    """The last step of the smaller one may be longer in the larger one."""
    rng = np.random.default_rng(1)
    for rows, columns, k in ((50, 3, 3), (4000, 3, 3), (4000, 14, 3), (40_000, 14, 3), (4000, 3, 120), (4000, 3, 300)):
        task = Task(rows, wide(random_axis(rng, "c", rows), columns), (pv.KAnonymity(k),))
        space = Space(task.axes)
        starts = Starts(task, space, space.groups(np.zeros(rows, dtype=np.int32), 1))
        before: list[tuple[float, bool]] = []
        for seconds in (0.2, 1.5, 1.6, 5.0, 11.0, 60.0, 200.0):
            steps = [(round(step.seconds, 6), step.make is None) for step in schedule(starts, seconds)]
            assert sum(price for price, _ in steps) <= seconds + 1e-6
            if before:
                assert steps[: len(before) - 1] == before[:-1]
                assert steps[len(before) - 1][1] == before[-1][1]
                assert steps[len(before) - 1][0] >= before[-1][0]
            before = steps


@pytest.mark.parametrize("k", [100, 300])
def test_large_classes_are_those_of_open_labels(k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the search over labels more is lost."""
    rng = np.random.default_rng(k)
    rows = 4000
    axes = tuple(random_axis(rng, f"t{j}", rows, sizes=(12, 30), weights=(1, 2)) for j in range(5))
    task = Task(rows, axes, (pv.KAnonymity(k),))
    space = Space(task.axes)
    found = LocalRecoding(effort="fast").run(task)
    assert "labels opened and closed" in found.trace[0]
    assert np.bincount(found.of_row).min() >= k
    monkeypatch.setattr(Space, "has_room", property(lambda _: False))
    without = LocalRecoding(effort="fast").run(task)
    assert "labels opened and closed" not in without.trace[0]
    assert space.cost(found.of_row, found.n_classes) < space.cost(without.of_row, without.n_classes)
