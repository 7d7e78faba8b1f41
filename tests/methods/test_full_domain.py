"""The lattice: outliers of every node of the literature's example, loss, ties, and when pruning is allowed."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

from paravent.errors import PlanError
from paravent.methods import Task
from paravent.methods.full_domain.lattice import Lattice, Solution, best, prunes
from paravent.methods.full_domain.levels import classes_at
from paravent.privacy.k_anonymity import KAnonymity
from paravent.privacy.l_diversity import LDiversity

from ..generators.tasks import random_task


def test_outliers_of_all_24_nodes(nine: dict[str, Any], table_24: Callable[..., Task]) -> None:
    lattice = Lattice(table_24(), "test")
    expected = {tuple(map(int, node.split())): n for node, n in nine["outliers"].items()}
    assert lattice.n_nodes == len(expected) == 24
    nodes = [node for height in range(7) for node in lattice.at_height(height)]
    assert sorted(nodes) == sorted(expected)
    assert dict(zip(nodes, lattice.outliers(nodes), strict=True)) == expected
    for node, n in expected.items():  # by rows, without the kernel
        assert int(lattice.failing(node).sum()) == n


def test_rows_that_fail_twice_are_suppressed_once() -> None:
    """Acceptable means that the rows left over hold: the kernel's count and the models' answer agree."""
    for seed in range(120):
        task = random_task(seed)
        lattice = Lattice(task, "test")
        nodes = list(product(*(range(top + 1) for top in lattice.tops)))
        for node, ok in zip(nodes, lattice.acceptable(nodes), strict=True):
            of_row, example = classes_at(task.axes, node)
            left = task.suppress_failing(of_row, len(example))
            assert ok == (left is not None and bool((left >= 0).any()))


def test_loss_of_a_solution_is_gcp_with_weights(table_24: Callable[..., Task]) -> None:
    lattice = Lattice(table_24(max_suppressed=3), "test")
    # S0Z2E0: 9 rows keep sex and education, lose zip; 3 rows lose all.
    found, top = lattice.solutions([(0, 2, 0), (1, 2, 3)])
    assert found.loss == pytest.approx((9 * (0 + 1 + 0) + 3 * 3) / 36)
    assert found.suppressed == 3
    assert top.loss == pytest.approx(1.0)
    # The same by rows and models, as it is counted where k-anonymity is not all: every row has both values.
    task = lattice.task
    everybody = {"d": np.arange(12, dtype=np.int32)}
    both = Task(12, task.axes, (*task.models, LDiversity(2, "d")), everybody, max_suppressed=3)
    assert Lattice(both, "test").solutions([(0, 2, 0)])[0].loss == pytest.approx(found.loss)


def test_ties_go_to_the_lowest_height_then_the_first_column() -> None:
    def solution(*node: int, loss: float = 0.5) -> Solution:
        return Solution({f"c{j}": at for j, at in enumerate(node)}, 0, loss)

    assert best([solution(0, 3), solution(2, 0), solution(1, 1)]).node == (1, 1)
    assert best([solution(2, 0), solution(0, 2)]).node == (0, 2)
    assert best([solution(0, 2), solution(2, 0, loss=0.5 - 1e-15)]).node == (0, 2)
    assert best([solution(0, 2), solution(2, 0, loss=0.4)]).node == (2, 0)


def test_entropy_with_suppression_allows_no_short_cut() -> None:
    codes = {"d": np.zeros(4, dtype=np.int32)}
    entropy, distinct = LDiversity(2, "d", kind="entropy"), LDiversity(2, "d")
    assert prunes(Task(4, (), (KAnonymity(2), entropy), codes))
    assert prunes(Task(4, (), (KAnonymity(2), distinct), codes, max_suppressed=1))
    assert not prunes(Task(4, (), (KAnonymity(2), entropy), codes, max_suppressed=1))


def test_a_column_without_a_tree_is_named(table_24: Callable[..., Task]) -> None:
    from dataclasses import replace

    task = table_24()
    bare = replace(task, axes=(replace(task.axes[0], tree=None), *task.axes[1:]))
    with pytest.raises(PlanError, match="'sex' has no tree"):
        Lattice(bare, "Datafly")


def test_a_lattice_too_large_is_refused(table_24: Callable[..., Task]) -> None:
    with pytest.raises(PlanError, match="24"):
        Lattice(table_24(), "Samarati", most=23)
