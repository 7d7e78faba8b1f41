"""KACA (Li, Wong, Fu, Pei 2006): k-anonymization by clustering in attribute hierarchies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from paravent import kernels
from paravent.kernels.clustering import Grouped, Members
from paravent.methods.clustering.clustering import Block, Clustering


@dataclass(frozen=True, kw_only=True)
class KACA(Clustering):
    """Equal rows are a class; a class that is too small joins the one that costs least to join, until none is.

    `divide` is the source's division of classes: of a class that keeps k rows without them, only the rows that are
    missing are taken (the stub), the others stay as they are (the trunk). The source takes any rows as the stub; here
    they are those that add least to the class that is too small, one after the other, and labels are those of the rows
    that a class holds. Division knows k-anonymity alone; classes that then fail another model join others whole.

    The source's measure is `metric="distortion"`. `labels`, `block`: see Clustering. Classes are looked at in an order
    drawn by the plan's seed, a class made of two last of all. A class is left out, where the plan allows it, when
    joining would cost more than saying nothing about it. Ties: the class that came first in the order of the columns'
    trees, classes made of two last; of rows of a stub, the one that came to its class first.

    >>> KACA(divide=False)
    KACA(metric='gcp', labels='tree', block=50000, divide=False)
    """

    divide: bool = True

    title: ClassVar[str] = "KACA"
    source: ClassVar[str] = (
        "Li, Wong, Fu, Pei: Achieving k-anonymity by clustering in attribute hierarchical structures. DaWaK 2006"
    )
    leaves_out: ClassVar[bool] = True

    def clusters(self, block: Block) -> Grouped:
        points, k = block.points, block.space.k
        _, of_unit = np.unique(points.codes, axis=0, return_inverse=True)
        rows = block.every_row()
        start = Grouped(rows, of_unit.reshape(-1).astype(np.int32)[rows])
        members = Members.of(start.unit, start.group, int(start.group.max()) + 1)
        drawn = block.random.permutation(len(members)).astype(np.int32)
        return kernels.absorb(
            points,
            members,
            drawn[np.diff(members.start)[drawn] < k],
            k=k,
            divide=self.divide,
            spare=block.spare,
            watch=block.watch,
        )
