"""Space: a table as partitions see it, weighted tuples of leaves with whole-number costs on their trees.

In the unified loss model the cost of taking leaf x to node v is W(x) − W(v), W being what the way to the root weighs.
So a class costs a constant of its rows minus its size times Σ_j W_j(label_j): only the label and the size matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np

from paravent import kernels
from paravent.errors import PlanError, either
from paravent.hierarchy.axis import Axis
from paravent.hierarchy.tree import Tree
from paravent.kernels import Folded, TreeCosts
from paravent.methods.partition.detail import losses_of_detail
from paravent.utility.cost import Conventions, Metric
from paravent.utility.cost.axes import axis_costs
from paravent.utility.cost.model import percent


class Parts(NamedTuple):
    """A partition of rows: `rows[i]` copies of tuple `tuples[i]` are in part `part[i]`. Parts are numbered from 0
    without gaps; no pair of tuple and part appears twice."""

    tuples: np.ndarray
    part: np.ndarray
    rows: np.ndarray

    @property
    def n_parts(self) -> int:
        return int(self.part.max(initial=-1)) + 1

    @property
    def sizes(self) -> np.ndarray:
        """The rows of each part."""
        return np.bincount(self.part, weights=self.rows, minlength=self.n_parts).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Space:
    """The distinct rows of a table and the costs of generalizing them.

    Tuple t has leaf `leaves[t, j]` of `trees[j]` and stands for `weight[t]` rows. `climb[j][v]` is W: what it costs to
    take node v of tree j to the root of the tree as given, in multiples of `unit` (a higher node never costs more).
    Where the costs could not be kept exactly, a partition costs up to `slack` units more or less than it should.
    """

    axes: tuple[Axis, ...]
    trees: tuple[Tree, ...]
    climb: tuple[np.ndarray, ...]
    leaves: np.ndarray
    weight: np.ndarray
    folded: Folded
    unit: Fraction
    slack: int = 0

    @classmethod
    def of(cls, axes: Sequence[Axis], metric: Metric, *, conventions: Conventions | None = None) -> Space:
        """The space of encoded columns that all have trees. `metric` is one of the unified loss model (nllm, ncp, …, or
        weights), or `gcp`: the loss of detail as `utility.gcp` counts it. Columns are counted by their weights."""
        folded = kernels.fold([axis.codes for axis in axes], [len(axis) for axis in axes])
        rows = len(axes[0].codes)
        if metric == "gcp":
            trees = tuple(_tree(axis) for axis in axes)
            climb, unit, exact = losses_of_detail(axes, rows)
            slack = 0 if exact else rows * len(axes)
        else:
            model, costs = axis_costs(axes, metric, conventions=conventions, rows=rows)
            trees, climb, unit = tuple(c.tree for c in costs), tuple(c.climb for c in costs), model.unit
            slack = 0 if model.exact else rows * sum(model.heights)
        leaves = np.stack([axis.codes[folded.representative] for axis in axes], axis=1)
        return cls(tuple(axes), trees, climb, leaves, folded.weight.astype(np.int64), folded, unit, slack)

    @cached_property
    def n_rows(self) -> int:
        return int(self.weight.sum())

    @cached_property
    def price(self) -> np.ndarray:
        """What it costs a row of each tuple to go to the roots."""
        return np.asarray(sum(climb[self.leaves[:, j]] for j, climb in enumerate(self.climb)), dtype=np.int64)

    @cached_property
    def most(self) -> int:
        """The cost of a table that says nothing."""
        return int(self.price @ self.weight)

    @cached_property
    def tree_costs(self) -> list[TreeCosts]:
        """The trees as the merging kernel takes them."""
        return [TreeCosts(t.parent, t.first, t.last, c) for t, c in zip(self.trees, self.climb, strict=True)]

    def worth(self, labels: np.ndarray) -> np.ndarray:
        """Σ_j W_j of some labels (nodes, labels × axes): what a row keeps there."""
        return np.asarray(sum(climb[labels[:, j]] for j, climb in enumerate(self.climb)), dtype=np.int64)

    def label(self, tuples: np.ndarray) -> np.ndarray:
        """The lowest label over some tuples: one node an axis."""
        leaves = self.leaves[tuples]
        return np.asarray(self._over(leaves.min(axis=0, keepdims=True), leaves.max(axis=0, keepdims=True))[0])

    def labels(self, parts: Parts) -> np.ndarray:
        """The lowest label over each part (parts × axes)."""
        low = np.full((parts.n_parts, len(self.trees)), np.iinfo(np.int32).max, dtype=np.int32)
        high = np.full_like(low, -1)
        np.minimum.at(low, parts.part, self.leaves[parts.tuples])
        np.maximum.at(high, parts.part, self.leaves[parts.tuples])
        return self._over(low, high)

    def cost(self, parts: Parts) -> int:
        """What a partition costs when every part has its lowest label."""
        return int(self.price[parts.tuples] @ parts.rows) - int(self.worth(self.labels(parts)) @ parts.sizes)

    def alteration(self, cost: int) -> float:
        """A cost in percent of the most it could be (Mauger 2021, §3.1); 0 where nothing can be lost."""
        return percent(cost, self.most)

    def parts(self, of_row: np.ndarray) -> Parts:
        """The partition of a table whose rows are in classes ≥ 0 (rows of class −1 are left out)."""
        kept = np.flatnonzero(of_row >= 0)
        _, number = np.unique(of_row[kept], return_inverse=True)
        width = int(number.max(initial=0)) + 1
        pairs, count = np.unique(
            self.folded.tuple_of_row[kept].astype(np.int64) * width + number.reshape(-1), return_counts=True
        )
        return Parts((pairs // width).astype(np.int32), (pairs % width).astype(np.int32), count.astype(np.int64))

    def of_row(self, parts: Parts) -> np.ndarray:
        """The part of each row. Equal rows are given to their parts in the order of the parts, the first rows first;
        rows that no part counts are left out (−1)."""
        found = np.full(self.n_rows, -1, dtype=np.int32)
        by_tuple = np.argsort(self.folded.tuple_of_row, kind="stable")
        start = np.cumsum(self.weight) - self.weight
        order = np.lexsort((parts.part, parts.tuples))
        tuples, count = parts.tuples[order], parts.rows[order]
        upto = np.cumsum(count)
        begun = upto - count
        first = np.flatnonzero(np.r_[True, tuples[1:] != tuples[:-1]]) if len(tuples) else np.zeros(0, dtype=np.int64)
        within = begun - np.repeat(begun[first], np.diff(np.r_[first, len(tuples)]))
        at = np.repeat(start[tuples] + within - begun, count) + np.arange(int(upto[-1]) if len(upto) else 0)
        found[by_tuple[at]] = np.repeat(parts.part[order], count)
        return found

    def _over(self, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        return np.stack([tree.ancestor(low[:, j], high[:, j]) for j, tree in enumerate(self.trees)], axis=1)


def _tree(axis: Axis) -> Tree:
    if axis.tree is None:
        raise PlanError(
            f"column {axis.name!r} has no tree, and partitions are labelled by trees. "
            "Give it one, such as "
            + either(
                "pv.intervals(5, 10, 20) or pv.flat().",
                f"--tree {axis.name!r}='intervals(5, 10, 20)' or --tree {axis.name!r}='flat()'.",
            )
        )
    return axis.tree
