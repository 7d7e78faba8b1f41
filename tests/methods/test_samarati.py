"""Samarati: the literature's solutions, and all minimal nodes against brute force."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from paravent.errors import InfeasibleError
from paravent.methods import Samarati, Task
from paravent.methods.output_types import is_full_domain
from paravent.privacy.k_anonymity import KAnonymity

from ..generators.tasks import random_task
from .conftest import sizes_of


def acceptable_by_brute_force(task: Task) -> list[tuple[int, ...]]:
    """Every node of the lattice whose failing rows may be suppressed, by counting rows with equal labels."""
    found = []
    trees = [axis.tree for axis in task.axes if axis.tree is not None]
    for node in product(*(range(len(tree.levels)) for tree in trees)):
        groups: dict[tuple[str, ...], list[int]] = {}
        for row in range(task.n_rows):
            levels = [tree.levels[at] for tree, at in zip(trees, node, strict=True)]
            codes = [int(axis.codes[row]) for axis in task.axes]
            key = tuple(level.labels[level.codes[code]] for level, code in zip(levels, codes, strict=True))
            groups.setdefault(key, []).append(row)
        outliers = sum(
            len(rows) for rows in groups.values() if not all(holds(model, task, rows) for model in task.models)
        )
        if outliers <= task.max_suppressed and outliers < task.n_rows:
            found.append(node)
    return found


def holds(model: Any, task: Task, rows: list[int]) -> bool:
    if isinstance(model, KAnonymity):
        return len(rows) >= model.k
    counts = Counter(task.sensitive[model.column][rows].tolist()).values()
    if model.kind == "distinct":
        return len(counts) >= model.l
    return math.prod((n / len(rows)) ** (n / len(rows)) for n in counts) <= 1 / model.l + 1e-12


@pytest.mark.parametrize("max_suppressed", [0, 1, 2, 3])
def test_solutions_of_table_24(nine: dict[str, Any], table_24: Callable[..., Task], max_suppressed: int) -> None:
    expected = next(case for case in nine["samarati"] if case["max_suppressed"] == max_suppressed)
    found = Samarati().solutions(table_24(max_suppressed=max_suppressed))
    assert sorted(list(solution.node) for solution in found) == sorted(expected["nodes"])
    assert {solution.height for solution in found} == {expected["height"]}
    assert all(solution.suppressed <= max_suppressed for solution in found)


def test_two_columns(table_24: Callable[..., Task]) -> None:
    """Sex and zip alone: S1Z0 and S0Z1 stand at height 1; both zips are held by two rows or more, so S1Z0 holds."""
    found = Samarati().solutions(table_24(("sex", "zip")))
    assert [solution.node for solution in found] == [(0, 1), (1, 0)]


def test_the_solution_of_least_loss_is_released(table_24: Callable[..., Task]) -> None:
    task = table_24()
    losses = {solution.node: solution.loss for solution in Samarati().solutions(task)}
    released = Samarati().run(task)
    assert losses[(0, 1, 3)] == min(losses.values())
    assert sizes_of(released) == [2, 3, 3, 4]
    assert is_full_domain(released, task.axes)
    assert any("4 solutions" in words for words in released.trace)


@pytest.mark.parametrize("block", range(8))
def test_all_minimal_nodes_and_no_other(block: int) -> None:
    for seed in range(50 * block, 50 * (block + 1)):
        task = random_task(seed)
        acceptable = acceptable_by_brute_force(task)
        if not acceptable:
            with pytest.raises(InfeasibleError):
                Samarati().run(task)
            continue
        lowest = min(map(sum, acceptable))
        found = Samarati().solutions(task)
        assert [solution.node for solution in found] == [node for node in acceptable if sum(node) == lowest]
