"""Nearest-neighbour clustering: a row drawn at random and those nearest to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from paravent import kernels
from paravent.kernels.clustering import Grouped
from paravent.methods.clustering.clustering import Block, Clustering


@dataclass(frozen=True, kw_only=True)
class NearestNeighbour(Clustering):
    """A cluster is a row and the rows nearest to it, until it holds; rows that are left over join the cluster that they
    add least to.

    The distance of two rows is what they would cost as a class of two. `metric`, `labels`, `block`: see Clustering. The
    rows begin clusters in an order drawn by the plan's seed. Ties: of rows at one distance, the one that adds least to
    the cluster, then the first in the order of the columns' trees.

    >>> NearestNeighbour(block=0)
    NearestNeighbour(metric='gcp', labels='tree', block=0)
    """

    title: ClassVar[str] = "Nearest-neighbour clustering"
    source: ClassVar[str] = "the plain form of clustering for k-anonymity, as compared with by Lin, Wei. PAIS 2008"

    def clusters(self, block: Block) -> Grouped:
        space = block.space
        return kernels.grow(
            block.points,
            k=space.k,
            centred=True,
            seeds=block.random.permutation(len(block.points.codes)),
            judge=block.judge,
            watch=block.watch,
        )
