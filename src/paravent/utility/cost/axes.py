"""The cost model of encoded columns: costs are those of the trees as given, read on the trees of what occurs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from paravent.errors import PlanError, either
from paravent.hierarchy.axis import Axis
from paravent.hierarchy.tree import Tree
from paravent.utility.cost.model import CostModel, Metric
from paravent.utility.cost.weights import Conventions


@dataclass(frozen=True, eq=False)
class AxisCosts:
    """A tree of the values that occur, and what it costs each of its nodes to climb to the root of the given tree."""

    tree: Tree
    climb: np.ndarray


def axis_costs(
    axes: Sequence[Axis], metric: Metric, *, conventions: Conventions | None = None, rows: int = 1
) -> tuple[CostModel, list[AxisCosts]]:
    """The cost model of the given trees, and its costs on the trees of what occurs: each node costs what it costs as a
    node of the given tree. Where less occurs than that has, the smaller tree ends below the root, and more is left to
    climb. Columns count by their weights.
    """
    whole = given_trees(axes)
    model = CostModel.of(whole, metric, conventions=conventions, rows=rows, weights=column_weights(axes))
    costs = []
    for axis, climb in zip(axes, model.climb, strict=True):
        assert axis.tree is not None
        costs.append(AxisCosts(axis.tree, climb[axis.node]))
    return model, costs


def given_trees(axes: Sequence[Axis]) -> list[Tree]:
    """The trees as given; a column without one is refused."""
    found = []
    for axis in axes:
        if axis.whole is None:
            raise PlanError(
                f"column {axis.name!r} has no tree, and the costs of this method are those of trees. "
                "Give it one, such as "
                + either(
                    "pv.intervals(5, 10, 20) or pv.flat().",
                    f"--tree {axis.name!r}='intervals(5, 10, 20)' or --tree {axis.name!r}='flat()'.",
                )
            )
        found.append(axis.whole)
    return found


def column_weights(axes: Sequence[Axis]) -> list[Fraction]:
    """How much each column counts, the heaviest 1: the plan's weights as they are written.

    >>> from paravent.table.kinds import Kind
    >>> nothing = np.zeros(0, dtype=np.int32)
    >>> [str(w) for w in column_weights([Axis(str(w), Kind.NOMINAL, nothing, (), weight=w) for w in (0.1, 1, 50)])]
    ['1/500', '1/50', '1']
    """
    written = [Fraction(repr(float(axis.weight))) for axis in axes]
    heaviest = max(written, default=Fraction(0)) or Fraction(1)
    return [weight / heaviest for weight in written]
