"""GCCG: grading, centring, clustering, generalization (Ni, Xie, Qian 2017)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from paravent import kernels
from paravent.kernels.clustering import Grouped, Points, PricedAxis
from paravent.kernels.cutting import Style
from paravent.methods.clustering.clustering import Block, Clustering


@dataclass(frozen=True, kw_only=True)
class GCCG(Clustering):
    """Rows are graded and put in order; the first becomes a centre, the rows nearest to it join until the cluster
    holds, and so on with the first that is left; rows that are left over join the cluster that they add least to.

    From the source come the four steps: a grade and an order, a centre, its nearest rows, the generalization of each
    cluster. Ours is what we do not know of it: the grade of a row is the mean cost of publishing it in a class of two
    with each row of the table, and the highest grade, the row farthest from all others, comes first. The distance to a
    centre is the cost of a class of two. `metric`, `labels`, `block`: see Clustering. Nothing is drawn. Ties: of
    grades, the first row in the order of the columns' trees; of rows at one distance, the one that adds least to the
    cluster, then the first.

    >>> GCCG()
    GCCG(metric='gcp', labels='tree', block=50000)
    """

    title: ClassVar[str] = "GCCG"
    source: ClassVar[str] = (
        "after Ni, Xie, Qian: Clustering-based k-anonymity algorithm for privacy preservation. IJNS 19(6), 2017"
    )

    def clusters(self, block: Block) -> Grouped:
        space = block.space
        return kernels.grow(
            block.points,
            k=space.k,
            centred=True,
            seeds=np.argsort(-grades(block.points), kind="stable"),
            judge=block.judge,
            watch=block.watch,
        )


def grades(points: Points) -> np.ndarray:
    """What each point would cost as a class of two with every row, in all; what those rows cost before is the same for
    all points and left out."""
    total = np.zeros(len(points.codes), dtype=np.int64)
    rows = int(points.counts.sum())
    for j, priced in enumerate(points.axes):
        count = np.bincount(points.codes[:, j], weights=points.counts, minlength=priced.axis.size).astype(np.int64)
        total += _met(priced, count)[points.codes[:, j]]
    return 2 * total - (0 if points.base is None else rows * points.base)


def _met(priced: PricedAxis, count: np.ndarray) -> np.ndarray:
    """The cost of the label over a value and every row's value, summed over the rows, for each value."""
    axis = priced.axis
    rows = int(count.sum())
    if axis.style is Style.SET:
        return np.asarray(axis.unit * (rows - count))
    if axis.style is Style.TREE:
        upto = np.r_[0, np.cumsum(count)]
        under = upto[axis.last + 1] - upto[axis.first]
        met = np.zeros(len(axis.parent), dtype=np.int64)
        met[-1] = axis.node_cost[-1] * rows
        for node in range(len(axis.parent) - 2, -1, -1):  # the rows under a node meet there, not at its parent
            up = axis.parent[node]
            met[node] = met[up] - (axis.node_cost[up] - axis.node_cost[node]) * under[node]
        return met[: axis.size]
    placed = axis.ruler - axis.ruler[0] <= priced.cap  # a missing value lies beyond, and costs the cap beside others
    near, far = np.flatnonzero(placed), np.flatnonzero(~placed)
    place, here = axis.ruler[near], count[near]
    before, weight = np.cumsum(here) - here, np.cumsum(here * place) - here * place
    met = np.empty(axis.size, dtype=np.int64)
    below = before * place - weight
    above = (weight[-1] + here[-1] * place[-1] - weight) - (before[-1] + here[-1] - before) * place
    met[near] = below + above + priced.cap * int(count[far].sum())
    met[far] = priced.cap * int(here.sum())
    return met
