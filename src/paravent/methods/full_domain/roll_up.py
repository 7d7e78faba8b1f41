"""Class tables of lattice nodes: each node is counted on the smallest table below it that is at hand.

On a node, tuples with equal labels are one class, and every node above joins whole classes. So a table of one tuple a
class, with the rows it stands for, serves all nodes above (roll-up, LeFevre et al. 2005). Tables are kept while there
is room, the one unused for longest goes first.
"""

from __future__ import annotations

from collections import OrderedDict

import numpy as np

from paravent import kernels
from paravent.kernels import Asked, Outliers, Tuples

_WORTH = 12
"""Nodes for which a table is made: folding takes as long as counting a few."""
_SMALL = 2000
"""Tables of fewer tuples are not rolled up."""
_SMALLER = 0.6
"""A table is kept when it has at most this share of the tuples that it was made of."""
_TABLE = 4096
"""What a table takes beside its arrays, in bytes."""

Node = tuple[int, ...]


class RollUp:
    """Counts nodes of the lattice over some tuples, with tables of up to `room` bytes. Classes are `asked` something
    beside k, where that is given."""

    def __init__(self, tuples: Tuples, *, room: int, asked: Asked | None = None):
        self.bottom, self.asked = tuples, asked
        self.room = room
        self.used = 0
        self.evicted = 0
        self._tables: OrderedDict[Node, Tuples] = OrderedDict()

    def outliers(self, nodes: np.ndarray, *, k: int, limit: int, sizes: bool = False, areas: bool = False) -> Outliers:
        """As `kernels.outliers` of the bottom table."""
        asked = nodes.astype(np.int32)
        table = self._table_for(asked)
        return kernels.outliers(table, asked, k=k, limit=limit, sizes=sizes, areas=areas, asked=self.asked)

    def _table_for(self, nodes: np.ndarray) -> Tuples:
        meet: Node = tuple(nodes.min(axis=0).tolist())
        below = [node for node in self._tables if all(a <= b for a, b in zip(node, meet, strict=True))]
        nearest = min(below, key=lambda node: len(self._tables[node]), default=None)
        table = self.bottom
        if nearest is not None:
            self._tables.move_to_end(nearest)
            table = self._tables[nearest]
        if len(nodes) < _WORTH or len(table) < _SMALL or meet == nearest or not any(meet):
            return table
        made = table.rolled_up(meet)
        if len(made) > _SMALLER * len(table) or not self._keep(meet, made):
            return table
        return made

    def _keep(self, node: Node, table: Tuples) -> bool:
        size = table.nbytes + _TABLE
        if size > self.room:
            return False
        while self.used + size > self.room:
            _, gone = self._tables.popitem(last=False)
            self.used -= gone.nbytes + _TABLE
            self.evicted += 1
        self._tables[node] = table
        self.used += size
        return True
