"""Labels on the tree as it was given: with the leaves that no row of the table holds.

GCP counts values that occur. Others count what the tree says: the leaves under a node (Iyengar 2002), the levels it
was climbed (Sweeney 2002), the bounds of an interval as they are written.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from paravent.hierarchy.cells import CellReader, Line, read_interval
from paravent.hierarchy.cells.places import as_places
from paravent.hierarchy.cells.reader import nodes_of
from paravent.hierarchy.tree import Tree
from paravent.utility.reading import Reading


@dataclass(frozen=True, eq=False)
class Given:
    """The labels of a released column on the tree that its plan gave (or on the bare values, without a tree)."""

    reading: Reading

    @property
    def tree(self) -> Tree | None:
        return self.reading.axis.whole

    @property
    def n_leaves(self) -> int:
        return self.tree.n_leaves if self.tree is not None else len(self.reading.axis)

    @cached_property
    def ends(self) -> tuple[np.ndarray, np.ndarray]:
        """The first and last leaf of each label. What is no node of the tree reaches from its lowest to its highest
        value."""
        reading, tree = self.reading, self.tree
        leaf = reading.axis.leaf
        if len(leaf) == 0:
            nothing = np.zeros(len(reading.labels), dtype=np.int64)
            return nothing, nothing - 1
        first, last = leaf[reading.first].astype(np.int64), leaf[reading.last].astype(np.int64)
        first[reading.silent], last[reading.silent] = 0, self.n_leaves - 1
        if tree is not None:
            for label in self._no_values:
                covered = self._nodes.get(str(reading.labels[label]))
                if covered is not None:
                    first[label], last[label] = covered.start, covered.stop - 1
        return first, last

    @cached_property
    def _no_values(self) -> list[int]:
        """The labels that are no values of the column but groups, ranges or sets of them."""
        reading = self.reading
        found: list[int] = np.flatnonzero((reading.only < 0) & ~reading.silent & ~reading.moved).tolist()
        return found

    @cached_property
    def _nodes(self) -> dict[str, range]:
        """The leaves under every label of the tree."""
        return {} if self.tree is None else nodes_of(self.tree)

    @cached_property
    def leaves(self) -> np.ndarray:
        """How many leaves of the tree each label covers; a set covers its members."""
        first, last = self.ends
        found = last - first + 1
        for label, ranks in self.reading.sets.items():
            found[label] = len(ranks)
        return np.asarray(found)

    @cached_property
    def heights(self) -> np.ndarray:
        """The lowest level of the tree on which one label covers all that each label covers.

        Where every cell of the column stands on one and the same level, that level counts for all of them: a value
        that is repeated on higher levels (a short branch) was climbed with the others.
        """
        tree, reading = self.tree, self.reading
        assert tree is not None
        shown = {label for label, silent in zip(reading.labels, reading.silent.tolist(), strict=True) if not silent}
        for height, level in enumerate(tree.levels):
            if shown <= set(level.labels):
                return np.full(len(reading.labels), height, dtype=np.int64)
        first, last = self.ends
        found = np.full(len(first), len(tree.levels) - 1, dtype=np.int64)
        for height in range(len(tree.levels) - 2, -1, -1):
            codes = tree.levels[height].codes
            found[codes[first] == codes[last]] = height
        return found

    @property
    def top(self) -> int:
        """The highest level."""
        assert self.tree is not None
        return len(self.tree.levels) - 1

    @cached_property
    def spans(self) -> np.ndarray:
        """The share of the column that each label reaches over: between the bounds of an interval as they are written,
        else between the numbers or the leaves that it covers. 1 where it says nothing."""
        reading = self.reading
        extent = self._extent
        if extent is None or reading.bounds is None:
            first, last = self.ends
            found = (last - first) / max(self.n_leaves - 1, 1)
        else:
            low, high = (bound.copy() for bound in reading.bounds)
            for label in self._no_values:
                text = str(reading.labels[label])
                named = label in reading.written or text in self._nodes
                interval = read_interval(text, self._line) if named else None  # all others end at values of the column
                if interval is not None:
                    low[label], high[label] = max(interval.low, extent[0]), min(interval.high, extent[1])
            width = extent[1] - extent[0]
            found = np.where(np.isfinite(high - low), (high - low) / (width or 1.0), reading.n_covered != 1)
        return np.where(reading.blank, 1.0, np.where(reading.never_known, 0.0, np.clip(found, 0.0, 1.0)))

    @cached_property
    def _line(self) -> Line | None:
        return CellReader.of(self.reading.axis).line

    @cached_property
    def _extent(self) -> tuple[float, float] | None:
        """Where the column begins and ends: by its values, the leaves of its tree, and the bounds of its intervals."""
        line = self.reading.axis.line
        if line is None:
            return None
        ends = line[np.isfinite(line)].tolist()
        if self.tree is not None and self._line is not None:
            leaves = as_places(pl.Series(self.tree.leaves, dtype=pl.String), self._line)
            ends += leaves[np.isfinite(leaves)].tolist()
            for level in self.tree.levels[1:]:
                intervals = (read_interval(label, self._line) for label in level.labels)
                ends += [end for i in intervals if i is not None for end in (i.low, i.high) if np.isfinite(end)]
        return min(ends), max(ends)
