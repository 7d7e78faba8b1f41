"""Incognito: the literature's example subset by subset, and all acceptable nodes against brute force."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from paravent.errors import InfeasibleError
from paravent.methods import Incognito, Optimal, Task
from paravent.methods.full_domain.lattice import prunes

from ..generators.tasks import random_task
from .test_samarati import acceptable_by_brute_force


def test_the_eight_nodes_of_table_24(nine: dict[str, Any], table_24: Callable[..., Task]) -> None:
    found = [list(solution.node) for solution in Incognito().solutions(table_24())]
    assert found[: nine["incognito"]["minimal"]] == nine["incognito"]["nodes"][:4]
    assert sorted(found) == sorted(nine["incognito"]["nodes"])


def test_what_fails_in_every_set_of_columns(nine: dict[str, Any], table_24: Callable[..., Task]) -> None:
    survivors = Incognito().survivors(table_24())
    tops = {"sex": 1, "zip": 2, "education": 3}
    for names, expected in nine["incognito"]["failing"].items():
        columns = tuple(names.split())
        candidates = {
            node
            for node in product(*(range(tops[name] + 1) for name in columns))
            if all(
                (*node[:i], *node[i + 1 :]) in survivors[(*columns[:i], *columns[i + 1 :])]
                for i in range(len(columns))
                if len(columns) > 1
            )
        }
        assert sorted(candidates - survivors[columns]) == sorted(map(tuple, expected)), names


def test_roll_up_adds_counts(table_24: Callable[..., Task]) -> None:
    """Master 2 + Doctorat 3 = 3e cycle 5."""
    from paravent.methods.full_domain.incognito import _Search

    task = table_24(("education",))
    search = _Search(task, (3,))
    base = search._rows((0,))
    assert task.axes[0].tree is not None
    labels = task.axes[0].tree.levels
    assert dict(zip(labels[0].labels, base.sizes.tolist(), strict=True))["Doctorat"] == 3
    above = search._roll_up((0,), base, (1,))
    assert dict(zip(labels[1].labels, above.sizes.tolist(), strict=True)) == {
        "Collège": 2,
        "Lycée": 2,
        "C12": 3,
        "3e cycle": 5,
    }


def test_least_loss_is_released_and_all_are_counted(table_24: Callable[..., Task]) -> None:
    task = table_24()
    found = Incognito().solutions(task)
    released = Incognito().run(task)
    least = min(found, key=lambda solution: solution.loss)
    assert any(f"loss ({least.loss:.4g})" in words and "8 of 24" in words for words in released.trace)


@pytest.mark.parametrize("block", range(8))
def test_all_acceptable_nodes_and_no_other(block: int) -> None:
    for seed in range(50 * block, 50 * (block + 1)):
        task = random_task(seed)
        acceptable = acceptable_by_brute_force(task)
        if not acceptable:
            with pytest.raises(InfeasibleError):
                Incognito().run(task)
            continue
        found = Incognito().solutions(task)
        assert sorted(solution.node for solution in found) == acceptable
        least = min(round(solution.loss, 12) for solution in found)
        chosen = Incognito().run(task)
        assert any(f"({least:.4g})" in words for words in chosen.trace)


def test_the_proven_optimum_is_among_them_and_released() -> None:
    """Two ways to the least loss: all nodes, and a search that rules most of them out."""
    for seed in range(200):
        task = random_task(seed)
        task = replace(task, axes=tuple(replace(axis, weight=1.0) for axis in task.axes))
        if not prunes(task):
            continue
        try:
            least = min(solution.loss for solution in Incognito().solutions(task))
        except InfeasibleError:
            continue
        _, words, proof = Optimal(metric="gcp", mean="arithmetic").run(task).trace
        assert proof == "No other combination loses less."
        assert float(re.findall(r"loss ([^,]+),", words)[0]) == pytest.approx(least, rel=1e-5, abs=1e-9)
