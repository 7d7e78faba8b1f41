"""Outliers below a node of the lattice, where only some columns are on lower levels.

Every class of such a node lies within a class of the upper one. What is an outlier there is one here too, and the rest
are told apart by their class there and by the values in the columns that differ: few distinct tuples, folded once for
all combinations of the levels of these columns.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from paravent import kernels
from paravent.kernels import PricedLevel, Tuples


class Below:
    """The nodes below one, `high`, of the lattice over some tuples."""

    def __init__(self, tuples: Tuples, high: Sequence[int] | np.ndarray, *, k: int):
        self.tuples, self.k = tuples, k
        priced = [own[level] for own, level in zip(tuples.priced_levels, list(high), strict=True)]
        columns = [level.codes[leaf] for level, leaf in zip(priced, tuples.leaves, strict=True) if level.size > 1]
        sizes = [level.size for level in priced if level.size > 1]
        if columns:
            of_tuple = kernels.fold(columns, sizes).tuple_of_row
        else:
            of_tuple = np.zeros(len(tuples), dtype=np.int32)
        rows = np.bincount(of_tuple, weights=tuples.weight).astype(np.int64)
        kept = rows >= k
        self.n_classes = int(kept.sum())
        self.gone = int(rows[~kept].sum())
        self.live = np.flatnonzero(kept[of_tuple])
        number = np.cumsum(kept, dtype=np.int32) - 1
        self.of_live = number[of_tuple[self.live]]

    def outliers(self, columns: Sequence[int], levels: np.ndarray, *, limit: int) -> np.ndarray:
        """The rows in classes below k when some columns are on given levels (combinations × columns), all others on
        those of `high`; past `limit` rows at least that many."""
        if self.gone > limit or not len(self.live):
            return np.full(len(levels), self.gone)
        own = [self.tuples.priced_levels[j] for j in columns]
        leaves = [self.of_live, *(self.tuples.leaves[j][self.live] for j in columns)]
        sizes = [self.n_classes, *(len(priced[0].codes) for priced in own)]
        folded = kernels.fold(leaves, sizes, self.tuples.weight[self.live])
        same = np.arange(self.n_classes, dtype=np.int32)
        classes = PricedLevel(same, self.n_classes, np.zeros(self.n_classes, dtype=np.int64))
        few = Tuples([leaf[folded.representative] for leaf in leaves], [[classes], *own], folded.weight)
        nodes = np.column_stack([np.zeros(len(levels), dtype=np.int32), levels]).astype(np.int32)
        return self.gone + kernels.outliers(few, nodes, k=self.k, limit=limit - self.gone, costs=False).rows
