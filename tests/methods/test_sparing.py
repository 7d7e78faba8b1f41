"""More rows to spare never make a merged table worse, whatever the models (a peer gives a worse one)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paravent.errors import InfeasibleError
from paravent.methods import GAA, GkAA, Recoding, Target, Task
from paravent.methods.merging.merge_run import budgets
from paravent.privacy import KAnonymity, LDiversity, TCloseness
from paravent.utility.cost.axes import axis_costs

from ..generators.tasks import axes_of_eight, axis_of_eight

MODELS: dict[str, tuple[Any, ...]] = {
    "k": (KAnonymity(3),),
    "l": (LDiversity(2, "s"),),
    "entropy l": (LDiversity(1.8, "s", kind="entropy"),),
    "k and l": (KAnonymity(3), LDiversity(2, "s")),
    "k and t": (KAnonymity(2), TCloseness(0.35, "s")),
}
METHODS: list[Any] = [
    GkAA(),
    GAA(),
    GAA(strategy=3, column="s", scope="class"),
    GAA(strategy=4, column="s"),
    GAA(strategy=6, column="s", scope="class"),
    GAA(strategy="size"),
]


def problem(seed: int, rows: int, models: tuple[Any, ...], budget: int) -> Task:
    rng = np.random.default_rng(seed)
    axes = axes_of_eight(rng, rows)
    codes = np.minimum(rng.geometric(0.5, rows) - 1, 3).astype(np.int32)
    codes[:4] = np.arange(4)
    return Task(rows, axes, models, {"s": codes}, budget, targets={"s": Target(codes, 4)})


def lost(task: Task, found: Recoding) -> int:
    """What the released cells cost, a row left out as much as one at the roots."""
    _, costs = axis_costs(task.axes, "nllm", rows=task.n_rows)
    total = 0
    for each, cost in zip(task.axes, costs, strict=True):
        cells = found.cells[each.name]
        node = np.array([cost.tree.node_of[label] for label in cells.labels])[cells.codes][found.of_row]
        climbed = np.where(found.of_row < 0, cost.climb[each.codes], cost.climb[each.codes] - cost.climb[node])
        total += int(climbed.sum())
    return total


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    rows=st.integers(8, 40),
    models=st.sampled_from(sorted(MODELS)),
    method=st.sampled_from(METHODS),
)
def test_more_rows_to_spare_never_make_a_table_worse(seed: int, rows: int, models: str, method: Any) -> None:
    before: float = float("inf")
    for budget in sorted({0, 1, 2, 5, 6, 11, rows // 2}):
        task = problem(seed, rows, MODELS[models], budget)
        try:
            found = method.run(task)
        except InfeasibleError:
            assert before == float("inf"), "what could be met with less to spare can be met with more"
            continue
        assert int((found.of_row < 0).sum()) <= budget
        kept = task.classes(found.of_row, found.n_classes)
        assert task.holds(kept).all()
        here = lost(task, found)
        assert here <= before
        before = here


def test_a_row_that_alone_breaks_a_model_is_left_out() -> None:
    """Three pairs that are diverse, and one row far from them: leaving it out saves what it would cost to join."""
    codes = np.array([0, 0, 1, 1, 2, 2, 7])
    values = np.array([0, 1, 0, 1, 0, 1, 0], dtype=np.int32)
    task = Task(7, (axis_of_eight("x", codes),), (LDiversity(2, "s"),), {"s": values}, targets={"s": Target(values, 2)})
    assert (GAA().run(task).of_row >= 0).all()
    spare = Task(7, task.axes, task.models, task.sensitive, 1, targets=task.targets)
    for method in (GAA(), GkAA()):
        found = method.run(spare)
        assert np.flatnonzero(found.of_row < 0).tolist() == [6]
        assert lost(spare, found) < lost(task, method.run(task))
    assert any("Left out 1 rows" in said for said in GAA().run(spare).trace)


def test_budgets_of_a_larger_one_contain_those_of_a_smaller_one() -> None:
    for most in range(200):
        assert budgets(most) == [step for step in budgets(200) if step <= most]
    assert budgets(0) == [0]


@pytest.mark.parametrize("method", METHODS)
def test_the_books_agree_with_the_cells(method: Any) -> None:
    """What a run says that a table costs is what its cells cost."""
    task = problem(3, 30, MODELS["k"], 0)
    run = method.merged(task, 3)
    assert run.loss(run.classes(run.steps(3))[0], run.steps(3)) == lost(task, method.run(task))
