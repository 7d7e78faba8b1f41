"""Greedy merging, written to be read."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from paravent.kernels.merging import Merges, TreeCosts
from paravent.kernels.stubs import StubMerges


def merge_twin(
    nodes: np.ndarray,
    sizes: np.ndarray,
    axes: Sequence[TreeCosts],
    *,
    k: int,
    watch: Callable[[float], None] | None = None,
) -> Merges:
    """`merge`, written to be read: the smallest class against all others, every time."""

    def common(tree: TreeCosts, a: int, b: int) -> int:
        low, high = min(tree.first[a], tree.first[b]), max(tree.last[a], tree.last[b])
        node = max(a, b)
        while tree.first[node] > low or tree.last[node] < high:
            node = int(tree.parent[node])
        return node

    def meet(a: list[int], b: list[int]) -> list[int]:
        return [common(tree, x, y) for tree, x, y in zip(axes, a, b, strict=True)]

    def cost(a: int, b: int) -> int:
        total = 0
        for tree, x, y, z in zip(axes, known[a], known[b], meet(known[a], known[b]), strict=True):
            total += int(tree.climb[x] - tree.climb[z]) * size[a] + int(tree.climb[y] - tree.climb[z]) * size[b]
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


def merge_stubs_twin(
    nodes: np.ndarray,
    sizes: np.ndarray,
    axes: Sequence[TreeCosts],
    *,
    k: int,
    watch: Callable[[float], None] | None = None,
) -> StubMerges:
    """`merge_stubs`, written to be read: one class against all others, every time."""

    def common(tree: TreeCosts, a: int, b: int) -> int:
        low, high = min(tree.first[a], tree.first[b]), max(tree.last[a], tree.last[b])
        node = max(a, b)
        while tree.first[node] > low or tree.last[node] < high:
            node = int(tree.parent[node])
        return node

    def meet(a: int, b: int) -> list[int]:
        return [common(tree, x, y) for tree, x, y in zip(axes, known[a], known[b], strict=True)]

    def given(a: int, b: int) -> int:
        return k - size[a] if size[b] >= 2 * k - size[a] else size[b]

    def cost(a: int, b: int) -> int:
        total = 0
        for tree, x, y, z in zip(axes, known[a], known[b], meet(a, b), strict=True):
            total += int(tree.climb[x] - tree.climb[z]) * size[a] + int(tree.climb[y] - tree.climb[z]) * given(a, b)
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
        at = min(small, key=lambda c: (size[c], c))
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
