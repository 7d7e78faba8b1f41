"""Mondrian by information gain and by least squared deviation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from paravent.errors import PlanError
from paravent.methods import Mondrian, Target, Task

from ..generators.tasks import random_task
from ..kernels.twins.target import SquaredDeviation, WeightedEntropy
from .conftest import groups_of, labels_of

INFOGAIN = Mondrian(cut="infogain", target="salary", bounds=(2000,))
LSD = Mondrian(cut="lsd", target="salary")


@pytest.mark.parametrize(("method", "name"), [(INFOGAIN, "infogain"), (LSD, "lsd")])
def test_groups_of_table_24(nine: dict[str, Any], table_24: Callable[..., Task], method: Mondrian, name: str) -> None:
    found = method.run(table_24(("zip", "education")))
    expected = nine["mondrian"][name]
    assert groups_of(found) == {frozenset(group["rows"]) for group in expected}
    for group in expected:
        for column in ("zip", "education"):
            assert {labels_of(found, column)[row - 1] for row in group["rows"]} == {group[column]}


def test_ties_go_to_the_column_that_stands_first(nine: dict[str, Any], table_24: Callable[..., Task]) -> None:
    found = INFOGAIN.run(table_24(("education", "zip")))
    assert groups_of(found) == {frozenset(group["rows"]) for group in nine["mondrian"]["infogain_education_first"]}


def test_what_the_cuts_of_the_root_leave(nine: dict[str, Any], table_24: Callable[..., Task]) -> None:
    task = table_24(("education",))
    axis, salary = task.axes[0], task.targets["salary"]
    numbers = salary.positions[salary.codes]
    rows, place = np.arange(12), axis.codes.astype(np.int64)
    by_entropy = WeightedEntropy((numbers >= 2000).astype(np.int64), 2).group(rows)[0](place, len(axis))
    by_error = SquaredDeviation(numbers).group(rows)[0](place, len(axis))
    for name, entropy in nine["mondrian"]["entropy"].items():
        assert by_entropy[axis.values.index(name)] == pytest.approx(entropy, abs=5e-5)
    for name, error in nine["mondrian"]["error"].items():
        assert by_error[axis.values.index(name)] == pytest.approx(error, abs=0.01)


def best_by_brute_force(task: Task, rows: list[int], k: int, cut: str) -> float | None:
    """The least that any allowed cut of a group leaves, straight from the definitions."""
    target = task.targets["class"]
    assert target.positions is not None

    def leaves(part: list[int]) -> float:
        codes = target.codes[part]
        if cut == "lsd":
            numbers = target.positions[codes]
            return float(((numbers - numbers.mean()) ** 2).sum())
        shares = np.unique(codes, return_counts=True)[1] / len(part)
        return float(-(shares * np.log2(shares)).sum()) * len(part) / len(rows)

    found = []
    for axis in task.axes:
        for place in range(len(axis)):
            sides = ([r for r in rows if axis.codes[r] <= place], [r for r in rows if axis.codes[r] > place])
            if min(map(len, sides)) >= k:
                found.append(sum(map(leaves, sides)))
    return min(found, default=None)


@pytest.mark.parametrize("cut", ["infogain", "lsd"])
def test_every_cut_is_the_best_and_the_last_groups_have_none(cut: Any) -> None:
    for seed in range(80):
        task = random_task(seed)
        k = task.models[0].k
        task = Task(task.n_rows, task.axes, task.models[:1], targets=task.targets)
        found = Mondrian(cut=cut, target="class").run(task)
        parts = [np.arange(task.n_rows)]
        for step in found.steps[1:-1]:
            rows = sorted({row for change in step.changes for row in change.rows.tolist()})
            parts = [part for part in parts if sorted(part.tolist()) != rows]
            parts += [step.changes[0].rows, step.changes[-1].rows]
            score = next(value for name, value in step.figures.items() if name not in ("left", "right"))
            assert score == pytest.approx(best_by_brute_force(task, rows, k, cut), abs=1e-9)
        for part in parts:
            assert best_by_brute_force(task, part.tolist(), k, cut) is None


def test_numbers_far_from_zero_keep_their_digits() -> None:
    rng = np.random.default_rng(0)
    small = rng.normal(size=200)
    place = rng.integers(0, 5, 200)
    near = SquaredDeviation(small).group(np.arange(200))[0](place, 5)
    far = SquaredDeviation(small + 1e9).group(np.arange(200))[0](place, 5)
    assert far.tolist() == pytest.approx(near.tolist(), rel=1e-5)


@pytest.mark.parametrize(
    "options",
    [
        {"cut": "infogain"},
        {"cut": "lsd", "target": "salary", "bounds": (1,)},
        {"cut": "loss", "target": "salary"},
        {"cut": "median", "bounds": (1,)},
        {"cut": "lsd", "target": "salary", "strict": False},
    ],
)
def test_options_that_make_no_sense(options: dict[str, Any]) -> None:
    with pytest.raises(PlanError, match="Mondrian"):
        Mondrian(**options)


def test_deviations_need_numbers_and_all_of_them(table_24: Callable[..., Task]) -> None:
    task = table_24()
    names = Task(12, task.axes, task.models, targets={"salary": Target(task.targets["salary"].codes, 9)})
    with pytest.raises(PlanError, match="holds none"):
        LSD.run(names)
    line = np.append(task.targets["salary"].positions[:-1], np.nan)
    missing = Task(12, task.axes, task.models, targets={"salary": Target(task.targets["salary"].codes, 9, line)})
    with pytest.raises(PlanError, match="missing"):
        LSD.run(missing)


def test_use_follows_the_cut() -> None:
    assert (Mondrian().use, INFOGAIN.use, LSD.use) == ("any", "classification", "regression")
    assert (Mondrian().needs, INFOGAIN.needs) == ((), ("target",))
