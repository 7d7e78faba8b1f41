"""Covers by labels: every row stands at the open label that is worth most to it, and which are open is searched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from paravent.kernels import TreeCosts
from paravent.kernels.partition import cover_search

_CHAINS = 4
_WORDS = 3 * 10**9
"""Words of bits that are read in a second."""
_MEMORY = 2**32
"""Bits, at most: the rows under each node."""


@dataclass(frozen=True, eq=False)
class Covering:
    """Rows (`leaves`, rows × columns) under trees, into classes of at least k. Rows are bits and labels few where k is
    large; where it is small, other searches go farther."""

    leaves: np.ndarray
    trees: Sequence[TreeCosts]
    k: int

    @property
    def a_reading(self) -> int:
        """The words that a state takes to read."""
        n = len(self.leaves)
        return max(1, n * n // (64 * self.k))

    def is_enough(self, proposals: int) -> bool:
        """Whether so many proposals change most labels, and the bits have room."""
        n = len(self.leaves)
        return proposals >= 4 * n // self.k and n * sum(len(tree.parent) for tree in self.trees) <= _MEMORY

    def proposals(self, seconds: float) -> int:
        """How many proposals take about so many seconds."""
        a_label = len(self.leaves) * len(self.trees) // 32
        return int(seconds * _WORDS / (_CHAINS * (self.a_reading + a_label)))

    def search(
        self, labels: np.ndarray, proposals: int, *, hot: float = 0.1, seed: int, watch: Callable[[float], None]
    ) -> np.ndarray:
        """The class of each row, begun with the labels (nodes, labels × columns) of some classes."""
        found = cover_search(
            self.leaves[self._by_width],
            self.trees,
            labels.astype(np.int32),
            k=self.k,
            proposals=proposals,
            hot=hot,
            cold=0.001,
            chains=_CHAINS,
            seed=seed,
            watch=watch,
        )
        opened = np.empty(len(self.leaves), dtype=np.int32)
        opened[self._by_width] = found.of_row
        return opened

    @cached_property
    def _by_width(self) -> np.ndarray:
        """The rows by the columns of fewest values first: labels then cover few stretches of rows."""
        widths = [int(tree.last[-1]) for tree in self.trees]
        return np.lexsort([self.leaves[:, j] for j in sorted(range(len(widths)), key=lambda j: -widths[j])])
