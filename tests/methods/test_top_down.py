"""Top-Down Specialization on table A2, and intervals that grow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from paravent.errors import InfeasibleError
from paravent.methods import Axis, Target, Task, TopDown
from paravent.methods.output_types import is_subtree
from paravent.methods.subtree.information import class_codes, counts_up_to, gain
from paravent.methods.subtree.subtrees import TreeLabels
from paravent.privacy.k_anonymity import KAnonymity
from paravent.privacy.l_diversity import LDiversity
from paravent.table.kinds import Kind

from ..generators.tasks import random_task
from .conftest import labels_of, sizes_of
from .plain_subtrees import top_down

METHOD = TopDown(target="class")


def parted(found: Any) -> list[str]:
    return [step.words.split(" of ")[0].removeprefix("Parted ") for step in found.steps if "score" in step.figures]


def test_the_steps_of_table_a2(nine: dict[str, Any], classified: Callable[..., Task]) -> None:
    task = classified("table_a2")
    found = METHOD.run(task)
    expected = nine["top_down"]
    assert parted(found) == expected["steps"]
    scores = [step.figures["score"] for step in found.steps if "score" in step.figures]
    assert scores == pytest.approx(expected["scores"], abs=5e-5)
    assert sizes_of(found) == expected["sizes"]
    for name in ("sex", "zip", "education"):
        assert sorted(set(labels_of(found, name))) == expected[name]
    assert is_subtree(found, task.axes)


def test_gains_of_the_roots(nine: dict[str, Any], classified: Callable[..., Task]) -> None:
    task = classified("table_a2")
    codes, n = class_codes(task, "class", (), "TopDown")
    for axis in task.axes:
        labels, counts = TreeLabels.of(axis), counts_up_to(axis, codes, n)
        parts = [counts[v.last + 1] - counts[v.first] for v in labels.children[labels.root]]
        assert gain(np.stack(parts)) == pytest.approx(nine["top_down"]["first_gains"][axis.name], abs=5e-5)


def numbers(values: list[float], classes: list[int], k: int, **more: Any) -> Task:
    line, codes = np.unique(values, return_inverse=True)
    texts = tuple(f"{value:g}" for value in line.tolist())
    axis = Axis("age", Kind.FLOAT, codes.astype(np.int32), texts, None, line.astype(float))
    target = Target(np.array(classes, dtype=np.int32), max(classes) + 1)
    return Task(len(values), (axis,), (KAnonymity(k),), targets={"class": target}, **more)


def test_numbers_without_a_tree_grow_intervals() -> None:
    """The class changes between 30 and 40, then between 50 and 60: that is where the line is parted, and nowhere
    else, since nothing more is told there."""
    task = numbers([20, 25, 30, 40, 45, 50, 60, 65, 70], [0, 0, 0, 1, 1, 1, 0, 0, 0], 2)
    found = METHOD.run(task)
    assert labels_of(found, "age") == ["[20, 30]"] * 3 + ["[40, 50]"] * 3 + ["[60, 70]"] * 3
    assert is_subtree(found, task.axes)


def test_an_interval_is_parted_where_both_sides_are_large_enough() -> None:
    task = numbers([1, 2, 3, 4, 5, 6], [1, 0, 0, 0, 0, 0], 2)  # best between 1 and 2: too few on the left
    assert sizes_of(METHOD.run(task)) == [2, 4]


def test_a_missing_number_is_apart_or_says_nothing() -> None:
    values, line = ("1", "2", "(missing)"), np.array([1.0, 2, np.nan])
    axis = Axis("n", Kind.INTEGER, np.array([0, 0, 1, 1, 2, 2], dtype=np.int32), values, None, line)
    target = Target(np.array([0, 0, 0, 0, 1, 1], dtype=np.int32), 2)
    found = METHOD.run(Task(6, (axis,), (KAnonymity(2),), targets={"class": target}))
    assert labels_of(found, "n") == ["[1, 2]"] * 4 + ["(missing)"] * 2
    found = METHOD.run(Task(6, (axis,), (KAnonymity(4),), targets={"class": target}))
    assert set(labels_of(found, "n")) == {"*"}
    even = Target(np.array([0, 0, 1, 1, 0, 1], dtype=np.int32), 2)  # being missing tells nothing
    found = METHOD.run(Task(6, (axis,), (KAnonymity(2),), targets={"class": even}))
    assert labels_of(found, "n") == ["1", "1", "2", "2", "(missing)", "(missing)"]


def test_names_without_a_tree_are_published_or_starred() -> None:
    axis = Axis("job", Kind.NOMINAL, np.array([0, 0, 1, 1], dtype=np.int32), ("cook", "baker"))
    target = Target(np.array([0, 0, 1, 1], dtype=np.int32), 2)
    found = METHOD.run(Task(4, (axis,), (KAnonymity(2),), targets={"class": target}))
    assert labels_of(found, "job") == ["cook", "cook", "baker", "baker"]
    found = METHOD.run(Task(4, (axis,), (KAnonymity(3),), targets={"class": target}))
    assert set(labels_of(found, "job")) == {"*"}


def test_other_models_stop_it() -> None:
    """Parting tells the class, but would leave groups with one disease."""
    task = numbers([1, 2, 3, 4], [0, 0, 1, 1], 2)
    diseases = {"d": np.array([0, 0, 1, 1], dtype=np.int32)}
    guarded = Task(4, task.axes, (KAnonymity(2), LDiversity(2, "d")), diseases, targets=task.targets)
    assert sizes_of(METHOD.run(task)) == [2, 2]
    assert sizes_of(METHOD.run(guarded)) == [4]


def test_what_cannot_hold_is_said() -> None:
    with pytest.raises(InfeasibleError):
        METHOD.run(numbers([1, 2], [0, 1], 3))


def test_every_step_is_the_one_that_its_definition_names() -> None:
    for seed in range(150):
        task = random_task(seed)
        task = Task(task.n_rows, task.axes, task.models[:1], targets=task.targets)
        steps = [step for step in METHOD.run(task).steps if "score" in step.figures]
        names = [axis.name for axis in task.axes]
        found = list(zip((names.index(step.changes[0].column) for step in steps), parted_labels(steps), strict=True))
        assert found == top_down(task, task.models[0].k)


def parted_labels(steps: Any) -> list[str]:
    return [step.words.split(" of ")[0].removeprefix("Parted ") for step in steps]
