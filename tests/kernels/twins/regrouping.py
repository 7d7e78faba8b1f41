"""The kernel of `regrouping`, written to be read: every draw and tie as in cpp/regrouping.hpp."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from paravent.kernels import CutAxis, Demand, Guard, Style
from paravent.kernels.demands import demand_holds
from paravent.kernels.regrouping import near_orders
from tests.kernels.twins.draws import Draws

_NEIGHBOURS, _WINDOW = 10, 8
_PLAIN, _HOT, _QUESTION = 2, 0.2, 8192
_TABLE = 1 << 17
_QUANTILES = [-math.log((i + 0.5) / 4096) for i in range(4096)]


class Prices:
    """What labels cost: sets of codes in, by the axes."""

    def __init__(self, axes: Sequence[CutAxis]) -> None:
        self.axes = axes

    def of(self, j: int, codes: Sequence[int]) -> int:
        axis, low, high = self.axes[j], min(codes), max(codes)
        if axis.style is Style.SET:
            return axis.unit * (len(set(codes)) - 1)
        if axis.style is Style.SPAN:
            return int(axis.ruler[high] - axis.ruler[low])
        node = low
        while axis.last[node] < high:
            node = int(axis.parent[node])
        return int(axis.node_cost[node])

    def label(self, points: Sequence[Sequence[int]]) -> int:
        return sum(self.of(j, codes) for j, codes in enumerate(zip(*points, strict=True)))


def neighbours(points: list[tuple[int, ...]], prices: Prices, orders: list[list[int]]) -> tuple[list[list[int]], int]:
    """The neighbours of every point, and the work that finding them was."""
    n, work = len(points), 0
    places = [{x: i for i, x in enumerate(order)} for order in orders]
    near: list[list[int]] = []
    for x in range(n):
        around = {
            y
            for order, place in zip(orders, places, strict=True)
            for y in order[max(0, place[x] - _WINDOW) : place[x] + _WINDOW + 1]
        }
        found = sorted((prices.label([points[x], points[y]]), y) for y in around - {x})
        work += len(found) * len(prices.axes)
        near.append([y for _, y in found[:_NEIGHBOURS]])
    return near, work


def heat(done: int, begun: int, planned: int) -> float:
    if begun < 0 or planned <= begun:
        return 0.0
    return _HOT * max(0.0, 1 - 1.5 * ((done - begun) / (planned - begun)))


def quick(axis: CutAxis) -> bool:
    """Whether what a label costs with a code is known without climbing."""
    return axis.style is not Style.TREE or len(axis.parent) * axis.size <= _TABLE


class _Twin:
    def __init__(
        self,
        rows: list[tuple[int, ...]],
        tuples: list[int],
        prices: Prices,
        start: list[int],
        k: int,
        seed: int,
        columns: Sequence[np.ndarray],
        demands: Sequence[Demand],
        judged: Sequence[np.ndarray],
        guard: Guard | None,
    ) -> None:
        self.prices, self.k, self.draws, self.done = prices, k, Draws(seed), 0
        self.columns, self.demands, self.judged, self.guard = columns, demands, judged, guard
        self.work = [0, *accumulate(1 if quick(axis) else 2 for axis in prices.axes)]
        pieces = []
        row = 0
        while row < len(rows):
            end = row
            while end < len(rows) and (tuples[end], start[end]) == (tuples[row], start[row]):
                end += 1
            single = min(max(end - row - k, 0), k - 1)
            pieces += [list(range(row, end - single)), *([i] for i in range(end - single, end))]
            row = end
        points = [rows[piece[0]] for piece in pieces]
        orders = [order.tolist() for order in near_orders(np.array(points, dtype=np.int32), prices.axes, seed)]
        number = {x: i for i, x in enumerate(orders[0])}
        self.orders = [[number[x] for x in order] for order in orders]
        self.pieces, self.points = [pieces[x] for x in orders[0]], [points[x] for x in orders[0]]
        self.of = [start[piece[0]] for piece in self.pieces]
        self.classes: list[list[int]] = [[] for _ in range(max(start) + 1)]
        for x, c in enumerate(self.of):
            self.classes[c].append(x)
        self.spare: list[int] = []
        for c in self.classes:  # reading the start is work too
            self.done += len(c) * self.work[-1]

    def size(self, pieces: Sequence[int]) -> int:
        return sum(len(self.pieces[x]) for x in pieces)

    def cost(self, pieces: Sequence[int]) -> int:
        return self.prices.label([self.points[x] for x in pieces])

    def total(self) -> int:
        return sum(self.cost(c) * self.size(c) for c in self.classes if c)

    def counts(self, pieces: Sequence[int], column: np.ndarray) -> np.ndarray:
        return np.bincount([column[r] for x in pieces for r in self.pieces[x]], minlength=int(column.max()) + 1)

    def demanded(self, pieces: Sequence[int]) -> bool:
        return all(demand_holds(d, self.counts(pieces, self.columns[d.column])) for d in self.demands)

    def holds(self, pieces: Sequence[int]) -> bool:
        return self.size(pieces) >= self.k and self.demanded(pieces)

    def with_piece(self, part: Sequence[int], x: int, enough: float = math.inf) -> int:
        total, j = 0, 0
        while j < len(self.prices.axes) and total <= enough:
            total += self.prices.of(j, [self.points[y][j] for y in (*part, x)])
            j += 1
        self.done += self.work[j]
        return total

    def cluster(self, pool: list[int], seed: int, most: int) -> list[list[int]] | None:
        parts: list[list[int]] = []
        left = list(pool)
        rest, spent, at = self.size(pool), 0, seed

        def take(at: int) -> int:
            x = left[at]
            left[at] = left[-1]
            left.pop()
            return x

        while rest >= self.k and left:
            part = [take(at)]
            self.done += self.work[-1]
            while not self.holds(part) and left:
                best, least = 0, math.inf
                for place, x in enumerate(left):
                    cost = self.with_piece(part, x, least)
                    heavier = (-len(self.pieces[x]), x) < (-len(self.pieces[left[best]]), left[best])
                    if cost < least or (cost == least and heavier):
                        best, least = place, cost
                self.done += self.work[-1]
                part.append(take(best))
                if spent + self.cost(part) * self.size(part) > most:
                    return None
            if not self.holds(part):
                left += part
                break
            parts.append(part)
            spent += self.cost(part) * self.size(part)
            rest -= self.size(part)
            at = self.draws.below(len(left)) if left else 0
        if not parts:
            return None
        for x in left:
            tried = []
            for number, part in enumerate(parts):
                more = self.with_piece(part, x) * self.size([*part, x]) - self.cost(part) * self.size(part)
                tried.append((not self.demanded([*part, x]), more, number))
            self.done += self.work[-1]
            parts[min(tried)[2]].append(x)
        if not all(self.holds(part) for part in parts) or sum(self.cost(p) * self.size(p) for p in parts) > most:
            return None
        return parts if self.allowed(parts) else None

    def allowed(self, made: list[list[int]]) -> bool:
        if self.guard is None:
            return True
        self.done += _QUESTION
        histograms = []
        for column in self.judged:
            starts, values, counts = [0], [], []
            for part in made:
                seen = self.counts(part, column)
                values += np.flatnonzero(seen).tolist()
                counts += seen[seen > 0].tolist()
                starts.append(len(values))
            histograms.append((np.array(starts), np.array(values), np.array(counts)))
        return bool(np.all(self.guard(np.array([self.size(part) for part in made]), histograms)))

    def visit(self, x: int, near: list[list[int]], limit: int, most_pieces: int) -> None:
        chosen = [self.of[x]]
        pool = list(self.classes[self.of[x]])
        if len(pool) > most_pieces:
            return
        wanted = 2 + self.draws.below(3)
        for _ in range(2 * wanted):
            if len(chosen) >= wanted:
                break
            drawn = self.draws.below(_NEIGHBOURS)
            if drawn >= len(near[x]):
                continue
            c = self.of[near[x][drawn]]
            if c in chosen or len(pool) + len(self.classes[c]) > most_pieces:
                continue
            chosen.append(c)
            pool += self.classes[c]
        if self.size(pool) < 2 * self.k:
            return
        before = sum(self.cost(self.classes[c]) * self.size(self.classes[c]) for c in chosen)
        nothing = -1 if self.guard is not None and limit == 0 else limit
        made = self.cluster(pool, pool.index(x), before + nothing)
        if made is None:
            return
        for c in chosen:
            self.classes[c] = []
            self.spare.append(c)
        for part in made:
            if not self.spare:
                self.spare.append(len(self.classes))
                self.classes.append([])
            c = self.spare.pop()
            self.classes[c] = part
            for y in part:
                self.of[y] = c


def regroup_twin(
    codes: np.ndarray,
    axes: Sequence[CutAxis],
    of_row: np.ndarray,
    *,
    k: int,
    work: int,
    seed: int = 0,
    sensitive: Sequence[np.ndarray] = (),
    demands: Sequence[Demand] = (),
    judged: Sequence[np.ndarray] = (),
    guard: Guard | None = None,
    planned: int | None = None,
) -> tuple[np.ndarray, int, int]:
    """The class of each row, its cost, and that of the start."""
    extra = [*sensitive, *judged]
    keys = [(*codes[r].tolist(), *(int(column[r]) for column in extra)) for r in range(len(codes))]
    number = {key: i for i, key in enumerate(sorted(set(keys)))}
    order = sorted(range(len(codes)), key=lambda r: (number[keys[r]], of_row[r], r))
    prices = Prices(axes)
    twin = _Twin(
        [tuple(codes[r].tolist()) for r in order],
        [number[keys[r]] for r in order],
        prices,
        [int(of_row[r]) for r in order],
        k,
        seed,
        [column[order] for column in sensitive],
        demands,
        [column[order] for column in judged],
        guard,
    )
    start = best_cost = twin.total()
    best = list(twin.of)
    near, looked = neighbours(twin.points, prices, twin.orders)
    twin.done += looked
    unit, most_pieces, sweep, begun = start / max(1, len(codes)), max(96, 4 * k), 0, -1
    planned = work if planned is None else planned
    while twin.done < work and best_cost > 0:
        begun = twin.done if sweep == _PLAIN else begun
        before, warm = twin.done, 0.0
        for x in range(len(twin.points)):
            if twin.done >= work:
                break
            if x % 1024 == 0:
                warm = unit * heat(twin.done, begun, planned)
            if twin.cost(twin.classes[twin.of[x]]) == 0:
                continue
            limit = 0 if warm == 0 else int(warm * _QUANTILES[twin.draws.below(4096)])
            twin.visit(x, near, limit, most_pieces)
        if (twin.done < work or warm == 0) and twin.total() < best_cost:
            best_cost, best = twin.total(), list(twin.of)
        if twin.done == before:
            break
        sweep += 1
    found = np.empty(len(codes), dtype=np.int32)
    for x, rows in enumerate(twin.pieces):
        found[[order[r] for r in rows]] = best[x]
    return np.unique(found, return_inverse=True)[1].reshape(-1).astype(np.int32), best_cost, start
