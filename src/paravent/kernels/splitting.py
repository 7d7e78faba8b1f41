"""Classes split into parts of at least k rows; see cpp/splitting.hpp."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from paravent.kernels import native
from paravent.kernels.merging import TreeCosts, check_tree_costs
from paravent.kernels.native import check_codes


class Splits(NamedTuple):
    """The parts that each class became: their tuples, ascending, and how many rows of each. `outcome[c]` is 2 where no
    better ones exist, 1 where that is not known, 0 where time was up."""

    parts: list[list[tuple[np.ndarray, np.ndarray]]]
    outcome: np.ndarray


def split_classes(
    leaves: np.ndarray,
    start: np.ndarray,
    tuples: np.ndarray,
    rows: np.ndarray,
    axes: Sequence[TreeCosts],
    *,
    k: int,
    most: int,
    lookups: int,
    nodes: int,
    visits: int,
    searched: int,
    deep: int,
    seconds: float = 0.0,
    threads: int | None = None,
    watch: Callable[[float], None] | None = None,
) -> Splits:
    """Split classes of weighted tuples (`leaves`, tuples × axes; class c is entries `start[c]` to `start[c + 1]` of
    `tuples`, ascending, and `rows`) so that more is kept."""
    if leaves.ndim != 2 or leaves.shape[1] != len(axes) or not len(axes) or leaves.dtype != np.int32:
        raise ValueError("leaves must be a matrix of int32 with one column an axis")
    for at, tree in enumerate(axes):
        check_tree_costs(tree, at)
        check_codes(np.ascontiguousarray(leaves[:, at]), int(tree.last[-1]) + 1, f"axis {at}")
    check_codes(tuples, len(leaves), "tuples")
    if (
        start.dtype != np.int64
        or rows.dtype != np.int64
        or start[0] != 0
        or start[-1] != len(tuples) != 0
        or np.any(np.diff(start) < 1)
        or len(rows) != len(tuples)
        or rows.min(initial=1) < 1
        or k < 1
        or not 0 < most <= 2**24
    ):
        raise ValueError("classes must have tuples, each with one row or more, and k and the limits must be positive")
    found = native.module.split_classes(
        classes=len(start) - 1,
        leaves=np.ascontiguousarray(leaves),
        start=start,
        tuple=tuples,
        rows=rows,
        trees=list(axes),
        k=k,
        most=most,
        lookups=lookups,
        nodes=nodes,
        visits=visits,
        searched=searched,
        deep=deep,
        seconds=seconds,
        threads=threads or native.threads(),
        watch=watch or native.unwatched,
    )
    return Splits(*found)
