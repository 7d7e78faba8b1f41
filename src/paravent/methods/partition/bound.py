"""How far from the optimum a partition is at most: a cost that no partition into classes of k rows goes below.

Classes with one label may be joined, so a partition opens labels that k rows or more share. Prices of rows bound its
cost if under no label the k dearest rows are priced above k times what the label costs (linear-programming duality:
then the rows of every class, k or more, pay at least their prices). `kernels.partition.row_prices` lets prices grow
until labels stop them. The bound is exact in whole numbers; it needs the labels of all nodes of the lattice of tree
levels, and where these are too many it stops growing at the cost from which on labels were not looked at: lower, but
true.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from paravent.hierarchy.tree import Tree
from paravent.kernels.lattice import PricedLevel
from paravent.kernels.partition import row_prices
from paravent.methods.partition.space import Space

_LOOKUPS = 600_000_000
"""Tuples looked up, nodes times tuples, before the bound is content with what it has."""
_LISTED = 300_000
"""Lattices of up to this many nodes are listed whole."""
_FAR = 2**61


@dataclass(frozen=True, eq=False)
class Bound:
    """No partition into classes of at least k rows costs less than `cost`. `prices` are those of each tuple's rows;
    `whole` tells whether the labels of all nodes were looked at. By as much as `slack` a cost may be rounded."""

    k: int
    cost: int
    prices: np.ndarray
    whole: bool
    slack: int = 0

    def gap(self, cost: int) -> float:
        """By how many percent of the bound a cost lies above it: 0 for an optimum that is proven; infinite where the
        bound is 0 and the cost is not."""
        cost += self.slack
        if cost <= self.cost:
            return 0.0
        return 100 * (cost / self.cost - 1) if self.cost else float("inf")

    def words(self, cost: int, metric: str) -> str:
        """What the bound says of a table of this cost."""
        kind = "dual ascent over all labels" if self.whole else "dual ascent over the cheapest labels"
        cost += self.slack
        if cost <= self.cost:
            return f"Optimal under {metric} ({kind})."
        if not self.cost:
            return f"No lower bound above 0 was found ({kind})."
        tenths = -(-(cost - self.cost) * 1000 // self.cost)  # rounded up
        return f"Within {tenths / 10:.1f} % of optimal under {metric} ({kind})."


def lower_bound(
    space: Space, k: int, *, lookups: int = _LOOKUPS, watch: Callable[[float], None] | None = None
) -> Bound:
    """The bound for the rows of a space.

    >>> import paravent as pv, polars as pl
    >>> from paravent.hierarchy.axis import Axis
    >>> from paravent.hierarchy.tree import Tree
    >>> from paravent.table.kinds import Kind
    >>> tree = Tree.from_paths("q", [["a", "ab", "*"], ["b", "ab", "*"], ["c", "c", "*"]])
    >>> axis = Axis("q", Kind.NOMINAL, np.array([0, 1, 2, 2], dtype=np.int32), tree.leaves, tree)
    >>> space = Space.of([axis], "ncp")
    >>> bound = lower_bound(space, 2)
    >>> float(bound.cost * space.unit)
    1.3333333333333333
    """
    priced_levels = [levels_of(tree, climb) for tree, climb in zip(space.trees, space.climb, strict=True)]
    leaves = [np.ascontiguousarray(space.leaves[:, j]) for j in range(len(priced_levels))]
    cheapest = [
        [int(level.cost[np.unique(column)].min()) for level in priced]
        for column, priced in zip(leaves, priced_levels, strict=True)
    ]
    nodes, least, end = by_least_cost(cheapest, max(64, lookups // max(len(space.weight), 1)))
    prices = row_prices(
        leaves,
        priced_levels,
        space.weight.astype(np.int32),
        nodes,
        least,
        end=_FAR if end is None else end,
        k=k,
        watch=watch,
    )
    most = sum(int(climb.max(initial=0)) for climb in space.climb)
    cost = sum(
        int(w) * int(p) for w, p in zip(space.weight.tolist(), (prices - (most - space.price)).tolist(), strict=True)
    )
    return Bound(k, max(cost - space.slack, 0), prices, end is None, space.slack)


def levels_of(tree: Tree, climb: np.ndarray) -> list[PricedLevel]:
    """The levels of a tree: on level h every leaf stands at its highest ancestor of level h or below, so that every
    node stands on its own level. A row costs there what the best leaf is worth more than the node."""
    best = int(climb.max(initial=0))
    node = np.arange(tree.n_leaves, dtype=np.int32)
    priced = []
    for height in range(tree.height):
        if height:
            parent = tree.parent[node]
            node = np.where((parent >= 0) & (tree.level[parent] <= height), parent, node).astype(np.int32)
        _, codes = np.unique(tree.first[node], return_inverse=True)
        priced.append(
            PricedLevel(codes.astype(np.int32).reshape(-1), int(codes.max()) + 1, (best - climb[node]).astype(np.int64))
        )
    return priced


def by_least_cost(cheapest: Sequence[Sequence[int]], most: int) -> tuple[np.ndarray, np.ndarray, int | None]:
    """The nodes of a lattice by what their labels cost at least, that cost, and what those left out cost at least (None
    where none is). Equal costs: the lowest level of the column that stands first."""
    shape = [len(costs) for costs in cheapest]
    if np.prod([float(n) for n in shape]) <= _LISTED:
        grid = np.stack([a.reshape(-1) for a in np.meshgrid(*map(np.arange, shape), indexing="ij")], axis=1)
        total = np.zeros(len(grid), dtype=np.int64)
        for j, costs in enumerate(cheapest):
            total += np.array(costs, dtype=np.int64)[grid[:, j]]
        order = np.argsort(total, kind="stable")
        nodes, least = grid[order].astype(np.int32), total[order]
        if len(nodes) <= most:
            return nodes, least, None
        return nodes[:most], least[:most], int(least[most])
    bottom = (0,) * len(shape)
    heap = [(sum(costs[0] for costs in cheapest), bottom)]
    seen = {bottom}
    found: list[tuple[int, ...]] = []
    total_of: list[int] = []
    while heap and len(found) < most:
        cost, node = heapq.heappop(heap)
        found.append(node)
        total_of.append(cost)
        for j, costs in enumerate(cheapest):
            if node[j] + 1 < len(costs):
                above = (*node[:j], node[j] + 1, *node[j + 1 :])
                if above not in seen:
                    seen.add(above)
                    heapq.heappush(heap, (cost + costs[node[j] + 1] - costs[node[j]], above))
    end = heap[0][0] if heap else None
    return np.array(found, dtype=np.int32), np.array(total_of, dtype=np.int64), end
