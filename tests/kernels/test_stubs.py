"""Merging with stubs: the compiled one and its twin agree on every step, and every class has k rows in the end."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from paravent.hierarchy.tree import Tree
from paravent.kernels.merging import TreeCosts, merge
from paravent.kernels.stubs import StubMerges, merge_stubs
from tests.kernels.twins.merging import merge_stubs_twin


def random_tree(rng: np.random.Generator, size: int) -> TreeCosts:
    group = np.sort(rng.integers(0, max(1, size // 2), size))
    tree = Tree.from_paths("t", [[f"v{i}", f"g{g}", f"h{g // 2}", "*"] for i, g in enumerate(group.tolist())])
    step = rng.integers(0, 4, tree.n_nodes)  # small weights, zero among them: many ties
    climb = np.zeros(tree.n_nodes, dtype=np.int64)
    for node in range(tree.n_nodes - 2, -1, -1):
        climb[node] = climb[tree.parent[node]] + step[node]
    return TreeCosts(tree.parent, tree.first, tree.last, climb)


def problem(seed: int, largest: int = 20) -> tuple[np.ndarray, np.ndarray, list[TreeCosts]]:
    rng = np.random.default_rng(seed)
    axes = [random_tree(rng, int(rng.integers(1, 8))) for _ in range(int(rng.integers(1, 4)))]
    widths = [int((costs.first == costs.last).sum()) for costs in axes]
    nodes = np.unique(np.stack([rng.integers(0, width, 30) for width in widths], axis=1), axis=0).astype(np.int32)
    nodes = nodes[rng.permutation(len(nodes))]
    return nodes, rng.integers(1, largest, len(nodes)).astype(np.int64), axes


def sizes_after(steps: StubMerges, sizes: np.ndarray) -> list[int]:
    """The sizes of the classes that are left."""
    size, alive = sizes.tolist(), set(range(len(sizes)))
    for a, b, taken in zip(steps.left.tolist(), steps.right.tolist(), steps.taken.tolist(), strict=True):
        size.append(size[a] + (taken or size[b]))
        alive.remove(a)
        if taken:
            size[b] -= taken
        else:
            alive.remove(b)
        alive.add(len(size) - 1)
    return [size[c] for c in sorted(alive)]


@settings(max_examples=250, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), k=st.integers(1, 40))
def test_twins_agree(seed: int, k: int) -> None:
    nodes, sizes, axes = problem(seed)
    found = merge_stubs(nodes, sizes, axes, k=k)
    expected = merge_stubs_twin(nodes, sizes, axes, k=k)
    for name, a, b in zip(found._fields, found, expected, strict=True):
        np.testing.assert_array_equal(a, b, err_msg=name)


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), k=st.integers(1, 40))
def test_no_row_is_lost_and_classes_are_large_enough(seed: int, k: int) -> None:
    nodes, sizes, axes = problem(seed)
    left = sizes_after(merge_stubs(nodes, sizes, axes, k=k), sizes)
    assert sum(left) == sizes.sum()
    assert min(left) >= min(k, int(sizes.sum()))


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_where_no_class_has_rows_to_give_it_is_plain_merging(seed: int) -> None:
    """To make k = 2 of single rows, a partner would have to keep 2 of at least 3."""
    nodes, sizes, axes = problem(seed, largest=2)
    found, plain = merge_stubs(nodes, sizes, axes, k=2), merge(nodes, sizes, axes, k=2)
    first = int(np.flatnonzero(found.taken > 0)[0]) if found.taken.any() else len(found.left)
    same = min(first, len(plain.left))
    np.testing.assert_array_equal(found.left[:same], plain.left[:same])
    np.testing.assert_array_equal(found.cost[:same], plain.cost[:same])


def test_a_trunk_stays_and_gives_only_what_is_missing() -> None:
    """k = 3: one row of a joins ten of b, which give two and stay at their leaf."""
    tree = Tree.from_paths("t", [["a", "*"], ["b", "*"]])
    costs = TreeCosts(tree.parent, tree.first, tree.last, np.array([1, 1, 0], dtype=np.int64))
    nodes = np.array([[0], [1]], dtype=np.int32)
    found = merge_stubs(nodes, np.array([1, 10], dtype=np.int64), [costs], k=3)
    assert [x.tolist() for x in found] == [[0], [1], [3], [2]]
    assert sizes_after(found, np.array([1, 10])) == [8, 3]
    whole = merge_stubs(nodes, np.array([1, 4], dtype=np.int64), [costs], k=3)  # 4 < 2·3 − 1: it would not keep 3
    assert whole.taken.tolist() == [0]
