"""Datafly on the literature's example, its stop test and complementary suppression."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from paravent.errors import InfeasibleError, PlanError
from paravent.methods import Datafly, Task
from paravent.methods.output_types import is_full_domain
from paravent.privacy.l_diversity import LDiversity

from ..generators.tasks import random_task, tree_axis
from .conftest import sizes_of


@pytest.mark.parametrize("case", [0, 1])
def test_runs_of_table_24(nine: dict[str, Any], table_24: Callable[..., Task], case: int) -> None:
    expected = nine["datafly"][case]
    task = table_24(max_suppressed=expected["max_suppressed"])
    found = Datafly().run(task)
    assert [step.changes[0].column for step in found.steps if step.changes] == expected["columns"]
    assert (np.flatnonzero(found.of_row < 0) + 1).tolist() == expected["suppressed"]
    assert sizes_of(found) == expected["sizes"]
    assert is_full_domain(found, task.axes)


def test_outliers_are_told_step_by_step(table_24: Callable[..., Task]) -> None:
    found = Datafly().run(table_24(max_suppressed=2))
    assert [step.figures["outliers"] for step in found.steps if "outliers" in step.figures] == [8, 8, 5, 3, 0]


def test_exactly_the_limit_may_be_suppressed(table_24: Callable[..., Task]) -> None:
    assert int((Datafly().run(table_24(max_suppressed=3)).of_row < 0).sum()) == 3
    assert int((Datafly().run(table_24(max_suppressed=8)).of_row < 0).sum()) == 8


def test_complementary_suppression_leaves_no_handful() -> None:
    """One row stands out; k = 3. With room for it a whole class follows, the smallest one; without, the run goes on."""
    values = ["a"] * 3 + ["b"] * 4 + ["c"]
    axis = tree_axis("q", values, [["a", "ab", "*"], ["b", "ab", "*"], ["c", "c", "*"]])
    from paravent.privacy.k_anonymity import KAnonymity

    task = Task(8, (axis,), (KAnonymity(3),), max_suppressed=4)
    assert np.flatnonzero(Datafly().run(task).of_row < 0).tolist() == [7]
    assert np.flatnonzero(Datafly(complementary=True).run(task).of_row < 0).tolist() == [0, 1, 2, 7]
    tight = replace(task, max_suppressed=3)
    assert Datafly(complementary=True).run(tight).n_classes == 1


def test_complementary_suppression_needs_a_k() -> None:
    task = random_task(0)
    axis = tree_axis("q", ["a", "a", "b"], [["a", "*"], ["b", "*"]])
    codes = np.array([0, 1, 0], dtype=np.int32)
    task = Task(3, (axis,), (LDiversity(2, "d"),), {"d": codes}, max_suppressed=1)
    with pytest.raises(PlanError, match="k-anonymity"):
        Datafly(complementary=True).run(task)


def test_what_cannot_hold_is_said() -> None:
    axis = tree_axis("q", ["a", "b"], [["a", "*"], ["b", "*"]])
    task = Task(2, (axis,), (LDiversity(2, "d"),), {"d": np.zeros(2, dtype=np.int32)})
    with pytest.raises(InfeasibleError):
        Datafly().run(task)
