"""The cost model of encoded columns: costs are those of the trees as given, read on the trees of what occurs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from paravent.errors import PlanError
from paravent.hierarchy.axis import Axis
from paravent.hierarchy.tree import Tree
from paravent.utility.cost.model import CostModel, Metric
from paravent.utility.cost.weights import Conventions


@dataclass(frozen=True, eq=False)
class AxisCosts:
    """A tree of the values that occur, and what it costs each of its nodes to climb to the root."""

    tree: Tree
    climb: np.ndarray


def axis_costs(
    axes: Sequence[Axis], metric: Metric, *, conventions: Conventions | None = None, rows: int = 1
) -> tuple[CostModel, list[AxisCosts]]:
    """The cost model of the given trees, and its costs on the trees of what occurs.

    A node of the smaller tree costs what the lowest given node over the same values costs.
    """
    given = []
    for axis in axes:
        if axis.tree is None:
            raise PlanError(
                f"column {axis.name!r} has no tree, and the costs of this method are those of trees. "
                "Give it one, such as pv.intervals(5, 10, 20) or pv.flat()."
            )
        given.append(axis.given if axis.given is not None else axis.tree)
    model = CostModel.of(given, metric, conventions=conventions, rows=rows)
    costs = []
    for axis, whole, climb in zip(axes, given, model.climb, strict=True):
        assert axis.tree is not None
        node = whole.ancestor(axis.leaf[axis.tree.first], axis.leaf[axis.tree.last])
        found = climb[node].copy()
        found[axis.tree.root] = 0
        costs.append(AxisCosts(axis.tree, found))
    return model, costs
