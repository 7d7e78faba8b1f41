"""Partitions of rows into classes with labels on trees; see cpp/cover.hpp and cpp/bound.hpp.

Rows are given in the order in which ties are decided. A tree is (parent, first, last, climb) as in `merging.TreeCosts`;
what a row keeps at a node is its climb, and a class keeps its size times what its label keeps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from paravent.kernels import native
from paravent.kernels.checks import check_tree
from paravent.kernels.lattice import PricedLevel, Tuples
from paravent.kernels.merging import TreeCosts
from paravent.kernels.native import check_codes

Watch = Callable[[float], None]


class Opened(NamedTuple):
    """The label of each row as a number of `labels` (nodes, labels × axes), and what the rows keep."""

    of_row: np.ndarray
    labels: np.ndarray
    worth: int


def cover_search(
    leaves: np.ndarray,
    axes: Sequence[TreeCosts],
    labels: np.ndarray,
    *,
    k: int,
    proposals: int,
    hot: float = 0.1,
    cold: float = 0.001,
    chains: int = 2,
    seed: int = 0,
    watch: Watch | None = None,
) -> Opened:
    """Open some labels so that each row, at the open label worth most to it, keeps much, and k rows share each.

    The start is `labels`, read with the roots. `proposals` changes are tried in each of some chains while the
    temperature falls from `hot` to `cold` (in what k rows lose on average at the start); the best state seen is
    returned, never one that keeps less than the start.
    """
    _check(leaves, axes, k)
    if labels.ndim != 2 or labels.shape[1] != len(axes) or not hot >= cold > 0 or chains < 1:
        raise ValueError("one node a column in each label, hot ≥ cold > 0, and at least one chain")
    for at, axis in enumerate(axes):
        check_codes(np.ascontiguousarray(labels[:, at]), len(axis.parent), f"labels of column {at}")
    found = native.module.cover_search(
        axes=_parts(leaves, axes),
        rows=len(leaves),
        most=sum(int(axis.climb[leaves[:, at]].sum()) for at, axis in enumerate(axes)),
        labels=np.ascontiguousarray(labels),
        n_labels=len(labels),
        k=k,
        proposals=proposals,
        hot=float(hot),
        cold=float(cold),
        chains=chains,
        seed=seed % 2**64,
        threads=native.threads(),
        watch=watch or native.unwatched,
    )
    of_row, opened, worth = found
    return Opened(of_row, opened.reshape(-1, len(axes)), worth)


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
    return found


def _check(leaves: np.ndarray, axes: Sequence[TreeCosts], k: int) -> None:
    if leaves.ndim != 2 or leaves.shape[1] != len(axes) or not len(axes) or not 1 <= k <= len(leaves) < 2**31:
        raise ValueError("rows × columns, one tree a column, and at least k rows")
    for at, axis in enumerate(axes):
        check_tree(axis, axis.climb, f"column {at}")
        check_codes(np.ascontiguousarray(leaves[:, at]), int(axis.last[-1]) + 1, f"column {at}")


def _parts(leaves: np.ndarray, axes: Sequence[TreeCosts]) -> list[dict[str, np.ndarray]]:
    return [{**vars(axis), "leaf": np.ascontiguousarray(leaves[:, at])} for at, axis in enumerate(axes)]
