"""Which labels local recoding looks at: the levels of every column with their costs, and combinations of levels."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from math import prod

import numpy as np

from paravent.kernels import CutAxis, PricedLevel, Style
from paravent.methods.method import Axis

_LISTED = 300_000
"""Lattices of up to this many nodes are listed whole."""
CHEAP = 0.7
"""The share of the nodes that are the cheapest ones; the others lie evenly between them and the top."""


def levels_of(axis: Axis, cut: CutAxis) -> list[PricedLevel]:
    """The levels of a column, from its values to nothing: those of its tree, or its values by twos, fours, …"""
    n = len(axis)
    codes = np.arange(n, dtype=np.int32)
    if cut.style is Style.TREE:
        assert axis.tree is not None
        found = [level.codes.astype(np.int32) for level in axis.tree.levels]
    else:
        found = [codes >> step for step in range(max(1, (n - 1).bit_length()))]
    if found[-1].max(initial=0) > 0:
        found.append(np.zeros(n, dtype=np.int32))
    return [
        PricedLevel(np.ascontiguousarray(level), int(level.max(initial=0)) + 1, _cost(axis, cut, level))
        for level in found
    ]


def _cost(axis: Axis, cut: CutAxis, level: np.ndarray) -> np.ndarray:
    """What each value costs on a level whose codes ascend."""
    start = np.flatnonzero(np.r_[True, level[1:] != level[:-1]])
    low, high = start, np.r_[start[1:], len(level)] - 1
    if cut.style is Style.TREE:
        assert axis.tree is not None
        each = cut.node_cost[axis.tree.ancestor(low.astype(np.int32), high.astype(np.int32))]
    elif cut.style is Style.SPAN:
        each = cut.ruler[high] - cut.ruler[low]
    else:
        each = cut.unit * (high - low)
    return np.repeat(each, high - low + 1).astype(np.int64)


def is_listed(priced_levels: Sequence[Sequence[PricedLevel]]) -> bool:
    """Whether all nodes of the lattice are looked at."""
    return prod(len(priced) for priced in priced_levels) <= _LISTED


def label_nodes(
    leaves: Sequence[np.ndarray],
    priced_levels: Sequence[Sequence[PricedLevel]],
    weight: np.ndarray,
    most: int,
    tried: np.ndarray | None = None,
) -> np.ndarray:
    """Up to about `most` nodes of the lattice (levels by column), by what they cost the table, the top last.

    Of a lattice too large to be listed, hardly any of the cheap nodes joins k rows: there the nodes `tried` elsewhere
    (the most useful first) take their place. Equal costs: the lowest level of the column that stands first."""
    costs = [
        np.array([float(weight @ level.cost[column]) for level in priced]) / weight.sum()
        for column, priced in zip(leaves, priced_levels, strict=True)
    ]
    shape = [len(cost) for cost in costs]
    top = np.array(shape) - 1
    listed = is_listed(priced_levels)
    if tried is not None and not listed:
        nodes = tried[:most].astype(np.int64)
        total = np.asarray(sum(cost[nodes[:, j]] for j, cost in enumerate(costs)))
        nodes = nodes[np.argsort(total, kind="stable")]
    elif listed:
        nodes = np.stack([axis.reshape(-1) for axis in np.meshgrid(*map(np.arange, shape), indexing="ij")], axis=1)
        total = sum(cost[nodes[:, j]] for j, cost in enumerate(costs))
        nodes = nodes[np.argsort(total, kind="stable")]
    else:
        nodes = _cheapest(costs, 2 * most)
    nodes = nodes[~(nodes == top).all(axis=1)]
    if len(nodes) > most:
        cheap = int(most * CHEAP)
        spread = np.unique(np.linspace(cheap, len(nodes) - 1, most - cheap).astype(np.int64))
        nodes = nodes[np.r_[np.arange(cheap), spread]]
    return np.vstack([nodes, top]).astype(np.int32)


def _cheapest(costs: Sequence[np.ndarray], most: int) -> np.ndarray:
    """The cheapest nodes of a lattice too large to be listed, and steps from the cheapest column up to the top."""
    bottom = (0,) * len(costs)
    heap, seen = [(0.0, bottom)], {bottom}
    found: list[tuple[int, ...]] = []
    while heap and len(found) < most:
        total, node = heapq.heappop(heap)
        found.append(node)
        for j, cost in enumerate(costs):
            if node[j] + 1 < len(cost):
                above = (*node[:j], node[j] + 1, *node[j + 1 :])
                if above not in seen:
                    seen.add(above)
                    heapq.heappush(heap, (total + float(cost[node[j] + 1] - cost[node[j]]), above))
    at = list(found[-1])
    while True:
        steps = [(float(c[at[j] + 1] - c[at[j]]), j) for j, c in enumerate(costs) if at[j] + 1 < len(c)]
        if not steps:
            return np.array(found, dtype=np.int64)
        at[min(steps)[1]] += 1
        found.append(tuple(at))
