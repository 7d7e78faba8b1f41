"""Neighbours: cells of an ordered column that lie side by side, such as ages, have much in common, which the noise on
each of them hides. A table over such columns is summed over blocks of neighbours, in which the noise is small beside
the counts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from paravent.private.graphical.junction import Columns

_WIDTH = 4
"""The neighbours of the narrowest blocks, and the blocks of every wider one."""
_LEAST = 3
"""Fewer blocks than this tell nothing of an order."""


@dataclass(frozen=True, eq=False)
class Blocks:
    """Blocks of the cells of a table: for every axis where they begin, or None where each cell is by itself."""

    shape: tuple[int, ...]
    """The shape of the table."""
    starts: tuple[np.ndarray | None, ...]

    @property
    def size(self) -> int:
        """The number of blocks."""
        ends = zip(self.shape, self.starts, strict=True)
        return int(np.prod([size if starts is None else len(starts) for size, starts in ends]))

    def summed(self, table: np.ndarray) -> np.ndarray:
        """The sum of a table over each block."""
        for axis, starts in enumerate(self.starts):
            if starts is not None:
                table = np.add.reduceat(table, starts, axis=axis)
        return table

    def spread(self, blocks: np.ndarray) -> np.ndarray:
        """A table that has in every cell what its block has."""
        ends = zip(self.shape, self.starts, strict=True)
        table = blocks.reshape([size if starts is None else len(starts) for size, starts in ends])
        for axis, starts in enumerate(self.starts):
            if starts is not None:
                table = np.repeat(table, np.diff(starts, append=self.shape[axis]), axis=axis)
        return table

    def cells(self) -> np.ndarray:
        """How many cells each block has."""
        return self.summed(np.ones(self.shape))


def block_starts(size: int) -> list[np.ndarray]:
    """Where blocks of 4, 16, 64 … cells of an ordered column begin, while there are at least three of them. The last
    cell is for what was not foreseen: it has no neighbours.

    >>> [starts.tolist() for starts in block_starts(15)]
    [[0, 4, 8, 12, 14]]
    """
    found, width = [], _WIDTH
    while size - 1 >= _LEAST * width:
        found.append(np.append(np.arange(0, size - 1, width), size - 1))
        width *= _WIDTH
    return found


def blocks_over(columns: Columns, sizes: Sequence[int], ordered: Collection[int]) -> list[Blocks]:
    """The blocks of a table over some columns, the widest first. Columns that have no blocks as wide take their own
    widest; those that are not ordered have none."""
    starts = [block_starts(sizes[column]) if column in ordered else [] for column in columns]
    shape = tuple(sizes[column] for column in columns)
    levels = max(map(len, starts), default=0)
    return [
        Blocks(shape, tuple(own[min(level, len(own) - 1)] if own else None for own in starts))
        for level in reversed(range(levels))
    ]
