"""One-pass k-means (Lin, Wei 2008)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from paravent import kernels
from paravent.kernels.clustering import Grouped, Members
from paravent.methods.clustering.clustering import Block, Clustering


@dataclass(frozen=True, kw_only=True)
class OKA(Clustering):
    """As many clusters as k rows each allow begin with a row drawn by the plan's seed. The others, in the order of the
    columns' trees, each join the cluster that they add least to. Then clusters of more than k rows give up the rows
    whose leaving saves most, and these join clusters that have too few, or, when there are none, any.

    The source measures the distance from a centroid that moves; here the label of a cluster is its centroid, and what
    a row adds to the cost is its distance. `metric`, `labels`, `block`: see Clustering. Models beside k-anonymity are
    met by merging clusters that do not hold. Ties: the cluster that was drawn first; of rows that leave, the one that
    joined last.

    >>> OKA(metric="ncp")
    OKA(metric='ncp', labels='tree', block=50000)
    """

    title: ClassVar[str] = "One-pass k-means"
    source: ClassVar[str] = "Lin, Wei: An efficient clustering method for k-anonymization. PAIS 2008"

    def clusters(self, block: Block) -> Grouped:
        points, k = block.points, block.space.k
        rows = block.every_row()
        drawn = block.random.permutation(len(rows))[: max(1, len(rows) // k)]
        seeds = rows[drawn]
        others = np.delete(rows, drawn)

        begun = Members(np.arange(len(seeds) + 1, dtype=np.int64), seeds)
        group = kernels.join(points, begun, others, watch=lambda done: block.watch(0.8 * done))
        found = Grouped(np.r_[seeds, others], np.r_[np.arange(len(seeds), dtype=np.int32), group])
        members = Members.of(found.unit, found.group, len(seeds))
        given_up = kernels.shed(points, members, k=k)
        if not len(given_up):
            return found
        of_place = np.repeat(np.arange(len(seeds), dtype=np.int32), np.diff(members.start))
        kept = np.delete(np.arange(len(members.row)), given_up)
        again = members.row[given_up]
        stays = Members.of(members.row[kept], of_place[kept], len(seeds))
        group = kernels.join(points, stays, again, below=k, watch=lambda done: block.watch(0.8 + 0.2 * done))
        return Grouped(np.r_[members.row[kept], again], np.r_[of_place[kept], group])
