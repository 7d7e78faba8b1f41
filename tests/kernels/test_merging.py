"""Greedy merging: the compiled one and its twin agree on every merge, and costs add up."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paravent import kernels
from paravent.hierarchy.tree import Tree
from paravent.kernels.merging import TreeCosts
from tests.kernels.twins.merging import merge_twin


def random_tree(rng: np.random.Generator, size: int) -> TreeCosts:
    group = np.sort(rng.integers(0, max(1, size // 2), size))
    tree = Tree.from_paths("t", [[f"v{i}", f"g{g}", f"h{g // 2}", "*"] for i, g in enumerate(group.tolist())])
    step = rng.integers(0, 4, tree.n_nodes)  # small weights, zero among them: many ties
    climb = np.zeros(tree.n_nodes, dtype=np.int64)
    for node in range(tree.n_nodes - 2, -1, -1):
        climb[node] = climb[tree.parent[node]] + step[node]
    return TreeCosts(tree.parent, tree.first, tree.last, climb)


@settings(max_examples=250, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), k=st.integers(1, 60))
def test_twins_agree(seed: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    axes = [random_tree(rng, int(rng.integers(1, 8))) for _ in range(int(rng.integers(1, 5)))]
    widths = [int((costs.first == costs.last).sum()) for costs in axes]
    drawn = np.stack([rng.integers(0, width, 40) for width in widths], axis=1)
    nodes = np.unique(drawn, axis=0).astype(np.int32)
    nodes = nodes[rng.permutation(len(nodes))]
    sizes = rng.integers(1, 5, len(nodes)).astype(np.int64)
    found = kernels.merge(nodes, sizes, axes, k=k)
    expected = merge_twin(nodes, sizes, axes, k=k)
    for name, a, b in zip(found._fields, found, expected, strict=True):
        np.testing.assert_array_equal(a, b, err_msg=name)


def test_a_tree_whose_costs_fall_is_refused() -> None:
    tree = Tree.from_paths("t", [["a", "*"], ["b", "*"]])
    costs = TreeCosts(tree.parent, tree.first, tree.last, np.array([-1, 2, 0], dtype=np.int64))
    with pytest.raises(ValueError, match="costs"):
        kernels.merge(np.zeros((1, 1), dtype=np.int32), np.ones(1, dtype=np.int64), [costs], k=2)
