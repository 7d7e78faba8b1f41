"""Lattice: the node that holds and costs least, of all ways to put every column on a level of its own.

None of the prices looks further than at the levels and at how many rows are left out, which cost as much as rows that
say nothing:

- `best`: what cells cost, mean over columns;
- `even`: the same with all leaves of the trees, as a geometric mean over columns;
- `raised`: levels that cells are raised by;
- `lowest`: the sum of levels alone.

Ties: what cells cost, then the sum of levels, then the lowest level of the first column. Of a lattice that is too large
to be looked at whole, levels are passed over that differ least in cost from the one below.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

import numpy as np

from paravent import kernels
from paravent.knowledge.collapse.chains import Node
from paravent.knowledge.collapse.column import Column
from paravent.knowledge.collapse.folded import FoldedTable
from paravent.methods.full_domain.levels import covered_share

PRICES = ("best", "even", "raised", "lowest")
_MOST_NODES, _MOST_COUNTED = 2_000, 4_000_000
_DIGITS = 12


@dataclass(frozen=True, eq=False)
class Lattice:
    """The lattice of a folded table, of which `levels` are looked at, by column."""

    table: FoldedTable
    levels: tuple[tuple[int, ...], ...]
    _outside: dict[int, np.ndarray] = field(default_factory=dict)
    _lower: dict[tuple[int, Node], int] = field(default_factory=dict)
    _found: dict[tuple[int, int], Mapping[str, Node]] = field(default_factory=dict)

    @classmethod
    def of(cls, table: FoldedTable) -> Lattice:
        """With so many levels as can be looked at together."""
        most = max(1, min(_MOST_NODES, _MOST_COUNTED // len(table)))
        levels = [list(range(column.top + 1)) for column in table.columns]
        while prod(map(len, levels)) > most:
            j = max(range(len(levels)), key=lambda j: (len(levels[j]), table.columns[j].sizes[0], -j))
            del levels[j][_least_told(table.columns[j], levels[j])]
        return cls(table, tuple(map(tuple, levels)))

    def cheapest(self, k: int, limit: int) -> Mapping[str, Node]:
        """The node of each price, for classes of k rows and so many rows that may be left out."""
        if (k, limit) not in self._found:
            self._found[k, limit] = self._cheapest(k, limit)
        return self._found[k, limit]

    def _cheapest(self, k: int, limit: int) -> Mapping[str, Node]:
        if k not in self._outside:
            self._outside[k] = self._rows_below(self._nodes, k)
        holds = self._outside[k] <= limit
        nodes, gone = self._nodes[holds], self._outside[k][holds]
        if not len(nodes):
            return dict.fromkeys(PRICES, tuple(column.top for column in self.table.columns))
        return {name: self._lowered(name, self._first(name, nodes, gone), k, limit) for name in PRICES}

    @cached_property
    def _nodes(self) -> np.ndarray:
        grids = np.meshgrid(*self.levels, indexing="ij")
        return np.stack([grid.ravel() for grid in grids], axis=1).astype(np.int32)

    def _rows_below(self, nodes: np.ndarray, k: int) -> np.ndarray:
        return kernels.outliers(self.table.tuples, nodes, k=k, limit=self.table.rows, costs=False).rows

    def _first(self, name: str, nodes: np.ndarray, gone: np.ndarray) -> Node:
        """The node that costs least by a price."""
        return tuple(nodes[self._order(name, nodes, gone)[0]].tolist())

    def _order(self, name: str, nodes: np.ndarray, gone: np.ndarray) -> np.ndarray:
        prices = [
            np.round(price, _DIGITS) for price in (self._price(name, nodes, gone), self._price("best", nodes, gone))
        ]
        return np.lexsort((*nodes.T[::-1], nodes.sum(axis=1), *prices[::-1]))

    def _lowered(self, name: str, node: Node, k: int, limit: int) -> Node:
        """From a node by levels that were passed over: one level down again, as long as it holds and costs less."""
        while True:
            nodes = [node, *((*node[:j], at - 1, *node[j + 1 :]) for j, at in enumerate(node) if at)]
            fresh = [one for one in nodes if (k, one) not in self._lower]
            if fresh:
                rows = self._rows_below(np.array(fresh, dtype=np.int32), k).tolist()
                self._lower.update(((k, one), gone) for one, gone in zip(fresh, rows, strict=True))
            below, gone = np.array(nodes, dtype=np.int32), np.array([self._lower[k, one] for one in nodes])
            holds = np.append(True, gone[1:] <= limit)
            lower = self._first(name, below[holds], gone[holds])
            if lower == node:
                return node
            node = lower

    def _price(self, name: str, nodes: np.ndarray, gone: np.ndarray) -> np.ndarray:
        left_out, shares = (gone / self.table.rows)[:, None], self.table.shares
        if name == "lowest":
            return np.asarray(nodes.sum(axis=1), dtype=float)
        if name == "raised":
            tops = np.array([column.top for column in self.table.columns])
            return np.asarray((nodes * (1 - left_out) + tops * left_out) @ shares)
        cost = self._kept if name == "best" else self._of_leaves
        kept = np.stack([own[nodes[:, j]] for j, own in enumerate(cost)], axis=1)
        lost = kept + left_out * (1 - kept)
        return np.asarray(lost @ shares if name == "best" else np.log1p(lost) @ shares)

    @cached_property
    def _kept(self) -> list[np.ndarray]:
        return [column.kept for column in self.table.columns]

    @cached_property
    def _of_leaves(self) -> list[np.ndarray]:
        """What all cells of each column cost, level by level, where all leaves of its tree count."""
        found = []
        for column in self.table.columns:
            counts = column.axis.counts
            leaves = covered_share(column.axis, all_leaves=True) if column.has_tree else column.cost
            found.append(np.array([float(counts @ share) for share in leaves]) / counts.sum())
        return found


def _least_told(column: Column, levels: list[int]) -> int:
    """The place of the level that differs least in cost from the one below; the lowest of two."""
    if len(levels) == 2:
        return 0
    steps = np.diff(column.kept[levels])[:-1]
    return 1 + int(np.argmin(steps))
