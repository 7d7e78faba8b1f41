"""Blocks: a table is cut into parts that single processes can work on, each of which holds every model as one class.

1. The table is read once. Workers fold its rows to tuples of codes with their counts, and keep them on their disks; all
   that follows looks at these alone.
2. A sample of the tuples is cut as Mondrian does, down to blocks (`block_cuts`).
3. All tuples are counted by block (`block_counts`). A cut that leaves a block in which a model fails is taken back. All
   blocks that came out far too large are cut again together, each by a sample of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import polars as pl

from paravent.engine.spark.coding import Packing
from paravent.engine.spark.cuts import CutTree
from paravent.engine.spark.ready import Ready
from paravent.methods.label_space import LabelSpace


@dataclass(frozen=True, eq=False)
class Cutting:
    """What workers need to find the block of a row. `alike` are the blocks whose rows have the same quasi-identifiers,
    and are so many that no single process should hold them, with the code on each axis: their rows need no method."""

    ready: Ready
    tree: CutTree
    labels: str
    seed: int
    alike: Mapping[int, tuple[int, ...]] = field(default_factory=dict)

    @cached_property
    def space(self) -> LabelSpace:
        """The axes as cuts see them, each with one row for every code."""
        axes = [replace(a, codes=np.arange(len(a), dtype=np.int32), times=None) for a in self.ready.axes]
        return LabelSpace.of(axes, self.labels)  # type: ignore[arg-type]

    @cached_property
    def packing(self) -> Packing:
        """The codes of the quasi-identifiers as one key."""
        return Packing(tuple(lookup.size for lookup in self.ready.quasi))

    def codes(self, tuples: pl.DataFrame) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """The codes of tuples on each axis, and those of the judged columns."""
        packing, n_axes = self.ready.packing, len(self.ready.quasi)
        found = packing.unpack([tuples[name].to_numpy() for name in packing.names])
        return found[:n_axes], found[n_axes:]

    def on_cuts(self, codes: list[np.ndarray]) -> list[np.ndarray]:
        """Codes on each axis in the order in which the axes are cut."""
        return [axis.codes[column] for axis, column in zip(self.space.axes, codes, strict=True)]

    def blocks(self, codes: list[np.ndarray]) -> np.ndarray:
        return self.tree.block_of(self.on_cuts(codes))
