"""The loss of detail (NCP, Xu et al. 2006) of tree nodes in whole numbers, as `utility.gcp` counts it: over the values
that occur, along the line where there is one."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

import numpy as np

from paravent.hierarchy.axis import Axis
from paravent.kernels.cutting import SCALE
from paravent.utility.cost.axes import column_weights

_ROOM = 2**61


def losses_of_detail(axes: Sequence[Axis], rows: int) -> tuple[tuple[np.ndarray, ...], Fraction, bool]:
    """By column: the loss of detail that each node of its tree still can suffer, columns counted by their weights; the
    unit of these numbers; and whether they are exact. Those that are not are rounded down."""
    weights = column_weights(axes)
    reach = [_reach(axis) for axis in axes]
    whole = all(each for _, _, each in reach)
    steps = [weight / int(widest) for weight, (_, widest, _) in zip(weights, reach, strict=True)] if whole else []
    common = lcm(*(step.denominator for step in steps))
    exact = whole and common * rows * len(axes) <= _ROOM
    scale = common * max(1, SCALE // common) if exact else SCALE
    found = []
    for weight, (each, widest, _) in zip(weights, reach, strict=True):
        if exact:
            lost = each.astype(np.int64) * int(weight * scale / int(widest))
        else:
            lost = np.floor(each * (float(weight) * scale / widest)).astype(np.int64)
        found.append(np.asarray(int(lost[-1]) - lost))
    return tuple(found), Fraction(1, scale), exact


def _reach(axis: Axis) -> tuple[np.ndarray, float, bool]:
    """How far each node of a tree reaches, how far its root does (1 for a single value), and whether these are whole
    numbers. A missing value beside others costs as much as saying nothing."""
    tree = axis.tree
    assert tree is not None
    if axis.positions is None:
        return tree.last - tree.first, max(len(axis) - 1, 1), True
    line = np.asarray(axis.positions, dtype=np.float64)
    known = line[np.isfinite(line)]
    ends = [(line[a : b + 1].min(), line[a : b + 1].max()) for a, b in zip(tree.first, tree.last, strict=True)]
    low, high = np.array(ends).T
    widest = float(known.max() - known.min()) if len(known) else 0.0
    reach = np.where(np.isfinite(high - low), high - low, np.where(tree.last > tree.first, widest or 1.0, 0.0))
    whole = bool(np.all(known == np.floor(known))) and widest < 2**53
    return reach, widest or 1.0, whole
