"""What would take hours is refused before any work, and what many columns or values should not slow down is not."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent.hierarchy.axis import Axis
from paravent.hierarchy.tree import Tree
from paravent.methods.method import Task
from paravent.table.kinds import Kind

BY_LEVELS: list[Any] = [
    pv.methods.Optimal(),
    pv.methods.Incognito(),
    pv.methods.Samarati(),
    pv.methods.Datafly(),
    pv.methods.MuArgus(),
    pv.methods.MinGen(),
    pv.methods.BottomUp(target="s"),
]


@cache
def wide_task(columns: int) -> Task:
    rng = np.random.default_rng(0)
    tree = Tree.from_paths("c", [[f"v{i}", "*"] for i in range(4)])
    axes = tuple(
        Axis(f"c{i}", Kind.NOMINAL, rng.integers(0, 4, 200).astype(np.int32), tree.leaves, tree, given=tree)
        for i in range(columns)
    )
    return Task(200, axes, (pv.KAnonymity(5),))


@cache
def deep_task(levels: int) -> Task:
    """A tree in which each level takes one more value into the group of the others: as high as it has values."""
    paths = [[f"v{i}", *[f"up to {j}" for j in range(max(i, 1), levels)], "*"] for i in range(levels)]
    height = max(map(len, paths))
    tree = Tree.from_paths("a", [[path[0], *[path[0]] * (height - len(path)), *path[1:]] for path in paths])
    codes = np.arange(levels, dtype=np.int32)
    return Task(levels, (Axis("a", Kind.NOMINAL, codes, tree.leaves, tree, given=tree),), (pv.KAnonymity(2),))


@pytest.mark.parametrize("method", BY_LEVELS, ids=lambda method: type(method).__name__)
def test_too_many_combinations_of_levels_are_refused(method: Any) -> None:
    for task in (wide_task(2_000), deep_task(1_100)):
        with pytest.raises(pv.PlanError, match=r"searches combinations of at most 1000\. Name fewer"):
            method.run(task)


def test_few_levels_of_many_columns_are_not_refused() -> None:
    assert pv.methods.Datafly().run(wide_task(40)).n_classes >= 1


def test_a_hundred_thousand_distinct_values() -> None:
    rows = 100_000
    frame = pl.DataFrame({"a": np.arange(rows), "b": np.arange(rows) % 4})
    for method in (pv.methods.Mondrian(), pv.methods.Optimal()):
        plan = pv.Plan({"a": pv.Quasi(pv.balanced()), "b": pv.Quasi(pv.flat())}, [pv.KAnonymity(5)], method)
        assert pv.anonymize(frame, plan).verdict.strict_k >= 5
