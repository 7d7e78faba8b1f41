"""What partitions of rows into classes with labels on trees cost at least; see cpp/bound.hpp."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from paravent.kernels import native
from paravent.kernels.lattice import PricedLevel, Tuples

Watch = Callable[[float], None]


def row_prices(
    leaves: Sequence[np.ndarray],
    priced_levels: Sequence[Sequence[PricedLevel]],
    weight: np.ndarray,
    nodes: np.ndarray,
    least: np.ndarray,
    *,
    end: int,
    k: int,
    watch: Watch | None = None,
) -> np.ndarray:
    """Prices of tuples such that the k dearest rows under any label are priced at no more than k times its cost: then
    no partition into labels of k rows costs less than all rows are priced at.

    `nodes` are the levels of lattice nodes, `least` (ascending) is what their labels cost at least, and `end` what
    every label of a node that is not listed costs at least (large where none is left out).
    """
    tuples = Tuples(leaves, priced_levels, weight)
    tuples.check_nodes(nodes)
    if len(least) != len(nodes) or not 1 <= k <= tuples.n_rows:
        raise ValueError("one cost a node, and weights that add up to k rows at least")
    if (np.diff(least) < 0).any() or (len(least) and end < least[-1]) or least.dtype != np.int64:
        raise ValueError("nodes must come in the order of their costs")
    found: np.ndarray = native.module.row_prices(
        **tuples.native(nodes, k),
        least=np.ascontiguousarray(least),
        end=end,
        watch=watch or native.unwatched,
    )
    return np.where(found < 0, end, found)  # rows that still grow stop where nothing is left to look at
