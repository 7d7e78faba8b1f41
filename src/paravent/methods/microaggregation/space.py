"""Rows as microaggregation sees them: one or two columns of distances for each quasi-identifier.

Numbers and dates are standardised and compared by their difference. Ordinal values a < b are as far apart as the share
of the categories of the scale from a up to b; names are equal or not, or as far apart as the share of the other names
under their lowest common ancestor in the tree as given (Domingo-Ferrer, Torra 2005), whether they occur or not. Squares
are weighted by the weights of the plan and added up.
A missing number that counts as a value lies at the mean, one apart from all that are there; one that may be anything
lies at the mean.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from paravent.errors import PlanError
from paravent.kernels.micro import MicroColumn
from paravent.methods.method import Axis, Task
from paravent.table.kinds import Kind

NominalDistance = Literal["equal", "tree"]

_WIDEST_TABLE = 4096


def space_of(task: Task, nominal: NominalDistance = "equal") -> list[MicroColumn]:
    """The columns of distances of a task."""
    return [column for axis in task.axes for column in columns_of(axis, nominal)]


def columns_of(axis: Axis, nominal: NominalDistance = "equal") -> list[MicroColumn]:
    if axis.positions is not None:
        return _on_a_line(axis)
    if axis.kind is Kind.ORDINAL:
        size = len(axis.categories)
        places = np.sqrt(axis.weight) * np.arange(size) / max(size, 1)
        return [MicroColumn.order(axis.category[axis.codes].astype(np.int32), places)]
    if nominal == "tree" and axis.tree is not None:
        if len(axis) > _WIDEST_TABLE:
            raise PlanError(
                f"column {axis.name!r}: {len(axis)} values are too many for a distance between each two. "
                "Say nominal='equal'."
            )
        return [MicroColumn.tabled(axis.codes, axis.weight * tree_squares(axis))]
    return [MicroColumn.name(axis.codes, len(axis), axis.weight)]


def standardised(axis: Axis) -> np.ndarray:
    """The place of every row, in standard deviations from the mean; 0 where nothing is known."""
    assert axis.positions is not None
    places = axis.positions[axis.codes]
    known = np.isfinite(places) if axis.unknown is None else np.isfinite(places) & ~axis.unknown
    if not known.any():
        return np.zeros(len(places))
    mean, deviation = float(places[known].mean()), float(places[known].std())
    return np.where(known, (places - mean) / (deviation or 1.0), 0.0)


def tree_squares(axis: Axis) -> np.ndarray:
    """For each two values, the square of the share of the tree's other leaves under their lowest common ancestor."""
    tree = axis.whole
    assert tree is not None
    size = len(axis)
    first, second = (axis.leaf[side.reshape(-1)] for side in np.indices((size, size)))
    nodes = tree.ancestor(np.minimum(first, second), np.maximum(first, second))
    shares = (tree.leaf_counts[nodes] - 1) / max(tree.n_leaves - 1, 1)
    return np.asarray(shares**2, dtype=np.float64).reshape(size, size)


def _on_a_line(axis: Axis) -> list[MicroColumn]:
    assert axis.positions is not None
    found = [MicroColumn.line(np.sqrt(axis.weight) * standardised(axis))]
    missing = np.isnan(axis.positions)
    if missing.any():
        found.append(MicroColumn.name(missing[axis.codes].astype(np.int32), 2, axis.weight))
    return found


def embedded(columns: list[MicroColumn]) -> np.ndarray:
    """Rows as points whose squared Euclidean distances are those of the columns (of names: up to the table)."""
    parts = []
    for column in columns:
        if not len(column.codes) or column.places.any() or len(column.places) == 1:
            parts.append(column.values[:, None])
        else:
            parts.append(np.sqrt(column.weight / 2) * (column.codes[:, None] == np.arange(len(column.places))[None, :]))
    return np.ascontiguousarray(np.hstack(parts), dtype=np.float64)
