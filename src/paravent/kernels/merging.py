"""Greedy merging of classes; see cpp/guided.hpp."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from paravent.kernels import native
from paravent.kernels.checks import check_tree
from paravent.kernels.cutting import CutAxis, Style
from paravent.kernels.native import check_codes


@dataclass(frozen=True, eq=False)
class TreeCosts:
    """A tree with the cost of climbing from each node to the root of the tree that it is part of, which is the same for
    all: 0 at its own root, or more where that lies above; see cpp/guided.hpp."""

    parent: np.ndarray
    first: np.ndarray
    last: np.ndarray
    climb: np.ndarray


class Merges(NamedTuple):
    """Merge t joins classes `left[t]` and `right[t]` into class (number of classes + t) at `cost[t]`. `smallest[t]` is
    the size of the smallest class that fails before it, and of the smallest one after the last; 0 between two steps of
    one merge."""

    left: np.ndarray
    right: np.ndarray
    cost: np.ndarray
    smallest: np.ndarray


def check_tree_costs(tree: TreeCosts, at: int) -> None:
    """Refuse a tree that a kernel cannot climb, or on which climbing costs less from farther down."""
    check_tree(tree, tree.climb, f"axis {at}")
    if tree.climb[-1] < 0 or np.any(tree.climb[tree.parent[:-1]] > tree.climb[:-1]):
        raise ValueError(f"axis {at}: costs must grow towards the leaves")


def check_classes(nodes: np.ndarray, sizes: np.ndarray, axes: Sequence[TreeCosts]) -> None:
    """Refuse what a kernel would read out of bounds by."""
    if nodes.ndim != 2 or nodes.shape[1] != len(axes) or len(sizes) != len(nodes) or not len(axes):
        raise ValueError("nodes must be a matrix with one column an axis and one row a size")
    if sizes.dtype != np.int64 or sizes.min(initial=1) < 1:
        raise ValueError("sizes must be positive int64")
    for at, tree in enumerate(axes):
        check_tree_costs(tree, at)
        check_codes(nodes[:, at], len(tree.parent), f"axis {at}")


_UNGUIDED = dict.fromkeys(
    ("start", "value", "count", "table", "xlogx", "logs", "rule", "whole_table", "failing", "judge", "floor")
)


def native_merges(
    nodes: np.ndarray,
    sizes: np.ndarray,
    axes: Sequence[TreeCosts],
    *,
    k: int,
    stubs: bool = False,
    watch: Callable[[float], None] | None = None,
    **guide: Any,
) -> tuple[np.ndarray, ...]:
    """What the compiled module makes of classes: `Merges`, and how many rows of each partner. Every node of a tree is a
    code of its own, and costs what climbing to it from the dearest leaf does."""
    check_classes(nodes, sizes, axes)
    found: tuple[np.ndarray, ...] = native.module.merge(
        classes=len(nodes),
        nodes=np.ascontiguousarray(nodes),
        sizes=np.ascontiguousarray(sizes),
        axes=[CutAxis(Style.TREE, t.climb, 0, t.parent, t.first, t.last, t.climb.max() - t.climb) for t in axes],
        k=k,
        stubs=stubs,
        watch=watch or native.unwatched,
        **{**_UNGUIDED, **guide},
    )
    return found


def merge(
    nodes: np.ndarray,
    sizes: np.ndarray,
    axes: Sequence[TreeCosts],
    *,
    k: int,
    watch: Callable[[float], None] | None = None,
) -> Merges:
    """Merge classes (their tree nodes, classes × axes, all different, and sizes), the smallest first, each with the
    class that costs least to join, until every class has k rows or one is left. Ties: the class that came first."""
    return Merges(*native_merges(nodes, sizes, axes, k=k, watch=watch)[:4])
