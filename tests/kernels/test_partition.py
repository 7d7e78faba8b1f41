"""Prices of rows equal their twin, and no label is overpaid."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paravent.kernels import PricedLevel, TreeCosts
from paravent.kernels.partition import row_prices
from tests.kernels.twins.partition import prices_twin

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


def lattice(c: Case) -> tuple[np.ndarray, np.ndarray]:
    nodes = np.array(list(product(*(range(len(own)) for own in c.priced_levels))), dtype=np.int32)
    cheapest = [[int(level.cost.min()) for level in own] for own in c.priced_levels]
    least = np.array([sum(cheapest[j][level] for j, level in enumerate(node)) for node in nodes.tolist()])
    order = np.argsort(least, kind="stable")
    return nodes[order], least[order].astype(np.int64)


def folded(c: Case) -> tuple[list[np.ndarray], np.ndarray]:
    tuples, weight = np.unique(c.leaves, axis=0, return_counts=True)
    return [np.ascontiguousarray(column) for column in tuples.T], weight.astype(np.int32)


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


def test_nonsense_is_refused() -> None:
    c = case(3)
    leaves, weight = folded(c)
    nodes, least = lattice(c)
    with pytest.raises(ValueError, match="in the order of their costs"):
        row_prices(leaves, c.priced_levels, weight, nodes, least, end=-1, k=1)
