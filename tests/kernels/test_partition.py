"""Partitions: kernels equal their twins, keep exact books, never fall below k and never end worse than they began."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paravent.kernels import PricedLevel, TreeCosts
from paravent.kernels.partition import cover_search, row_prices
from tests.kernels.twins.partition import cover_twin, prices_twin

seeds = st.integers(0, 2**32 - 1)


def tree(rng: np.random.Generator, leaves: int) -> tuple[TreeCosts, list[np.ndarray]]:
    """Runs of one to three nodes get a parent, level by level, with steps of random cost; and the levels."""
    first, last, parent, step = list(range(leaves)), list(range(leaves)), [-1] * leaves, [0] * leaves
    row, levels = list(range(leaves)), [list(range(leaves))]
    while len(row) > 1 or len(levels) == 1:
        above: list[int] = []
        at = 0
        while at < len(row):
            take = min(int(rng.integers(1, 4)) if len(row) > 3 else len(row), len(row) - at)
            if take == 1 and len(row) > 1:
                above.append(row[at])
            else:
                node = len(parent)
                parent.append(-1)
                step.append(0)
                first.append(first[row[at]])
                last.append(last[row[at + take - 1]])
                for child in row[at : at + take]:
                    parent[child], step[child] = node, int(rng.integers(0, 50))
                above.append(node)
            at += take
        row = above
        levels.append([next(node for node in row if first[node] <= leaf <= last[node]) for leaf in range(leaves)])
    climb = np.zeros(len(parent), dtype=np.int64)
    for node in range(len(parent) - 2, -1, -1):
        climb[node] = climb[parent[node]] + step[node]
    arrays = (np.array(x, dtype=np.int32) for x in (parent, first, last))
    return TreeCosts(*arrays, climb), [np.array(level) for level in levels]


class Case(NamedTuple):
    leaves: np.ndarray
    axes: list[TreeCosts]
    priced_levels: list[list[PricedLevel]]
    k: int
    rng: np.random.Generator


def case(seed: int, rows: int = 24) -> Case:
    rng = np.random.default_rng(seed)
    found = [tree(rng, int(rng.integers(1, 7))) for _ in range(int(rng.integers(1, 4)))]
    n = int(rng.integers(2, rows))
    leaves = np.stack([rng.integers(0, a.last[-1] + 1, n) for a, _ in found], axis=1).astype(np.int32)
    leaves = leaves[np.lexsort(leaves.T[::-1])]
    priced_levels = []
    for axis, levels in found:
        priced = []
        for level in levels:
            _, codes = np.unique(level, return_inverse=True)
            cost = int(axis.climb.max()) - axis.climb[level]
            priced.append(PricedLevel(codes.astype(np.int32).reshape(-1), int(codes.max()) + 1, cost))
        priced_levels.append(priced)
    return Case(leaves, [axis for axis, _ in found], priced_levels, int(rng.integers(1, max(2, n // 2))), rng)


def kept(c: Case, of_row: np.ndarray) -> int:
    """What classes keep at their lowest labels."""
    total = 0
    for part in np.unique(of_row):
        rows = c.leaves[of_row == part]
        for j, axis in enumerate(c.axes):
            node = int(rows[:, j].min())
            while axis.last[node] < rows[:, j].max():
                node = int(axis.parent[node])
            total += len(rows) * int(axis.climb[node])
    return total


def lattice(c: Case) -> tuple[np.ndarray, np.ndarray]:
    nodes = np.array(list(product(*(range(len(own)) for own in c.priced_levels))), dtype=np.int32)
    cheapest = [[int(level.cost.min()) for level in own] for own in c.priced_levels]
    least = np.array([sum(cheapest[j][level] for j, level in enumerate(node)) for node in nodes.tolist()])
    order = np.argsort(least, kind="stable")
    return nodes[order], least[order].astype(np.int64)


def folded(c: Case) -> tuple[list[np.ndarray], np.ndarray]:
    tuples, weight = np.unique(c.leaves, axis=0, return_counts=True)
    return [np.ascontiguousarray(column) for column in tuples.T], weight.astype(np.int32)


def random_labels(c: Case, count: int) -> np.ndarray:
    found = [[int(c.rng.integers(len(axis.parent))) for axis in c.axes] for _ in range(count)]
    return np.array(found, dtype=np.int32).reshape(count, len(c.axes))


@settings(max_examples=300, deadline=None)
@given(seed=seeds, count=st.integers(0, 8))
def test_reading_labels_equals_twin(seed: int, count: int) -> None:
    c = case(seed)
    labels = random_labels(c, count)
    found = cover_search(c.leaves, c.axes, labels, k=c.k, proposals=0)
    of_row, opened, worth = cover_twin(c.leaves, c.axes, labels, k=c.k)
    np.testing.assert_array_equal(found.of_row, of_row)
    np.testing.assert_array_equal(found.labels, opened)
    assert found.worth == worth


@settings(max_examples=150, deadline=None)
@given(seed=seeds)
def test_covers_keep_their_books(seed: int) -> None:
    c = case(seed)
    labels = random_labels(c, 3)
    begun = cover_search(c.leaves, c.axes, labels, k=c.k, proposals=0)
    found = cover_search(c.leaves, c.axes, labels, k=c.k, proposals=300, seed=seed)
    assert np.bincount(found.of_row).min() >= c.k
    for number, label in enumerate(found.labels.tolist()):
        for j, (axis, node) in enumerate(zip(c.axes, label, strict=True)):
            inside = c.leaves[found.of_row == number, j]
            assert axis.first[node] <= inside.min() <= inside.max() <= axis.last[node]
    assert begun.worth <= found.worth <= kept(c, found.of_row)


@settings(max_examples=200, deadline=None)
@given(seed=seeds, share=st.floats(0, 1))
def test_prices_equal_their_twin_and_no_label_is_overpaid(seed: int, share: float) -> None:
    c = case(seed)
    leaves, weight = folded(c)
    nodes, least = lattice(c)
    listed = max(1, int(share * len(nodes)))
    end = int(least[listed]) if listed < len(nodes) else 2**60
    asked = {"end": end, "k": c.k}
    price = row_prices(leaves, c.priced_levels, weight, nodes[:listed], least[:listed], **asked)
    np.testing.assert_array_equal(
        price, prices_twin(leaves, c.priced_levels, weight, nodes[:listed], least[:listed], **asked)
    )
    for node in nodes.tolist():  # those that were not listed too
        priced = [own[level] for own, level in zip(c.priced_levels, node, strict=True)]
        cells = np.stack([level.codes[column] for level, column in zip(priced, leaves, strict=True)], axis=1)
        for label in np.unique(cells, axis=0):
            members = np.flatnonzero((cells == label).all(axis=1))
            dearest = sorted(np.repeat(price[members], weight[members]).tolist(), reverse=True)[: c.k]
            cost = sum(int(level.cost[column[members[0]]]) for level, column in zip(priced, leaves, strict=True))
            assert len(dearest) < c.k or sum(dearest) <= c.k * cost


def test_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    c = case(11, rows=200)
    found = []
    for threads in ("1", "3"):
        monkeypatch.setenv("PARAVENT_THREADS", threads)
        cover = cover_search(
            c.leaves, c.axes, random_labels(c._replace(rng=np.random.default_rng(1)), 4), k=c.k, proposals=500, chains=3
        )
        found.append(cover.of_row.tolist())
    assert found[0] == found[1]


def test_nonsense_is_refused() -> None:
    c = case(3)
    with pytest.raises(ValueError, match="at least k rows"):
        cover_search(c.leaves, c.axes, random_labels(c, 1), k=len(c.leaves) + 1, proposals=0)
    with pytest.raises(ValueError, match="one node a column"):
        cover_search(c.leaves, c.axes, np.zeros((1, 9), dtype=np.int32), k=1, proposals=0)
    leaves, weight = folded(c)
    nodes, least = lattice(c)
    with pytest.raises(ValueError, match="in the order of their costs"):
        row_prices(leaves, c.priced_levels, weight, nodes, least, end=-1, k=1)
