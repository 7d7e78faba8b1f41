"""Greedy merging of classes; see cpp/merging.hpp."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from paravent.kernels import native
from paravent.kernels.checks import check_tree
from paravent.kernels.native import check_codes


@dataclass(frozen=True, eq=False)
class Slope:
    """A tree with the cost of climbing from each node to the root of the tree that it is part of, which is the same for
    all: 0 at its own root, or more where that lies above; see cpp/merging.hpp."""

    parent: np.ndarray
    first: np.ndarray
    last: np.ndarray
    climb: np.ndarray


class Merges(NamedTuple):
    """Merge t joins classes `left[t]` and `right[t]` into class (number of classes + t) at `cost[t]`. `smallest[t]` is
    the size of the smallest class before it, and after the last one; 0 between two steps of one merge."""

    left: np.ndarray
    right: np.ndarray
    cost: np.ndarray
    smallest: np.ndarray


def check_slope(slope: Slope, at: int) -> None:
    """Refuse a tree that a kernel cannot climb, or on which climbing costs less from farther down."""
    check_tree(slope, slope.climb, f"axis {at}")
    if slope.climb[-1] < 0 or np.any(slope.climb[slope.parent[:-1]] > slope.climb[:-1]):
        raise ValueError(f"axis {at}: costs must grow towards the leaves")


def check_classes(nodes: np.ndarray, sizes: np.ndarray, axes: Sequence[Slope]) -> None:
    """Refuse what a kernel would read out of bounds by."""
    if nodes.ndim != 2 or nodes.shape[1] != len(axes) or len(sizes) != len(nodes) or not len(axes):
        raise ValueError("nodes must be a matrix with one column an axis and one row a size")
    if sizes.dtype != np.int64 or sizes.min(initial=1) < 1:
        raise ValueError("sizes must be positive int64")
    for at, slope in enumerate(axes):
        check_slope(slope, at)
        check_codes(nodes[:, at], len(slope.parent), f"axis {at}")


def merge(
    nodes: np.ndarray,
    sizes: np.ndarray,
    axes: Sequence[Slope],
    *,
    k: int,
    watch: Callable[[float], None] | None = None,
) -> Merges:
    """Merge classes (their tree nodes, classes × axes, all different, and sizes), the smallest first, each with the
    class that costs least to join, until every class has k rows or one is left. Ties: the class that came first."""
    check_classes(nodes, sizes, axes)
    if native.module is None:
        return merge_twin(nodes, sizes, axes, k=k, watch=watch)
    parts = [(slope.parent, slope.first, slope.last, slope.climb) for slope in axes]
    return Merges(*native.module.merge(np.ascontiguousarray(nodes), sizes, parts, k=k, watch=watch or native.unwatched))


def merge_twin(
    nodes: np.ndarray,
    sizes: np.ndarray,
    axes: Sequence[Slope],
    *,
    k: int,
    watch: Callable[[float], None] | None = None,
) -> Merges:
    """`merge`, written to be read: the smallest class against all others, every time."""

    def common(slope: Slope, a: int, b: int) -> int:
        low, high = min(slope.first[a], slope.first[b]), max(slope.last[a], slope.last[b])
        node = max(a, b)
        while slope.first[node] > low or slope.last[node] < high:
            node = int(slope.parent[node])
        return node

    def meet(a: list[int], b: list[int]) -> list[int]:
        return [common(slope, x, y) for slope, x, y in zip(axes, a, b, strict=True)]

    def cost(a: int, b: int) -> int:
        total = 0
        for slope, x, y, z in zip(axes, known[a], known[b], meet(known[a], known[b]), strict=True):
            total += int(slope.climb[x] - slope.climb[z]) * size[a] + int(slope.climb[y] - slope.climb[z]) * size[b]
        return total

    known = nodes.tolist()
    size = sizes.tolist()
    alive = set(range(len(known)))
    left: list[int] = []
    right: list[int] = []
    costs: list[int] = []
    smallest: list[int] = []
    while True:
        at = min(alive, key=lambda c: (size[c], c), default=-1)
        smallest.append(size[at] if at >= 0 else 0)
        if len(alive) < 2 or size[at] >= k:
            return Merges(
                *(np.array(a, dtype=t) for a, t in ((left, "i4"), (right, "i4"), (costs, "i8"), (smallest, "i8")))
            )
        if watch is not None:
            watch(1 - len(alive) / len(nodes))
        best, partner = min((cost(at, c), c) for c in alive if c != at)
        joined = meet(known[at], known[partner])
        pair, price = (at, partner), best
        while True:
            left.append(pair[0])
            right.append(pair[1])
            costs.append(price)
            alive -= set(pair)
            known.append(joined)
            size.append(size[pair[0]] + size[pair[1]])
            same = next((c for c in sorted(alive) if known[c] == joined), None)
            if same is None:
                break
            smallest.append(0)
            pair, price = (same, len(known) - 1), 0
        alive.add(len(known) - 1)
