"""Greedy merging with stubs (KACA's class division); see cpp/merging.hpp."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from paravent.kernels import native
from paravent.kernels.merging import Slope, check_classes


class StubMerges(NamedTuple):
    """Step t joins class `left[t]` and `taken[t]` rows of class `right[t]` (0: all of it) to class (number of classes +
    t), at `cost[t]`. A class of which some rows are taken stays, with its number."""

    left: np.ndarray
    right: np.ndarray
    cost: np.ndarray
    taken: np.ndarray


def merge_stubs(
    nodes: np.ndarray,
    sizes: np.ndarray,
    axes: Sequence[Slope],
    *,
    k: int,
    in_order: bool = False,
    watch: Callable[[float], None] | None = None,
) -> StubMerges:
    """Merge classes (their tree nodes, classes × axes, all different, and sizes) until every class has k rows or one is
    left: the smallest class (or with `in_order` the first one below k) joins the class that costs least to join.

    A class that keeps k rows gives only those that the smaller one lacks, and only these count as its size; where both
    would show the same nodes as the larger one does, they are one class. Ties: the class that came first."""
    check_classes(nodes, sizes, axes)
    if native.module is None:
        return merge_stubs_twin(nodes, sizes, axes, k=k, in_order=in_order, watch=watch)
    parts = [(slope.parent, slope.first, slope.last, slope.climb) for slope in axes]
    ways = {"k": k, "stubs": True, "in_order": in_order, "watch": watch or native.unwatched}
    return StubMerges(*native.module.merge(np.ascontiguousarray(nodes), sizes, parts, **ways))


def merge_stubs_twin(
    nodes: np.ndarray,
    sizes: np.ndarray,
    axes: Sequence[Slope],
    *,
    k: int,
    in_order: bool = False,
    watch: Callable[[float], None] | None = None,
) -> StubMerges:
    """`merge_stubs`, written to be read: one class against all others, every time."""

    def common(slope: Slope, a: int, b: int) -> int:
        low, high = min(slope.first[a], slope.first[b]), max(slope.last[a], slope.last[b])
        node = max(a, b)
        while slope.first[node] > low or slope.last[node] < high:
            node = int(slope.parent[node])
        return node

    def meet(a: int, b: int) -> list[int]:
        return [common(slope, x, y) for slope, x, y in zip(axes, known[a], known[b], strict=True)]

    def given(a: int, b: int) -> int:
        return k - size[a] if size[b] >= 2 * k - size[a] else size[b]

    def cost(a: int, b: int) -> int:
        total = 0
        for slope, x, y, z in zip(axes, known[a], known[b], meet(a, b), strict=True):
            total += int(slope.climb[x] - slope.climb[z]) * size[a] + int(slope.climb[y] - slope.climb[z]) * given(a, b)
        return total

    known: list[list[int]] = nodes.tolist()
    size: list[int] = sizes.tolist()
    alive = set(range(len(known)))
    steps: list[tuple[int, int, int, int]] = []
    while True:
        small = [c for c in alive if size[c] < k]
        if not small or len(alive) < 2:
            left, right, costs, taken = zip(*steps, strict=True) if steps else ((), (), (), ())
            return StubMerges(
                np.array(left, dtype="i4"), np.array(right, dtype="i4"), np.array(costs, "i8"), np.array(taken, "i8")
            )
        if watch is not None:
            watch(1 - len(alive) / len(nodes))
        at = min(small) if in_order else min(small, key=lambda c: (size[c], c))
        price, partner = min((cost(at, c), c) for c in alive if c != at)
        joined = meet(at, partner)
        rows = given(at, partner)
        stub = 0 if rows == size[partner] or joined == known[partner] else rows
        steps.append((at, partner, price, stub))
        alive.discard(at)
        known.append(joined)
        size.append(size[at] + rows if stub else size[at] + size[partner])
        if stub:
            size[partner] -= stub
        else:
            alive.discard(partner)
        while (same := next((c for c in sorted(alive) if known[c] == joined), None)) is not None:
            steps.append((same, len(known) - 1, 0, 0))
            alive.discard(same)
            size.append(size[same] + size[-1])
            known.append(joined)
        alive.add(len(known) - 1)
