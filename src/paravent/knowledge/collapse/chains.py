"""Chains: fixed ways in which the columns of a table go up, from nothing raised to everything at its root.

Every node of a chain lies above the one before, so that classes only join, and the first node that holds is found by
halving. None of the chains looks at k. Ties: the column that stands first.

- `values`: the column with the most different labels first, as Datafly goes;
- `bits`: the one with the highest entropy first;
- `cheap`: the one that costs least on its next level first;
- `worth`: the one that gives up most entropy for what it costs first;
- `step`: all columns in step, each by its share of levels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from paravent import kernels
from paravent.knowledge.collapse.column import Column
from paravent.knowledge.collapse.folded import FoldedTable

Node = tuple[int, ...]
_TINY = 1e-9


@dataclass(frozen=True, eq=False)
class Chains:
    """The chains of a folded table, and which of their nodes hold at a k with so many rows left out."""

    table: FoldedTable
    _known: dict[tuple[Node, int, int], bool] = field(default_factory=dict)

    @cached_property
    def all(self) -> Mapping[str, Sequence[Node]]:
        """Every chain by its name."""
        columns, shares = self.table.columns, self.table.shares
        raises: dict[str, Callable[[int, Column, int], float]] = {
            "values": lambda j, column, at: column.sizes[at],  # noqa: ARG005
            "bits": lambda j, column, at: column.bits[at],  # noqa: ARG005
            "cheap": lambda j, column, at: -shares[j] * column.kept[at + 1],
            "worth": lambda j, column, at: _worth(shares[j], column, at),
        }
        found: dict[str, Sequence[Node]] = {name: _raised(columns, first) for name, first in raises.items()}
        return {**found, "step": _in_step([column.top for column in columns])}

    def holds(self, node: Node, k: int, limit: int) -> bool:
        """Whether no more than `limit` rows lie in classes below k."""
        if (node, k, limit) not in self._known:
            asked = np.array([node], dtype=np.int32)
            found = kernels.outliers(self.table.tuples, asked, k=k, limit=limit, costs=False)
            self._known[node, k, limit] = int(found.rows[0]) <= limit
        return self._known[node, k, limit]

    def first(self, name: str, k: int, limit: int) -> Node:
        """The first node of a chain that holds; the last, where none does."""
        chain = self.all[name]
        low, high = 0, len(chain) - 1
        while low < high:
            middle = (low + high) // 2
            if self.holds(chain[middle], k, limit):
                high = middle
            else:
                low = middle + 1
        return chain[low]

    def lowered(self, k: int, limit: int) -> Node:
        """The cheapest of the nodes that the chains come to, and from there one level down again, what saves most
        first, as long as it holds."""
        node = min((self.first(name, k, limit) for name in self.all), key=lambda node: (self.cost(node), node))
        while True:
            saved = [(self.cost(node) - self.cost(below), -j, below) for j, below in _below(node)]
            held = (below for _, _, below in sorted(saved, reverse=True) if self.holds(below, k, limit))
            lower = next(held, None)
            if lower is None:
                return node
            node = lower

    def cost(self, node: Node) -> float:
        """What the cells cost at a node."""
        kept = [column.kept[at] for column, at in zip(self.table.columns, node, strict=True)]
        return float(self.table.shares @ np.array(kept))


def _below(node: Node) -> Sequence[tuple[int, Node]]:
    return [(j, (*node[:j], at - 1, *node[j + 1 :])) for j, at in enumerate(node) if at]


def _worth(share: float, column: Column, at: int) -> float:
    given = column.bits[at] - column.bits[at + 1] + _TINY
    return float(given / (share * (column.kept[at + 1] - column.kept[at]) + _TINY))


def _raised(columns: Sequence[Column], first: Callable[[int, Column, int], float]) -> Sequence[Node]:
    """One level at a time, of the column that `first` puts highest."""
    node = [0] * len(columns)
    found = [tuple(node)]
    while True:
        free = [j for j, column in enumerate(columns) if node[j] < column.top]
        if not free:
            return found
        node[max(free, key=lambda j: (first(j, columns[j], node[j]), -j))] += 1
        found.append(tuple(node))


def _in_step(tops: Sequence[int]) -> Sequence[Node]:
    found: list[Node] = []
    for step in range(sum(tops) + 1):
        node = tuple((2 * top * step + sum(tops)) // (2 * max(1, sum(tops))) for top in tops)
        if not found or node != found[-1]:
            found.append(node)
    return found
