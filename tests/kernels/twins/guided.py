"""Guided merging, written to be read."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from paravent.kernels.guided import FINE, GRID, Judge, Values, log_tables
from paravent.kernels.merging import Merges, TreeCosts


def merge_guided_twin(  # noqa: PLR0915 (one loop, read from top to bottom)
    nodes: np.ndarray,
    sizes: np.ndarray,
    axes: Sequence[TreeCosts],
    values: Values,
    *,
    rule: str,
    whole_table: bool,
    k: int,
    failing: np.ndarray,
    judge: Judge | None = None,
    watch: Callable[[float], None] | None = None,
) -> Merges:
    """`merge_guided`, written to be read: the smallest failing class against all others, every time."""
    xlogx, logs = log_tables(int(sizes.sum()))
    rows, table = int(values.table.sum()), values.table.tolist()
    known = nodes.tolist()
    size = sizes.tolist()
    bounds = zip(values.start[:-1].tolist(), values.start[1:].tolist(), strict=True)
    held = [dict(zip(values.value[a:b].tolist(), values.count[a:b].tolist(), strict=True)) for a, b in bounds]
    fails = [bool(f) or s < k for f, s in zip(failing.tolist(), size, strict=True)]

    def diversity(counts: dict[int, int]) -> int:
        """The entropy on a grid, so that equal ones are equal whatever the size."""
        total = sum(counts.values())
        spread = sum(int(xlogx[count]) for count in counts.values())
        return round((float(logs[total]) - spread / (total * FINE)) * GRID)

    def distance(counts: dict[int, int]) -> float:
        """The L1 distance to the table's distribution; one division of whole numbers, so equal ones are equal."""
        total = sum(counts.values())
        away = total * (rows - sum(table[v] for v in counts))
        away += sum(abs(rows * count - total * table[v]) for v, count in counts.items())
        return float(away / (rows * total))

    def coarse(x: float) -> float:
        """24 digits of a product: products that are equal on paper are equal."""
        return float(np.float32(x))

    def union(a: dict[int, int], b: dict[int, int]) -> dict[int, int]:
        counts = dict(a)
        for v, count in b.items():
            counts[v] = counts.get(v, 0) + count
        return counts

    def common(tree: TreeCosts, a: int, b: int) -> int:
        low, high = min(tree.first[a], tree.first[b]), max(tree.last[a], tree.last[b])
        node = max(a, b)
        while tree.first[node] > low or tree.last[node] < high:
            node = int(tree.parent[node])
        return node

    def meet(a: int, b: int) -> list[int]:
        return [common(tree, x, y) for tree, x, y in zip(axes, known[a], known[b], strict=True)]

    def cost(a: int, b: int) -> int:
        total = 0
        for tree, x, y, z in zip(axes, known[a], known[b], meet(a, b), strict=True):
            total += int(tree.climb[x] - tree.climb[z]) * size[a] + int(tree.climb[y] - tree.climb[z]) * size[b]
        return total

    def key(a: int, b: int) -> tuple[float, ...]:
        others = [c for c in alive if c not in (a, b)] if whole_table else []
        joined, same = union(held[a], held[b]), meet(a, b)
        for third in [c for c in others if known[c] == same]:  # classes that show the same are one class of the table
            joined = union(joined, held[third])
            others.remove(third)

        def l_measure() -> int:
            return min([diversity(joined), *(diversity(held[c]) for c in others)])

        def t_measure() -> float:
            return max([distance(joined), *(distance(held[c]) for c in others)])

        match rule:
            case "cost":
                return (cost(a, b), b)
            case "cost-l":
                return (cost(a, b), -l_measure(), b)
            case "l-cost":
                return (-l_measure(), cost(a, b), b)
            case "cost/l":
                return (coarse(cost(a, b) / math.exp(l_measure() / GRID)), cost(a, b), b)
            case "cost-t":
                return (cost(a, b), t_measure(), b)
            case "t-cost":
                return (t_measure(), cost(a, b), b)
            case "cost*t":
                return (coarse(cost(a, b) * t_measure()), cost(a, b), b)
            case "l":
                return (-l_measure(), b)
            case "t":
                return (t_measure(), b)
        return (size[a] + size[b], cost(a, b), b)

    alive = set(range(len(known)))
    left: list[int] = []
    right: list[int] = []
    costs: list[int] = []
    smallest: list[int] = []

    def join(a: int, b: int, price: int, at: list[int]) -> int:
        left.append(a)
        right.append(b)
        costs.append(price)
        made = len(known)
        known.append(at)
        size.append(size[a] + size[b])
        held.append(union(held[a], held[b]))
        alive.difference_update((a, b))
        fails.append(size[made] < k or (judge is not None and not judge(a, b)))
        return made

    while True:
        at = min((c for c in alive if fails[c]), key=lambda c: (size[c], c), default=-1)
        done = len(alive) < 2 or at < 0
        smallest.append(min((size[c] for c in alive), default=0) if done else size[at])
        if done:
            return Merges(
                *(np.array(a, dtype=t) for a, t in ((left, "i4"), (right, "i4"), (costs, "i8"), (smallest, "i8")))
            )
        if watch is not None:
            watch(1 - len(alive) / len(nodes))
        partner = int(min(key(at, c) for c in alive if c != at)[-1])
        joined = meet(at, partner)
        made = join(at, partner, cost(at, partner), joined)
        for same in [c for c in alive if known[c] == joined]:
            smallest.append(0)
            made = join(same, made, 0, joined)
        alive.add(made)
