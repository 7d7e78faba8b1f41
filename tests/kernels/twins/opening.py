"""The kernel of `opening`, written to be read: every draw and tie as in cpp/opening.hpp."""

from __future__ import annotations

import math
from bisect import insort
from collections.abc import Sequence

import numpy as np

from paravent.kernels import CutAxis, Demand
from paravent.kernels.demands import demand_holds
from tests.kernels.twins.draws import Draws

_QUANTILES = [-math.log((i + 0.5) / 4096) for i in range(4096)]
_ENDLESS = 2**63 - 1


class _Class:
    """A label (nodes), what a row pays under it, the tuples that it covers, and the rows that stand at it."""

    def __init__(self, nodes: list[int], cost: int, under: list[int]) -> None:
        self.nodes, self.cost, self.under = nodes, cost, under
        self.rows: list[int] = []


class _Twin:
    def __init__(
        self,
        tuples: list[tuple[int, ...]],
        tuple_of: list[int],
        axes: Sequence[CutAxis],
        start: list[int],
        k: int,
        seed: int,
        columns: Sequence[np.ndarray],
        demands: Sequence[Demand],
    ) -> None:
        self.tuples, self.tuple_of, self.axes, self.k = tuples, tuple_of, axes, k
        self.columns, self.demands, self.draws, self.done = columns, demands, Draws(seed), 0
        self.at: list[int] = [-1] * len(tuple_of)
        self.copies: list[list[int]] = [[] for _ in tuples]
        for row, t in enumerate(tuple_of):
            self.copies[t].append(row)
        self.classes: list[_Class] = []
        self.spare: list[int] = []
        self.offers: list[list[tuple[int, int]]] = [[] for _ in tuples]
        known: dict[tuple[int, ...], int] = {}
        for c in range(max(start) + 1):
            mine = [row for row, of in enumerate(start) if of == c]
            nodes = self.lowest(mine)
            if tuple(nodes) not in known:
                known[tuple(nodes)] = len(self.classes)
                self.begin(nodes, self.look(nodes))
            for row in mine:
                self.put(row, known[tuple(nodes)])

    def put(self, row: int, c: int) -> None:
        self.at[row] = c
        self.classes[c].rows.append(row)

    def move(self, row: int, to: int) -> None:
        rows = self.classes[self.at[row]].rows
        rows[rows.index(row)] = rows[-1]
        rows.pop()
        self.put(row, to)
        self.done += 4

    def size(self, c: int) -> int:
        return len(self.classes[c].rows)

    def holds(self, c: int) -> bool:
        rows = self.classes[c].rows
        return len(rows) >= self.k and all(
            demand_holds(d, np.bincount(self.columns[d.column][rows], minlength=int(self.columns[d.column].max()) + 1))
            for d in self.demands
        )

    def try_move(self, row: int, to: int) -> bool:
        start = self.at[row]
        self.move(row, to)
        if not self.columns or (self.holds(start) and self.holds(to)):
            return True
        self.move(row, start)
        return False

    def lowest(self, rows: Sequence[int]) -> list[int]:
        found = []
        for j, axis in enumerate(self.axes):
            leaves = [self.tuples[self.tuple_of[row]][j] for row in rows]
            node = min(leaves)
            while axis.last[node] < max(leaves):
                node = int(axis.parent[node])
            found.append(node)
        return found

    def price(self, nodes: Sequence[int]) -> int:
        return sum(int(axis.node_cost[node]) for axis, node in zip(self.axes, nodes, strict=True))

    def look(self, nodes: Sequence[int]) -> list[int]:
        covered = [
            {t for t, leaves in enumerate(self.tuples) if axis.first[node] <= leaves[j] <= axis.last[node]}
            for j, (axis, node) in enumerate(zip(self.axes, nodes, strict=True))
        ]
        under = sorted(set.intersection(*covered))
        self.done += len(set.intersection(*({t // 64 for t in mine} for mine in covered))) + len(under) // 2
        return under

    def show(self, c: int, open_: bool) -> None:
        mine = self.classes[c]
        self.done += 4 * len(mine.under)
        for t in mine.under:
            if open_:
                insort(self.offers[t], (mine.cost, c))
            else:
                self.offers[t].remove((mine.cost, c))

    def begin(self, nodes: list[int], under: list[int]) -> int:
        made = _Class(nodes, self.price(nodes), under)
        if self.spare:
            c = self.spare.pop()
            self.classes[c] = made
        else:
            c = len(self.classes)
            self.classes.append(made)
        self.show(c, True)
        return c

    def cheapest(self, row: int, but: int) -> int:
        return next((c for _, c in self.offers[self.tuple_of[row]] if c != but), -1)

    def leave(self, row: int, limit: int) -> None:
        offers = self.offers[self.tuple_of[row]]
        cost, to = offers[self.draws.below(len(offers))]
        if to != self.at[row] and cost - self.classes[self.at[row]].cost <= limit:
            self.try_move(row, to)

    def elsewhere(self, c: int, rows: Sequence[int], limit: int, change: int) -> int | None:
        """What it costs in all when rows of a class go to their cheapest other labels; None: more than the limit."""
        for row in rows:
            other = self.cheapest(row, c)
            self.done += 2
            if other < 0:
                return None
            change += self.classes[other].cost - self.classes[c].cost
            if change > limit:
                return None
        return change

    def close(self, c: int, limit: int) -> None:
        if self.elsewhere(c, self.classes[c].rows, limit, 0) is None:
            return
        self.show(c, False)
        log = []
        while self.size(c):
            row = self.classes[c].rows[-1]
            log.append((row, c))
            self.move(row, self.cheapest(row, c))
        if self.all_hold(log):
            self.spare.append(c)
            return
        self.undo(log)
        self.show(c, True)

    def all_hold(self, log: list[tuple[int, int]]) -> bool:
        touched = {c for row, start in log for c in (start, self.at[row])}
        return not self.columns or all(self.holds(c) for c in touched if self.size(c))

    def undo(self, log: list[tuple[int, int]]) -> None:
        for row, start in reversed(log):
            self.move(row, start)

    def moved(self, c: int, row: int) -> list[int]:
        nodes = list(self.classes[c].nodes)
        for _ in range(1 + self.draws.below(3)):
            j = self.draws.below(len(self.axes))
            axis, leaf = self.axes[j], self.tuples[self.tuple_of[row]][j]
            if self.draws.below(2**32) & 1:
                if nodes[j] != leaf:
                    below = leaf
                    while axis.parent[below] != nodes[j]:
                        below = int(axis.parent[below])
                    nodes[j] = below
            elif axis.parent[nodes[j]] >= 0:
                nodes[j] = int(axis.parent[nodes[j]])
        return nodes

    def open(self, nodes: list[int], under: list[int], replaced: int, limit: int) -> None:
        cost, inside = self.price(nodes), set(under)
        here: dict[int, int] = {}
        for t in under:
            for row in self.copies[t]:
                here[self.at[row]] = here.get(self.at[row], 0) + 1
                self.done += 1

        def dissolved(c: int, most: int) -> int | None:
            change = (cost - self.classes[c].cost) * here[c]
            if here[c] == self.size(c):
                return change if change <= most else None
            rows = [row for row in self.classes[c].rows if self.tuple_of[row] not in inside]
            return self.elsewhere(c, rows, most, change)

        change = have = 0
        sources: list[list[int | bool]] = []  # price, class, take, whether it is dissolved, whether it waits
        for c, there in here.items():
            gain, free = self.classes[c].cost - cost, min(there, self.size(c) - self.k)
            if c == replaced:
                whole = dissolved(c, _ENDLESS)
                if whole is None:
                    return
                have, change = have + there, change + whole
                sources.append([0, c, there, True, False])
                continue
            if gain <= 0:
                if free > 0 or there == self.size(c):
                    sources.append([-gain, c, 0, free <= 0, True])
                continue
            whole = dissolved(c, limit - gain * free) if there > free else None
            if whole is not None:
                if whole < -gain * free:
                    have, change = have + there, change + whole
                    sources.append([0, c, there, True, False])
                    continue
                sources.append([(whole + gain * free) // (there - free), c, free, True, True])
            elif free > 0:
                sources.append([0, c, free, False, False])
            have, change = have + free, change - gain * free
        if have < self.k:
            sources.sort(key=lambda source: source[0])
            for source in sources:
                if have >= self.k or change > limit:
                    break
                price, c, take, dissolves, waits = source
                if waits:
                    more = here[c] - take if dissolves else min(here[c], self.size(c) - self.k, self.k - have)
                    source[2], source[4] = take + more, False
                    have, change = have + more, change + price * more
        if have >= self.k and change <= limit:
            self.carry_out(under, sources, limit)

    def carry_out(self, under: list[int], sources: list[list[int | bool]], limit: int) -> None:
        wanted = {c: int(take) for _, c, take, _, _ in sources}
        closed = [int(c) for _, c, _, dissolves, waits in sources if dissolves and not waits]
        taken = []
        for t in under:
            for row in self.copies[t]:
                if wanted.get(self.at[row], 0) > 0:
                    wanted[self.at[row]] -= 1
                    taken.append(row)
        nodes = self.lowest(taken)
        to = self.begin(nodes, self.look(nodes))
        log: list[tuple[int, int]] = []
        change = 0

        def go(row: int, other: int) -> None:
            nonlocal change
            change += self.classes[other].cost - self.classes[self.at[row]].cost
            log.append((row, self.at[row]))
            self.move(row, other)

        for row in taken:
            go(row, to)
        for c in closed:
            self.show(c, False)
        sound = True
        for c in closed:
            while sound and self.size(c):
                row = self.classes[c].rows[-1]
                other = self.cheapest(row, -1)
                sound = other >= 0 and change <= limit
                if sound:
                    go(row, other)
        if sound and change <= limit and self.all_hold(log):
            self.spare += closed
            return
        for c in closed:
            self.show(c, True)
        self.undo(log)
        self.show(to, False)
        self.spare.append(to)

    def quench(self) -> None:
        moved = True
        while moved:
            moved = False
            for row in range(len(self.tuple_of)):
                c, (cost, other) = self.at[row], self.offers[self.tuple_of[row]][0]
                if self.size(c) > self.k and cost < self.classes[c].cost:
                    moved |= self.try_move(row, other)

    def total(self) -> int:
        return sum(c.cost * len(c.rows) for c in self.classes)

    def anneal(self, unit: float, work: int, hot: float, cold: float) -> None:
        heat, i = 0.0, 0
        while self.done < work:
            if i & 255 == 0:
                heat = unit * hot * (cold / hot) ** (self.done / work)
            i += 1
            row = self.draws.below(len(self.tuple_of))
            c = self.at[row]
            self.done += 32
            if self.classes[c].cost == 0:
                continue
            dice = self.draws.below(2**32)
            limit = int(heat * _QUANTILES[dice & 4095])
            if (dice >> 12) % 16 < 5:
                nodes, replaces = self.moved(c, row), (dice >> 16) % 16 < 3
                if replaces or self.price(nodes) < self.classes[c].cost:
                    under = self.look(nodes)
                    if sum(len(self.copies[t]) for t in under) >= self.k:
                        self.open(nodes, under, c if replaces else -1, limit)
            elif self.size(c) > self.k and not (self.columns and (dice >> 20) % 4 == 0 and self.size(c) <= 4 * self.k):
                self.leave(row, limit)
            else:
                self.close(c, limit)


def open_labels_twin(
    codes: np.ndarray,
    axes: Sequence[CutAxis],
    of_row: np.ndarray,
    *,
    k: int,
    work: int,
    hot: float,
    cold: float = 0.1,
    seed: int = 0,
    sensitive: Sequence[np.ndarray] = (),
    demands: Sequence[Demand] = (),
) -> tuple[np.ndarray, int, int]:
    """On trees: the class of each row, what the labels cost, and what those of the start cost."""
    told_apart = sorted(range(len(axes)), key=lambda j: -axes[j].size)
    tuples = sorted({tuple(row) for row in codes.tolist()}, key=lambda leaves: [leaves[j] for j in told_apart])
    tuple_of = [tuples.index(tuple(row)) for row in codes.tolist()]
    order = sorted(range(len(tuple_of)), key=lambda row: tuple_of[row])
    twin = _Twin(
        tuples,
        [tuple_of[row] for row in order],
        axes,
        of_row[order].tolist(),
        k,
        seed,
        [column[order] for column in sensitive],
        demands,
    )
    start, start_cost = list(twin.at), twin.total()
    twin.anneal(start_cost / len(codes), work, hot, cold)
    twin.quench()
    found = twin.at if twin.total() < start_cost else start
    result = np.empty(len(codes), dtype=np.int32)
    result[order] = np.unique(found, return_inverse=True)[1].reshape(-1)
    return result, min(twin.total(), start_cost), start_cost
