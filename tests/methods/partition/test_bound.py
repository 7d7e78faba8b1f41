"""The bound lies below every partition, and where the optimum is easy it meets it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paravent.methods.partition.bound import Bound, by_least_cost, levels_of, lower_bound
from paravent.methods.partition.search import Search
from paravent.methods.partition.space import Space

from ...generators.tasks import tree_axis
from .test_partitions import every_partition, small_space

seeds = st.integers(0, 2**32 - 1)


@settings(max_examples=300, deadline=None)
@given(seed=seeds, k=st.integers(1, 4), lookups=st.sampled_from([1, 700, 10**6]))
def test_no_partition_goes_below(seed: int, k: int, lookups: int) -> None:
    space = small_space(seed)
    k = min(k, space.n_rows)
    bound = lower_bound(space, k, lookups=lookups)
    optimum = space.most - every_partition(space, k)
    assert 0 <= bound.cost <= optimum
    if bound.cost:
        assert bound.gap(optimum) >= 0


@settings(max_examples=100, deadline=None)
@given(seed=seeds)
def test_one_class_is_known_to_be_needed(seed: int) -> None:
    """Where no two classes fit, the bound is the cost of the one class."""
    space = small_space(seed)
    bound = lower_bound(space, space.n_rows)
    assert bound.cost == space.cost(space.parts(np.zeros(space.n_rows, dtype=np.int32)))
    assert bound.whole


def test_tight_for_separate_groups() -> None:
    """Rows in pairs under different nodes: every row pays its pair's node, and the bound says so."""
    paths = [["a1", "a", "*"], ["a2", "a", "*"], ["b1", "b", "*"], ["b2", "b", "*"], ["c1", "c", "*"], ["c2", "c", "*"]]
    space = Space.of([tree_axis("q", ["a1", "a2", "b1", "b2", "c1", "c2"], paths)], "nllm")
    bound = lower_bound(space, 2)
    cost = space.cost(space.parts(np.array([0, 0, 1, 1, 2, 2], dtype=np.int32)))
    assert bound.cost == cost
    assert bound.gap(cost) == 0
    assert bound.words(cost, "NLLM") == "Optimal under NLLM (dual ascent over all labels)."
    assert bound.words(2 * cost, "NLLM").startswith("Within 100.0 % of optimal under NLLM")
    assert bound.words(10**6 * cost + 1, "NLLM").startswith("Within 99999908.4 %")  # never rounded down


def test_often_tight_on_small_tables() -> None:
    met = 0
    for seed in range(100):
        space = small_space(seed)
        met += lower_bound(space, min(2, space.n_rows)).cost == space.most - every_partition(
            space, min(2, space.n_rows)
        )
    assert met >= 50


def test_every_node_stands_on_some_level() -> None:
    for seed in range(40):
        space = small_space(seed)
        for tree, climb in zip(space.trees, space.climb, strict=True):
            if tree.n_leaves == 1:
                continue  # its root covers no more than its leaf
            found = set()
            for level in levels_of(tree, climb):
                for code in range(level.size):
                    inside = np.flatnonzero(level.codes == code)
                    node = int(tree.ancestor(inside[:1], inside[-1:])[0])
                    assert (tree.first[node], tree.last[node]) == (inside[0], inside[-1])
                    assert (level.cost[inside] == climb.max() - climb[node]).all()
                    found.add(node)
            assert found == set(range(tree.n_nodes))


def test_large_lattices_come_in_the_same_order(monkeypatch: pytest.MonkeyPatch) -> None:
    cheapest = [[0, 2, 7], [1, 1, 9, 12], [0, 5]]
    nodes, least, end = by_least_cost(cheapest, 10)
    assert end is not None
    monkeypatch.setattr("paravent.methods.partition.bound._LISTED", 0)
    again = by_least_cost(cheapest, 10)
    assert again[1].tolist() == least.tolist()
    assert again[2] == end
    assert by_least_cost(cheapest, 100)[2] is None
    assert len(np.unique(again[0], axis=0)) == len(nodes)


@settings(max_examples=60, deadline=None)
@given(seed=seeds, k=st.integers(1, 3))
def test_searches_stay_between_the_bound_and_their_start(seed: int, k: int) -> None:
    space = small_space(seed)
    k = min(k, space.n_rows)
    search = Search(space, k, "fast", seed=seed % 5)
    start = np.zeros(space.n_rows, dtype=np.int32)
    found, said = search.improved(start)
    assert np.unique(found, return_counts=True)[1].min() >= k
    optimum = space.most - every_partition(space, k)
    assert lower_bound(space, k).cost <= optimum <= search.cost(found) <= search.cost(start)
    assert bool(said) == (search.cost(found) < search.cost(start))


def test_costs_that_were_rounded_never_make_an_optimum() -> None:
    """Where a cost may lie a unit above what was counted, and the optimum a unit below."""
    exact = Bound(2, 1000, np.zeros(0), True)
    assert exact.words(1000, "NLLM").startswith("Optimal")
    assert exact.gap(1000) == 0
    rounded = Bound(2, 999, np.zeros(0), True, slack=1)
    assert rounded.words(1000, "NLLM").startswith("Within 0.3 % of optimal")
    assert rounded.gap(1000) > 0


def test_weights_of_many_digits_are_rounded_and_said_to_be() -> None:
    paths = [[f"v{i}", f"g{i // 3}", "*"] for i in range(97)]
    values = [[f"v{i}" for i in range(j, 90 + j)] for j in range(3)]
    weights = (0.7310585786300049, 0.9525741268224334, 0.1234567890123457)
    axes = [tree_axis(f"t{j}", values[j], paths, weights[j]) for j in range(3)]
    space = Space.of(axes, "distortion")
    assert space.slack > 0
    assert "Optimal" not in lower_bound(space, 2).words(space.most, "DISTORTION")
