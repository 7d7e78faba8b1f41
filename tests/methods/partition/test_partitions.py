"""Groups, best halves and best partitions of small classes, against every possibility."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paravent as pv
from paravent.methods.partition.groups import Groups, minimal_groups
from paravent.methods.partition.hypergraph import costs, incidence
from paravent.methods.partition.solver import solved_partition
from paravent.methods.partition.space import Space
from paravent.methods.partition.two_parts import Split, best_halves, whole
from paravent.utility.cost import METRICS
from tests.kernels.twins.exact import best_partition

from ...generators.tasks import random_axis, tree_axis
from ...plain_trees import PlainTree
from ..conftest import oracle

SMALL = settings(max_examples=300, deadline=None)
ORACLE: dict[str, Any] = oracle("partitions")


def small_space(seed: int, most_rows: int = 9, metric: str | None = None) -> Space:
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(2, most_rows + 1))
    axes = [random_axis(rng, f"t{j}", rows, sizes=(2, 6)) for j in range(int(rng.integers(1, 4)))]
    return Space.of(axes, metric or str(rng.choice([*METRICS, "gcp"])))


def asked(space: Space) -> tuple[np.ndarray, np.ndarray]:
    return np.arange(len(space.weight)), space.weight


def subset_worths(space: Space) -> list[int]:
    """What each set of rows (as bits) keeps as one class."""
    of = np.repeat(np.arange(len(space.weight)), space.weight)
    n = len(of)
    bits = np.arange(1 << n)[:, None] >> np.arange(n) & 1 == 1
    worth = bits.sum(axis=1)
    each = np.zeros(1 << n, dtype=np.int64)
    for j, (tree, climb) in enumerate(zip(space.trees, space.climb, strict=True)):
        leaf = space.leaves[of, j]
        low = np.where(bits, leaf, tree.n_leaves - 1).min(axis=1)
        high = np.maximum(np.where(bits, leaf, 0).max(axis=1), low)
        each += climb[tree.ancestor(low, high)]
    return (worth * each).tolist()


def every_partition(space: Space, k: int) -> int:
    """What the best partition of the rows into parts of k or more keeps, all of them tried."""
    value = subset_worths(space)
    best: list[int | None] = [0]
    for mask in range(1, len(value)):
        lowest, sub, found = mask & -mask, mask, None
        while sub:
            if sub & lowest and sub.bit_count() >= k:
                rest = best[mask ^ sub]
                if rest is not None and (found is None or value[sub] + rest > found):
                    found = value[sub] + rest
            sub = (sub - 1) & mask
        best.append(found)
    assert best[-1] is not None
    return best[-1]


def every_pair(space: Space, k: int) -> int | None:
    value = subset_worths(space)
    everything = len(value) - 1
    kept = [
        value[mask] + value[everything ^ mask]
        for mask in range(1, everything)
        if min(mask.bit_count(), (everything ^ mask).bit_count()) >= k
    ]
    return max(kept, default=None)


def true_worth(space: Space, tuples: np.ndarray, split: Split) -> int:
    """What the parts keep under their own lowest labels."""
    labels = [space.label(tuples[taken > 0]) for taken in split.taken]
    return sum(int(space.worth(label[None, :])[0]) * int(t.sum()) for label, t in zip(labels, split.taken, strict=True))


def check(space: Space, split: Split, k: int) -> None:
    """Every row in one part, k rows in every part, and at least what is claimed kept."""
    assert split.taken.sum(axis=0).tolist() == space.weight.tolist()
    assert split.taken.sum(axis=1).min() >= k
    assert (split.taken >= 0).all()
    assert true_worth(space, np.arange(len(space.weight)), split) >= split.worth


def brute_groups(space: Space, k: int) -> set[tuple[int, ...]]:
    """All labels, one by one: those that are lowest over the rows they cover."""
    found = set()
    for label in itertools.product(*(range(tree.n_nodes) for tree in space.trees)):
        inside = np.ones(len(space.weight), dtype=bool)
        for j, tree in enumerate(space.trees):
            inside &= tree.is_ancestor(np.full(len(inside), label[j]), space.leaves[:, j])
        if inside.any() and space.weight[inside].sum() >= k:
            found.add(tuple(space.label(np.flatnonzero(inside)).tolist()))
    return found


@SMALL
@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
def test_groups_are_those_of_brute_force(seed: int, k: int) -> None:
    space = small_space(seed, 14)
    if space.n_rows < k:
        return
    groups = minimal_groups(space, *asked(space), k)
    found = [tuple(label) for label in groups.labels.tolist()]
    assert len(set(found)) == len(found)
    assert set(found) == brute_groups(space, k)
    assert groups.complete
    assert (np.diff(groups.rows) <= 0).all()
    for label, members, rows in zip(groups.labels, groups.members, groups.rows, strict=True):
        assert space.label(members).tolist() == label.tolist()
        assert int(space.weight[members].sum()) == rows


@SMALL
@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
def test_the_limit_keeps_the_groups_with_most_rows(seed: int, most: int) -> None:
    space = small_space(seed, 14)
    every, few = minimal_groups(space, *asked(space), 1), minimal_groups(space, *asked(space), 1, most=most)
    assert few.rows.tolist() == every.rows[:most].tolist()
    assert few.complete == (len(every.rows) <= most)


@SMALL
@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
def test_halves_are_the_best_of_all(seed: int, k: int) -> None:
    space = small_space(seed)
    groups = minimal_groups(space, *asked(space), k)
    found, best = best_halves(space, *asked(space), groups, k), every_pair(space, k)
    if space.n_rows < 2 * k:
        assert found is None
        assert best is None
        return
    one = whole(space, *asked(space)).worth
    if found is None or best is None:
        assert best is None or best == one  # every two parts have the label of the whole
        return
    check(space, found, k)
    assert max(found.worth, one) == max(best, one)


@SMALL
@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
def test_own_search_finds_the_best_of_all_partitions(seed: int, k: int) -> None:
    space = small_space(seed)
    if space.n_rows < k:
        return
    groups = minimal_groups(space, *asked(space), k)
    found, proved = best_partition(space.weight, groups, k, whole(space, *asked(space)), nodes=100_000)
    assert proved
    check(space, found, k)
    assert found.worth == every_partition(space, k)


@SMALL
@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(0, 6))
def test_a_search_that_is_cut_short_is_never_worse_than_its_start(seed: int, k: int, nodes: int) -> None:
    space = small_space(seed, 20)
    if space.n_rows < k:
        return
    groups = minimal_groups(space, *asked(space), k)
    start = whole(space, *asked(space))
    found, _ = best_partition(space.weight, groups, k, start, nodes=nodes)
    check(space, found, k)
    assert found.worth >= start.worth


@SMALL
@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
def test_the_solver_finds_the_best_of_all_partitions(seed: int, k: int) -> None:
    pytest.importorskip("ortools")
    space = small_space(seed)
    if space.n_rows < k:
        return
    groups = minimal_groups(space, *asked(space), k)
    found, proved = solved_partition(space.weight, groups, k, whole(space, *asked(space)), effort=5)
    assert proved
    check(space, found, k)
    assert found.worth == every_partition(space, k)


def test_example_5_1_2() -> None:
    """Ten groups, three of them minimal, and the matrices of §5.2; a3 is in its tree and not in the table."""
    example = ORACLE["groups"]
    axes = [tree_axis(name, example["rows"][name], example["trees"][name]) for name in ("a", "b")]
    trees = [PlainTree(example["trees"][name]) for name in ("a", "b")]
    rows = list(zip(example["rows"]["a"], example["rows"]["b"], strict=True))
    covered = [any(v in x and w in y for v, w in rows) for x, y in itertools.product(*(tree.nodes for tree in trees))]
    assert sum(covered) == example["non_empty"]
    space = Space.of(axes, example["weights"])
    groups = minimal_groups(space, *asked(space))
    named = [[tree.labels[node] for tree, node in zip(space.trees, label, strict=True)] for label in groups.labels]
    order = [named.index(label) for label in example["minimal"]]
    assert len(named) == len(example["minimal"])
    assert incidence(groups, 2)[:, order].astype(int).tolist() == example["incidence"]
    found = costs(space, np.arange(2), groups)[:, order]
    assert [[int(x * space.unit) for x in row] for row in found.tolist()] == example["costs"]


@pytest.mark.parametrize("method", ["GkAA", "GAA", "GkPk", "G3kPk", "G2kPkConv", "Polish", "KMember", "KACA"])
def test_the_two_rows_of_example_5_1_2_are_published_together(method: str) -> None:
    """As it is printed: (a12, b12), at a cost of 14 of 20."""
    example = ORACLE["groups"]
    frame = pl.DataFrame(example["rows"])
    nested = {"a": {"a123": [{"a12": ["a1", "a2"]}, "a3"]}, "b": {"b12": ["b1", "b2"]}}
    roles = {name: pv.Quasi(pv.groups(under)) for name, under in nested.items()}
    plan = pv.Plan(roles, [pv.KAnonymity(2)], getattr(pv.methods, method)(metric=example["weights"]))
    release = pv.anonymize(frame, plan)
    assert release.frame.rows() == [("a12", "b12")] * 2
    sweep = pv.k_sweep(frame, plan, pv.methods.GkAA(metric=example["weights"]), ks=[2])
    assert sweep.alteration(2) == 100 * 14 / 20
    if method in ("GkAA", "GAA"):
        assert "at a cost of 14 units" in " ".join(release.trace)


def test_a_hypergraph_is_written_as_its_incidence_matrix() -> None:
    edges = [np.array([v - 1 for v in edge]) for edge in ORACLE["hypergraph"]["edges"]]
    zeros = np.zeros(len(edges), dtype=np.int64)
    groups = Groups(np.zeros((len(edges), 1), dtype=np.int32), edges, zeros, zeros, True)
    assert incidence(groups, 4).astype(int).tolist() == ORACLE["hypergraph"]["incidence"]


def test_a_start_that_cannot_be_bettered_is_kept() -> None:
    """Three rows and k = 2: one class, or a row too few."""
    pytest.importorskip("ortools")
    space = Space.of([tree_axis("x", ["a", "b", "c"], [["a", "*"], ["b", "*"], ["c", "*"]])], "gcp")
    start = whole(space, *asked(space))
    found, proved = solved_partition(space.weight, minimal_groups(space, *asked(space), 2), 2, start, effort=5)
    assert found is start
    assert proved
