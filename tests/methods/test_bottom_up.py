"""Bottom-Up Generalization on table A1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from paravent.errors import PlanError
from paravent.methods import BottomUp, Task, TopDown
from paravent.methods.output_types import is_full_domain, is_subtree
from paravent.methods.subtree.information import entropy

from ..generators.tasks import random_task
from .conftest import labels_of, sizes_of
from .plain_subtrees import bottom_up

METHOD = BottomUp(target="class")


def taken(steps: Any) -> list[str]:
    return [step.changes[0].label for step in steps if step.changes]


def test_the_steps_of_table_a1(nine: dict[str, Any], classified: Callable[..., Task]) -> None:
    task = classified("table_a1")
    found = METHOD.run(task)
    expected = nine["bottom_up"]
    assert taken(found.steps) == expected["steps"]
    losses = [step.figures["information loss"] for step in found.steps if step.changes]
    assert losses == pytest.approx(expected["losses"], abs=5e-5)
    assert [step.figures["anonymity gain"] for step in found.steps if step.changes] == [0, 0, 0, 0, 0, 1]
    assert sizes_of(found) == expected["sizes"]
    assert is_subtree(found, task.axes)
    assert not is_full_domain(found, task.axes)


def test_one_more_step_for_three(nine: dict[str, Any], classified: Callable[..., Task]) -> None:
    found = METHOD.run(classified("table_a1", k=3))
    expected = nine["bottom_up"]
    assert taken(found.steps) == [*expected["steps"], expected["seventh"]]
    seventh = [step for step in found.steps if step.changes][-1]
    assert seventh.figures["information loss"] == pytest.approx(expected["seventh_loss"], abs=5e-5)
    assert seventh.figures["information loss"] < expected["other_loss"]
    assert min(sizes_of(found)) >= 3


def test_top_down_ends_at_the_same_table(nine: dict[str, Any], classified: Callable[..., Task]) -> None:
    task = classified("table_a1")
    up, down = METHOD.run(task), TopDown(target="class").run(task)
    for name in ("sex", "zip", "education"):
        assert labels_of(up, name) == labels_of(down, name)
        assert sorted(set(labels_of(up, name))) == nine["cross_check"][name]


def test_entropies(nine: dict[str, Any]) -> None:
    assert entropy(np.array(nine["entropies"]["counts"])).tolist() == pytest.approx(nine["entropies"]["bits"], abs=5e-5)


def test_suppression_ends_the_run_earlier(classified: Callable[..., Task]) -> None:
    from dataclasses import replace

    task = replace(classified("table_a1"), max_suppressed=1)
    found = METHOD.run(task)
    assert taken(found.steps) == []
    assert int((found.of_row < 0).sum()) == 1


@pytest.mark.parametrize("options", [{"target": ""}, {"target": "c", "bounds": [2, 1]}, {"target": "c", "bounds": "x"}])
def test_options_that_make_no_sense(options: dict[str, Any]) -> None:
    with pytest.raises(PlanError, match="BottomUp"):
        BottomUp(**options)


def test_bounds_need_numbers(classified: Callable[..., Task]) -> None:
    with pytest.raises(PlanError, match="'class'"):
        BottomUp(target="class", bounds=[1]).run(classified("table_a1"))


def test_a_target_that_is_not_there(classified: Callable[..., Task]) -> None:
    with pytest.raises(PlanError, match="'income'"):
        BottomUp(target="income").run(classified("table_a1"))


def test_every_step_is_the_one_that_its_definition_names() -> None:
    for seed in range(150):
        task = random_task(seed)
        task = Task(task.n_rows, task.axes, task.models[:1], targets=task.targets)
        found = METHOD.run(task)
        names = [axis.name for axis in task.axes]
        steps = [(names.index(s.changes[0].column), s.changes[0].label) for s in found.steps if "score" in s.figures]
        assert steps == bottom_up(task, task.models[0].k)
