"""GkAA on the thesis' examples, and its laws on random tables."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paravent import kernels
from paravent.errors import PlanError
from paravent.hierarchy.tree import Tree
from paravent.kernels import TreeCosts
from paravent.methods import Axis, GkAA, Task
from paravent.privacy import KAnonymity, LDiversity
from paravent.table.kinds import Kind
from paravent.utility.cost import METRICS, CostModel
from paravent.utility.cost.axes import axis_costs

from ..generators.tasks import random_axis, tree_axis

ORACLE: dict[str, Any] = tomllib.loads((Path(__file__).parents[1] / "oracles" / "cost_model.toml").read_text())


@pytest.mark.parametrize(
    ("first", "k", "classes", "cost"),
    [
        (["q3", "q1", "q2"], 2, [[0, 1], [2]], 8),  # sort A: one round, 8 of 18
        (["q1", "q3", "q2"], 2, [[0, 1, 2]], 18),  # sort B: two rounds, everything at the root
        (["q3", "q1", "q2"], 4, [[0, 1, 2]], 18),
    ],
)
def test_examples_3_3_1_and_3_3_2(first: list[str], k: int, classes: list[list[int]], cost: int) -> None:
    """T holds q1, q2, q3, q2; which of the two singletons comes first decides the result."""
    tree = Tree.from_paths("q", ORACLE["toy"]["paths"])
    model = CostModel.of([tree], {"q": ORACLE["toy"]["weights"]})
    nodes = np.array([[tree.node_of[label]] for label in first], dtype=np.int32)
    costs = TreeCosts(tree.parent, tree.first, tree.last, model.climb[0])
    merges = kernels.merge(nodes, np.array([1, 1, 2], dtype=np.int64), [costs], k=k)
    assert len(merges.left) == 3 - len(classes)
    assert int(merges.cost.sum()) * model.unit == cost


def test_example_5_0_1_is_far_from_the_optimum() -> None:
    a = tree_axis("a", ["a3", "a1", "a2", "a3"], ORACLE["fig_5_3"]["a"])
    b = tree_axis("b", ["b1", "b1", "b1", "b2"], ORACLE["fig_5_3"]["b"])
    found = GkAA(metric="NLLM").run(Task(4, (a, b), (KAnonymity(2),)))
    assert found.n_classes == 1
    assert found.cells["a"].labels == ("a123",)
    assert found.cells["b"].labels == ("b12",)


@st.composite
def tasks(draw: st.DrawFn) -> tuple[tuple[Axis, ...], int, str, int]:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows = draw(st.integers(2, 40))
    axes = tuple(random_axis(rng, f"c{j}", rows, sizes=(2, 7), depth=1) for j in range(draw(st.integers(1, 3))))
    return axes, rows, draw(st.sampled_from(list(METRICS))), draw(st.integers(1, rows))


@settings(max_examples=120, deadline=None)
@given(tasks())
def test_a_run_for_k_is_the_beginning_of_a_longer_one(drawn: tuple[tuple[Axis, ...], int, str, int]) -> None:
    axes, rows, metric, k = drawn
    found = GkAA(metric=metric).run(Task(rows, axes, (KAnonymity(k),)))
    sizes = np.bincount(found.of_row)
    assert sizes.min() >= k
    larger = GkAA(metric=metric).run(Task(rows, axes, (KAnonymity(rows),)))
    for c in range(found.n_classes):
        assert len(set(larger.of_row[found.of_row == c])) == 1
    model, costs = axis_costs(axes, metric, rows=rows)
    spent = 0
    for a, cost in zip(axes, costs, strict=True):
        cells = found.cells[a.name]
        node = np.array([cost.tree.node_of[label] for label in cells.labels])[cells.codes][found.of_row]
        spent += int((cost.climb[a.codes] - cost.climb[node]).sum())
    assert f"at a cost of {spent} units" in found.trace[1]
    assert model.exact


def test_other_models_are_met_by_merging_on() -> None:
    rng = np.random.default_rng(5)
    values = [f"v{i}" for i in rng.integers(0, 8, 60).tolist()]
    a = tree_axis("a", values, [[f"v{i}", f"g{i // 2}", f"h{i // 4}", "*"] for i in range(8)])
    sensitive = {"s": np.array([int(v[1]) // 2 for v in values], dtype=np.int32)}
    found = GkAA().run(Task(60, (a,), (KAnonymity(3), LDiversity(2, "s")), sensitive))
    for c in range(found.n_classes):
        assert len(set(sensitive["s"][found.of_row == c])) >= 2


def test_seeds_decide_ties_only_when_asked() -> None:
    rng = np.random.default_rng(2)
    columns = [[f"v{i}" for i in rng.integers(0, 6, 80).tolist()] for _ in range(3)]
    axes = tuple(tree_axis(f"c{j}", c, [[f"v{i}", "*"] for i in range(6)]) for j, c in enumerate(columns))

    def classes(seed: int, **options: Any) -> list[int]:
        return GkAA(**options).run(Task(80, axes, (KAnonymity(4),), seed=seed)).of_row.tolist()

    assert classes(1) == classes(2)
    assert classes(1, tie_break="random") == classes(1, tie_break="random")
    assert any(classes(1, tie_break="random") != classes(s, tie_break="random") for s in range(2, 8))


def test_a_column_without_a_tree_is_named() -> None:
    plain = Axis("age", Kind.INTEGER, np.array([0, 1], dtype=np.int32), ("1", "2"), None, np.array([1.0, 2.0]))
    with pytest.raises(PlanError, match="'age' has no tree"):
        GkAA().run(Task(2, (plain,), (KAnonymity(2),)))


@pytest.mark.parametrize("option", [{"metric": "dm"}, {"tie_break": "last"}, {"leaf_count": 2}])
def test_unknown_options_are_named(option: dict[str, Any]) -> None:
    with pytest.raises(PlanError, match=next(iter(option))):
        GkAA(**option)


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 1, 0], [1, 2, 0]])
def test_a_leftover_joins_the_nearest_class_and_not_the_last(order: list[int]) -> None:
    """A peer's clustering sends what is left over to its last cluster, however far away."""
    parts = [["v0"] * 4, ["v7"] * 4, ["v1"]]  # two classes of k rows, and one row beside the first
    values = [value for part in order for value in parts[part]]
    a = tree_axis("a", values, [[f"v{i}", f"g{i // 2}", f"h{i // 4}", "*"] for i in range(8)])
    found = GkAA().run(Task(9, (a,), (KAnonymity(4),)))
    assert found.n_classes == 2
    near, far = values.index("v0"), values.index("v7")
    assert found.of_row[values.index("v1")] == found.of_row[near] != found.of_row[far]
