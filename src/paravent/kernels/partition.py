"""Partitions of rows into classes with labels on trees; see cpp/cover.hpp, cpp/partition.hpp and cpp/bound.hpp.

Rows are given in the order in which ties are decided. A tree is (parent, first, last, climb) as in `merging.Slope`;
what a row keeps at a node is its climb, and a class keeps its size times what its label keeps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from paravent.kernels import native
from paravent.kernels.cutting import Guard
from paravent.kernels.lattice import Rung
from paravent.kernels.merging import Slope
from paravent.kernels.native import check_codes
from paravent.kernels.partition_twin import cover_twin, improve_twin, prices_twin

Watch = Callable[[float], None]


class Opened(NamedTuple):
    """The label of each row as a number of `labels` (nodes, labels × axes), and what the rows keep."""

    of_row: np.ndarray
    labels: np.ndarray
    worth: int


class Improved(NamedTuple):
    """The class of each row, what the rows keep, and what they kept at the start."""

    of_row: np.ndarray
    worth: int
    start_worth: int


class Groupings(NamedTuple):
    """In grouping g, row r agrees with rows order[g, first[g, r] : last[g, r]]."""

    order: np.ndarray
    first: np.ndarray
    last: np.ndarray


def cover_search(
    leaves: np.ndarray,
    axes: Sequence[Slope],
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
    if native.module is None:
        return Opened(*cover_twin(leaves, axes, labels, k=k))
    found = native.module.cover_search(
        _parts(leaves, axes),
        np.ascontiguousarray(labels),
        k=k,
        proposals=proposals,
        hot=hot,
        cold=cold,
        chains=chains,
        seed=seed % 2**64,
        threads=native.threads(),
        watch=watch or native.unwatched,
    )
    return Opened(*found)


def improve_partition(
    leaves: np.ndarray,
    axes: Sequence[Slope],
    of_row: np.ndarray,
    groupings: Groupings,
    *,
    k: int,
    proposals: int,
    hot: float = 0.1,
    cold: float = 0.01,
    chains: int = 2,
    seed: int = 0,
    sensitive: Sequence[np.ndarray] = (),
    guard: Guard | None = None,
    watch: Watch | None = None,
) -> Improved:
    """Exchange rows between classes of at least k rows so that they keep more: rows move, swap and go round, classes
    join, split, divide their rows anew and dissolve. Every change is judged by the exact labels of the classes it
    touched.

    Temperatures are in what a row of the start loses; `hot=0` accepts no loss at all. `guard` is asked about all
    touched classes, with their counts of `sensitive`, before a change stays. Never worse than the start.
    """
    _check(leaves, axes, k)
    n = len(leaves)
    check_codes(of_row, n, "classes")
    sizes = np.bincount(of_row)
    if len(of_row) != n or sizes.min() < k:
        raise ValueError("one class a row, numbered without gaps, of at least k rows each")
    if not (groupings.order.shape == groupings.first.shape == groupings.last.shape) or groupings.order.shape[1:] != (
        n,
    ):
        raise ValueError("groupings × rows")
    for name, array, size in zip(groupings._fields, groupings, (n, n, n + 1), strict=True):
        check_codes(np.ascontiguousarray(array), size, name)
    if (groupings.first >= groupings.last).any() or hot < 0 or (hot and not hot >= cold > 0) or chains < 1:
        raise ValueError("groups must not be empty, hot ≥ cold > 0 (or hot = 0), and at least one chain")
    for at, column in enumerate(sensitive):
        check_codes(column, 2**31 - 1, f"sensitive column {at}")
    chains = 1 if guard is not None else chains
    if native.module is None:
        asked: dict[str, Any] = {
            "k": k,
            "proposals": proposals,
            "hot": hot,
            "cold": cold,
            "chains": chains,
            "seed": seed,
        }
        return Improved(
            *improve_twin(leaves, axes, of_row, *groupings, **asked, sensitive=sensitive, guard=guard),
        )
    found = native.module.improve_partition(
        _parts(leaves, axes),
        np.ascontiguousarray(of_row),
        len(sizes),
        *(np.ascontiguousarray(array) for array in groupings),
        k=k,
        proposals=proposals,
        hot=hot,
        cold=cold,
        chains=chains,
        seed=seed % 2**64,
        threads=native.threads(),
        sensitive=[(np.ascontiguousarray(c), int(c.max(initial=0)) + 1) for c in sensitive],
        guard=None if guard is None else _as_bytes(guard),
        watch=watch or native.unwatched,
    )
    return Improved(*found)


def row_prices(
    leaves: Sequence[np.ndarray],
    ladders: Sequence[Sequence[Rung]],
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
    if not len(leaves) == len(ladders) == nodes.shape[1] or len(least) != len(nodes):
        raise ValueError("one ladder and one level a column, one cost a node")
    if (np.diff(least) < 0).any() or (len(least) and end < least[-1]) or least.dtype != np.int64:
        raise ValueError("nodes must come in the order of their costs")
    check_codes(weight, 2**31 - 1, "weight")
    if weight.min(initial=1) < 1 or not 1 <= k <= int(weight.sum(dtype=np.int64)):
        raise ValueError("weights must be positive and add up to k rows at least")
    for at, (column, rungs) in enumerate(zip(leaves, ladders, strict=True)):
        check_codes(column, len(rungs[0].codes), f"column {at}")
        check_codes(np.ascontiguousarray(nodes[:, at]), len(rungs), f"levels of column {at}")
        if len(column) != len(weight) or any(rung.cost.dtype != np.int64 for rung in rungs):
            raise ValueError(f"column {at}: {len(column)} codes for {len(weight)} weights, costs as int64")
    if native.module is None:
        return prices_twin(leaves, ladders, weight, nodes, least, end=end, k=k)
    parts = [
        (np.ascontiguousarray(column), [(rung.codes, rung.size, rung.cost) for rung in rungs])
        for column, rungs in zip(leaves, ladders, strict=True)
    ]
    found: np.ndarray = native.module.row_prices(
        parts,
        np.ascontiguousarray(weight),
        np.ascontiguousarray(nodes),
        np.ascontiguousarray(least),
        end=end,
        k=k,
        threads=native.threads(),
        watch=watch or native.unwatched,
    )
    return found


def _check(leaves: np.ndarray, axes: Sequence[Slope], k: int) -> None:
    if leaves.ndim != 2 or leaves.shape[1] != len(axes) or not len(axes) or not 1 <= k <= len(leaves) < 2**31:
        raise ValueError("rows × columns, one tree a column, and at least k rows")
    for at, axis in enumerate(axes):
        root = len(axis.parent) - 1
        check_codes(np.ascontiguousarray(leaves[:, at]), root + 1, f"column {at}")
        for name, array in (("parents", axis.parent[:-1]), ("first leaves", axis.first), ("last leaves", axis.last)):
            check_codes(np.ascontiguousarray(array), root + 1, f"{name} of column {at}")
        if axis.climb.dtype != np.int64 or len(axis.climb) != root + 1:
            raise ValueError(f"column {at}: one climb a node, as int64")
        if (axis.parent[:-1] <= np.arange(root)).any() or axis.parent[root] != -1:
            raise ValueError(f"column {at}: parents must have higher numbers, the root is the last node")


def _parts(leaves: np.ndarray, axes: Sequence[Slope]) -> list[tuple[np.ndarray, ...]]:
    found = []
    for at, axis in enumerate(axes):
        arrays = (leaves[:, at], axis.parent, axis.first, axis.last, axis.climb)
        found.append(tuple(np.ascontiguousarray(array) for array in arrays))
    return found


def _as_bytes(guard: Guard) -> Callable[..., np.ndarray]:
    return lambda sizes, histograms: np.ascontiguousarray(guard(sizes, histograms), dtype=np.uint8)
