"""Guided merging: the compiled one and its twin agree on every merge, for every rule and both scopes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paravent import kernels
from paravent.hierarchy.tree import Tree
from paravent.kernels.guided import RULES, Values, none_of
from paravent.kernels.merging import TreeCosts, merge
from tests.kernels.twins.guided import merge_guided_twin


def random_tree(rng: np.random.Generator, size: int) -> TreeCosts:
    group = np.sort(rng.integers(0, max(1, size // 2), size))
    tree = Tree.from_paths("t", [[f"v{i}", f"g{g}", f"h{g // 2}", "*"] for i, g in enumerate(group.tolist())])
    step = rng.integers(0, 4, tree.n_nodes)  # small weights, zero among them: many ties
    climb = np.zeros(tree.n_nodes, dtype=np.int64)
    for node in range(tree.n_nodes - 2, -1, -1):
        climb[node] = climb[tree.parent[node]] + step[node]
    return TreeCosts(tree.parent, tree.first, tree.last, climb)


def problem(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, list[TreeCosts], Values]:
    axes = [random_tree(rng, int(rng.integers(1, 8))) for _ in range(int(rng.integers(1, 4)))]
    widths = [int((costs.first == costs.last).sum()) for costs in axes]
    nodes = np.unique(np.stack([rng.integers(0, width, 25) for width in widths], axis=1), axis=0).astype(np.int32)
    sizes = rng.integers(1, 5, len(nodes)).astype(np.int64)
    q = int(rng.integers(1, 6))
    start, value, count = [0], [], []
    for size in sizes.tolist():
        found, times = np.unique(rng.integers(0, q, size), return_counts=True)
        value.extend(found.tolist())
        count.extend(times.tolist())
        start.append(len(value))
    values, counts = np.array(value, dtype=np.int32), np.array(count, dtype=np.int64)
    table = np.bincount(values, weights=counts, minlength=q).astype(np.int64)
    return nodes, sizes, axes, Values(np.array(start, dtype=np.int64), values, counts, table)


@settings(max_examples=300, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    rule=st.sampled_from(RULES),
    whole_table=st.booleans(),
    k=st.integers(1, 30),
    judged=st.booleans(),
)
def test_twins_agree(seed: int, rule: str, whole_table: bool, k: int, judged: bool) -> None:
    nodes, sizes, axes, values = problem(np.random.default_rng(seed))
    calls: list[list[tuple[int, int]]] = []

    def judge() -> dict[str, Any]:
        told: list[tuple[int, int]] = []
        calls.append(told)

        def holds(a: int, b: int) -> bool:
            told.append((a, b))
            return (a * 7 + b * 3) % 5 > 1

        return {"failing": np.arange(len(nodes)) % 3 == 0, "judge": holds} if judged else {}

    found = kernels.merge_guided(nodes, sizes, axes, values, rule=rule, whole_table=whole_table, k=k, **judge())
    asked = judge() or {"failing": np.zeros(len(nodes), dtype=np.uint8)}
    expected = merge_guided_twin(nodes, sizes, axes, values, rule=rule, whole_table=whole_table, k=k, **asked)
    for name, a, b in zip(found._fields, found, expected, strict=True):
        np.testing.assert_array_equal(a, b, err_msg=name)
    assert calls[0] == calls[1]


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), k=st.integers(1, 40))
def test_cost_alone_is_plain_merging(seed: int, k: int) -> None:
    nodes, sizes, axes, _ = problem(np.random.default_rng(seed))
    found = kernels.merge_guided(nodes, sizes, axes, none_of(len(nodes)), rule="cost", k=k)
    for name, a, b in zip(found._fields, found, merge(nodes, sizes, axes, k=k), strict=True):
        np.testing.assert_array_equal(a, b, err_msg=name)


def test_what_does_not_fit_is_refused() -> None:
    nodes, sizes, axes, values = problem(np.random.default_rng(1))
    with pytest.raises(ValueError, match="rule"):
        kernels.merge_guided(nodes, sizes, axes, values, rule="best")
    with pytest.raises(ValueError, match="sensitive value"):
        kernels.merge_guided(nodes, sizes, axes, none_of(len(nodes)), rule="l")
    with pytest.raises(ValueError, match="failing"):
        kernels.merge_guided(nodes, sizes, axes, values, rule="cost", failing=np.zeros(1, dtype=bool))
