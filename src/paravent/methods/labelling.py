"""How a class is labelled: from the codes it holds on an axis to the text of its cell."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from paravent.errors import PlanError, quote
from paravent.hierarchy.labels import interval_label, range_label, set_label
from paravent.hierarchy.tree import ROOT_LABEL
from paravent.kernels import Sets
from paravent.methods.method import Axis, Labels


def tree_cells(axis: Axis, low: np.ndarray, high: np.ndarray) -> Labels:
    """The lowest tree node that covers the class."""
    assert axis.tree is not None
    nodes, codes = np.unique(axis.tree.ancestor(low, high), return_inverse=True)
    return Labels(codes.astype(np.int32), tuple(axis.tree.labels[node] for node in nodes.tolist()))


def span_cells(axis: Axis, low: np.ndarray, high: np.ndarray) -> Labels:
    """From the lowest to the highest value: `[17, 24]` where values lie on a line, `b~e` where they have an order.
    A missing value has no place on a line: beside others it makes the cell say nothing. Where the axis has a grid,
    intervals of several values end there."""
    low, high = _on_grid(axis, low, high)
    pairs, codes = np.unique(low.astype(np.int64) * len(axis) + high, return_inverse=True)
    spans = [divmod(pair, len(axis)) for pair in pairs.tolist()]
    unplaced = len(axis) - 1 if axis.positions is not None and np.isnan(axis.positions[-1]) else -1
    labels = tuple(ROOT_LABEL if last == unplaced != first else _span(axis, first, last) for first, last in spans)
    several = [label for (first, last), label in zip(spans, labels, strict=True) if first != last != unplaced]
    _refuse_mistakable(axis, several)
    return Labels(codes.astype(np.int32), labels)


def _span(axis: Axis, first: int, last: int) -> str:
    if axis.positions is None:
        return range_label(axis.values[first], axis.values[last])
    if axis.grid is None or first == last:
        return interval_label(axis.values[first], axis.values[last])
    return axis.grid.label(first, last)


def _on_grid(axis: Axis, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The ends of spans of several values, moved to the first and the last value of their cells: spans that are
    written alike are one."""
    if axis.grid is None:
        return low, high
    grid = axis.grid
    several = (low != high) & (high < len(grid.cell))  # a missing value comes after all cells
    first, last = grid.first[np.where(several, low, 0)], grid.last[np.where(several, high, 0)]
    return np.where(several, first, low), np.where(several, last, high)


def set_cells(axis: Axis, sets: Sets) -> Labels:
    """Exactly the values that occur in the class."""
    bounds = zip(sets.starts[:-1].tolist(), sets.starts[1:].tolist(), strict=True)
    members = [[axis.values[code] for code in sets.members[begin:end].tolist()] for begin, end in bounds]
    labels = tuple(map(set_label, members))
    _refuse_mistakable(axis, [label for values, label in zip(members, labels, strict=True) if len(values) > 1])
    return Labels(sets.of_class, labels)


def _refuse_mistakable(axis: Axis, labels: Sequence[str]) -> None:
    """No label for several values may be the text of one."""
    mistakable = set(axis.values).intersection(labels)
    if mistakable:
        raise PlanError(
            f"column {axis.name!r}: the value {quote(min(mistakable))} reads like a range or set of other values. "
            "Rename it in the table, or generalize the column by a tree."
        )
