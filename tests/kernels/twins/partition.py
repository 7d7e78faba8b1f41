"""The kernels of `partition`, written to be read: every draw and every tie as in cpp/.

`cover_twin` reads the given labels and lowers them (what `cover_search` does without proposals); `improve_twin` and
`prices_twin` do all that their kernels do.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from paravent.kernels.lattice import PricedLevel
from paravent.kernels.merging import TreeCosts

_MASK = 2**64 - 1
_Label = tuple[int, ...]


def cover_twin(
    leaves: np.ndarray, axes: Sequence[TreeCosts], labels: np.ndarray, *, k: int
) -> tuple[np.ndarray, np.ndarray, int]:
    cover = _Cover(leaves, axes, k)
    best = cover.begin([tuple(label) for label in labels.tolist()])
    while True:
        found = cover.settled(*best)
        if cover.total(*found) <= cover.total(*best):
            break
        best = found
    state, parts = cover.begin(best[0][:-1])
    opened = [(label, rows) for label, rows in zip(state, parts, strict=True) if rows]
    of_row = np.zeros(len(leaves), dtype=np.int32)
    for number, (_, rows) in enumerate(opened):
        of_row[sorted(rows)] = number
    return of_row, np.array([label for label, _ in opened], dtype=np.int32), cover.total(state, parts)


class _Cover:
    """States: labels by falling worth, the roots last, and the rows of each."""

    def __init__(self, leaves: np.ndarray, axes: Sequence[TreeCosts], k: int) -> None:
        self.leaves, self.axes, self.k = leaves, axes, k

    def worth(self, label: _Label) -> int:
        return sum(int(axis.climb[node]) for axis, node in zip(self.axes, label, strict=True))

    def under(self, label: _Label) -> set[int]:
        inside = np.ones(len(self.leaves), dtype=bool)
        for j, (axis, node) in enumerate(zip(self.axes, label, strict=True)):
            inside &= (self.leaves[:, j] >= axis.first[node]) & (self.leaves[:, j] <= axis.last[node])
        return set(np.flatnonzero(inside).tolist())

    def total(self, state: list[_Label], parts: list[set[int]]) -> int:
        return sum(self.worth(label) * len(rows) for label, rows in zip(state, parts, strict=True))

    def begin(self, labels: Sequence[_Label]) -> tuple[list[_Label], list[set[int]]]:
        state: list[_Label] = [tuple(len(axis.parent) - 1 for axis in self.axes)]
        for label in labels:
            if label not in state and len(self.under(label)) >= self.k:
                self._insert(state, label)
        parts = self.read(state)
        kept = [label for label, rows in zip(state[:-1], parts, strict=False) if rows] + state[-1:]
        return kept, parts if len(kept) == len(state) else self.read(kept)

    def _insert(self, state: list[_Label], label: _Label) -> None:
        at = next((i for i, other in enumerate(state[:-1]) if self.worth(other) < self.worth(label)), len(state) - 1)
        state.insert(at, label)

    def read(self, state: list[_Label]) -> list[set[int]]:
        """Each row to the label worth most; a label that gets fewer than k takes what others can spare, the dearest
        first, or stays closed; the roots take whole classes at last."""
        rest = set(range(len(self.leaves)))
        parts: list[set[int]] = []
        for i, label in enumerate(state):
            under = self.under(label)
            mine = rest & under
            lacks = self.k - len(mine)
            givers = []
            if mine and lacks > 0:
                for c in range(i - 1, -1, -1):
                    more = min(len(parts[c] & under), max(len(parts[c]) - self.k, 0), lacks)
                    if more:
                        givers.append((c, more))
                    lacks -= more
                    if lacks <= 0:
                        break
                if lacks > 0 and i < len(state) - 1:
                    mine, givers = set(), []
            rest -= mine
            for c, more in givers:
                given = set(sorted(parts[c] & under)[:more])
                parts[c] = parts[c] - given
                mine = mine | given
            c = i - 1
            while mine and lacks > 0 and c >= 0:
                lacks -= len(parts[c])
                mine, parts[c] = mine | parts[c], set()
                c -= 1
            parts.append(mine)
        return parts

    def settled(self, state: list[_Label], parts: list[set[int]]) -> tuple[list[_Label], list[set[int]]]:
        """Every open label as low as its rows allow."""
        kept: list[_Label] = []
        lower: list[_Label] = []
        for label, rows in zip(state, parts, strict=True):
            if rows:
                low = _lowest(self.leaves[sorted(rows)], self.axes)
                if low != label:
                    lower.append(low)
                elif label != state[-1]:
                    kept.append(label)
        kept.append(state[-1])
        for label in lower:
            if label not in kept:
                self._insert(kept, label)
        return kept, self.read(kept)


def _lowest(leaves: np.ndarray, axes: Sequence[TreeCosts]) -> _Label:
    """The lowest label over some rows."""
    found = []
    for j, axis in enumerate(axes):
        node, high = int(leaves[:, j].min()), int(leaves[:, j].max())
        while axis.last[node] < high:
            node = int(axis.parent[node])
        found.append(node)
    return tuple(found)


def mixed(x: int) -> int:
    """splitmix64"""
    x = (x + 0x9E3779B97F4A7C15) & _MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _MASK
    return x ^ (x >> 31)


def improve_twin(
    leaves: np.ndarray,
    axes: Sequence[TreeCosts],
    of_row: np.ndarray,
    order: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    *,
    k: int,
    proposals: int,
    hot: float,
    cold: float,
    chains: int,
    seed: int,
    sensitive: Sequence[np.ndarray],
    guard: Any,
) -> tuple[np.ndarray, int, int]:
    found = []
    for c in range(chains):
        chain = _Exchange(leaves, axes, of_row, (order, first, last), k, (seed + 1000003 * c) % 2**64, sensitive, guard)
        start = chain.worth
        chain.run(proposals, hot, cold)
        found.append(chain)
    best = max(range(chains), key=lambda c: (found[c].best_worth, -c))
    return np.array(found[best].best, dtype=np.int32), found[best].best_worth, start


class _Exchange:
    def __init__(
        self,
        leaves: np.ndarray,
        axes: Sequence[TreeCosts],
        of_row: np.ndarray,
        groupings: tuple[np.ndarray, np.ndarray, np.ndarray],
        k: int,
        seed: int,
        sensitive: Sequence[np.ndarray],
        guard: Any,
    ) -> None:
        self.leaves, self.axes, self.k, self.guard, self.sensitive = leaves, axes, k, guard, sensitive
        self.order, self.first, self.last = groupings
        self.of = of_row.tolist()
        self.rows: list[list[int]] = [[] for _ in range(max(self.of) + 1)]
        for row, c in enumerate(self.of):
            self.rows[c].append(row)
        self.labels: list[_Label] = [_lowest(leaves[rows], axes) for rows in self.rows]
        self.spare: list[int] = []
        self.log: list[tuple[int, int]] = []
        self.touched: dict[int, _Label] = {}
        self.kept = 0
        self.worth = sum(self._keeps(c) for c in range(len(self.rows)))
        self.best, self.best_worth = list(self.of), self.worth
        self.state = mixed(seed) | 1

    def below(self, n: int) -> int:
        x = self.state
        x ^= (x << 13) & _MASK
        x ^= x >> 7
        x ^= (x << 17) & _MASK
        self.state = x
        return ((x >> 16) & 0xFFFFFFFF) * n >> 32

    def _value(self, label: _Label) -> int:
        return sum(int(axis.climb[node]) for axis, node in zip(self.axes, label, strict=True))

    def _keeps(self, c: int) -> int:
        return len(self.rows[c]) * self._value(self.labels[c]) if self.rows[c] else 0

    def touch(self, c: int) -> None:
        if c not in self.touched:
            self.touched[c] = self.labels[c]
            self.kept += self._keeps(c)

    def shift(self, row: int, to: int) -> None:
        mine = self.rows[self.of[row]]
        mine[mine.index(row)] = mine[-1]
        mine.pop()
        self.of[row] = to
        self.rows[to].append(row)

    def move(self, row: int, to: int) -> None:
        self.touch(self.of[row])
        self.touch(to)
        self.log.append((row, self.of[row]))
        self.shift(row, to)

    def allowed(self) -> bool:
        if self.guard is None:
            return True
        left = [c for c in self.touched if self.rows[c]]
        counted = []
        for column in self.sensitive:
            pairs = [np.unique(column[self.rows[c]], return_counts=True) for c in left]
            start = np.cumsum([0, *(len(value) for value, _ in pairs)])
            value, count = (np.concatenate([pair[i] for pair in pairs]) for i in (0, 1))
            counted.append((start, value.astype(np.int32), count.astype(np.int64)))
        return bool(np.all(self.guard(np.array([len(self.rows[c]) for c in left]), counted)))

    def judge(self, limit: int) -> None:
        loss = self.kept
        sound = all(not self.rows[c] or len(self.rows[c]) >= self.k for c in self.touched)
        if sound:
            for c in self.touched:
                if self.rows[c]:
                    self.labels[c] = _lowest(self.leaves[self.rows[c]], self.axes)
                    loss -= self._keeps(c)
        if sound and loss <= limit and (not self.log or self.allowed()):
            self.worth -= loss
            for c in self.touched:
                if self.rows[c] and self.spare and self.spare[-1] == c:
                    self.spare.pop()
            for c in self.touched:
                if not self.rows[c] and (not self.spare or self.spare[-1] != c):
                    self.spare.append(c)
        else:
            for row, c in reversed(self.log):
                self.shift(row, c)
            for c, label in self.touched.items():
                self.labels[c] = label
        self.touched, self.log, self.kept = {}, [], 0

    def partner(self, row: int, but: int) -> int:
        g = self.below(len(self.order))
        begin, end = int(self.first[g, row]), int(self.last[g, row])
        other = int(self.order[g, begin + self.below(end - begin)])
        return -1 if self.of[other] == but else other

    def divide(self, row: int, c: int, other: int, limit: int) -> None:
        pool = self.rows[c] + (self.rows[other] if other >= 0 else [])
        if len(pool) < 2 * self.k:
            return
        over = _lowest(self.leaves[pool], self.axes)
        best, choice = -1, None
        for j, axis in enumerate(self.axes):
            node = int(self.leaves[row, j])
            while node != over[j]:
                inside = [bool(axis.first[node] <= self.leaves[r, j] <= axis.last[node]) for r in pool]
                side = [r for r, here in zip(pool, inside, strict=True) if here]
                rest = [r for r, here in zip(pool, inside, strict=True) if not here]
                if len(side) >= self.k and len(rest) >= self.k:
                    worth = sum(len(part) * self._value(_lowest(self.leaves[part], self.axes)) for part in (side, rest))
                    if worth > best:
                        best, choice = worth, inside
                node = int(axis.parent[node])
        if choice is None:
            return
        if other < 0:
            if not self.spare:
                self.rows.append([])
                self.labels.append(())
                self.spare.append(len(self.rows) - 1)
            other = self.spare[-1]
        self.touch(c)
        self.touch(other)
        for r, here in zip(pool, choice, strict=True):
            if self.of[r] != (aim := c if here else other):
                self.move(r, aim)
        self.judge(limit)

    def dissolve(self, c: int, limit: int) -> None:
        for row in list(self.rows[c]):
            to, best = -1, 0
            for _ in range(4):
                other = self.partner(row, c)
                if other < 0:
                    continue
                aim = self.of[other]
                label = self.labels[aim]
                size = len(self.rows[aim])
                both = self._with(label, row)
                gain = (size + 1) * self._value(both) - size * self._value(label)
                if to < 0 or gain > best:
                    to, best = aim, gain
            if to < 0:
                break
            self.move(row, to)
        self.judge(limit)

    def _with(self, label: _Label, row: int) -> _Label:
        found = []
        for j, (axis, start) in enumerate(zip(self.axes, label, strict=True)):
            node = start
            while not axis.first[node] <= self.leaves[row, j] <= axis.last[node]:
                node = int(axis.parent[node])
            found.append(node)
        return tuple(found)

    def propose(self, limit: int) -> None:
        row = self.below(len(self.leaves))
        c, kind = self.of[row], self.below(16)
        other = self.partner(row, c)
        if other < 0:
            self.divide(row, c, -1, limit)
            return
        to = self.of[other]
        if kind < 6:
            if len(self.rows[c]) <= self.k:
                return
            self.move(row, to)
        elif kind < 9:
            self.move(row, to)
            self.move(other, c)
        elif kind < 11:
            third = self.partner(row, c)
            if third < 0 or self.of[third] == to or len(self.rows[self.of[third]]) <= self.k:
                return
            self.move(row, to)
            self.move(third, c)
        elif kind < 12:
            for r in list(self.rows[c]):
                self.move(r, to)
        elif kind < 14:
            self.divide(row, c, to, limit)
            return
        else:
            if len(self.rows[c]) <= 4 * self.k:
                self.dissolve(c, limit)
            return
        self.judge(limit)

    def keep(self) -> None:
        if self.worth > self.best_worth:
            self.best, self.best_worth = list(self.of), self.worth

    def run(self, proposals: int, hot: float, cold: float) -> None:
        n = len(self.leaves)
        most = sum(int(axis.climb[self.leaves[:, j]].sum()) for j, axis in enumerate(self.axes))
        unit = (most - self.worth) / n
        quantile = [-math.log((i + 0.5) / 4096) for i in range(4096)]
        cooled, look = proposals - proposals // 6, max(1, proposals // 64)
        heat = 0.0
        for i in range(proposals):
            if i % 256 == 0:
                heat = unit * hot * math.pow(cold / hot, i / proposals) if i < cooled and hot > 0 else 0.0
            self.propose(int(heat * quantile[self.below(4096)]))
            if i % look == 0:
                self.keep()
        self.keep()


def prices_twin(
    leaves: Sequence[np.ndarray],
    priced_levels: Sequence[Sequence[PricedLevel]],
    weight: np.ndarray,
    nodes: np.ndarray,
    least: np.ndarray,
    *,
    end: int,
    k: int,
) -> np.ndarray:
    """Prices grow together and stop where the k dearest rows under a label reach k times its cost."""
    price: dict[int, int] = {}
    groups: list[tuple[int, list[int]]] = []
    events: list[tuple[int, int]] = []

    def stop(cost: int, members: list[int]) -> int:
        grow = sum(int(weight[t]) for t in members if t not in price)
        if grow == 0:
            return -1
        if grow >= k:
            return cost
        lacks, room = k - grow, k * cost
        for t in sorted((t for t in members if t in price), key=lambda t: -price[t]):
            taken = min(lacks, int(weight[t]))
            room -= price[t] * taken
            lacks -= taken
        return room // grow

    for begin in range(0, len(nodes), 32):
        if len(price) == len(weight):
            break
        for node in nodes[begin : begin + 32].tolist():
            priced = [own[level] for own, level in zip(priced_levels, node, strict=True)]
            labels: dict[tuple[int, ...], list[int]] = {}
            for t in range(len(weight)):
                cells = tuple(int(level.codes[column[t]]) for level, column in zip(priced, leaves, strict=True))
                labels.setdefault(cells, []).append(t)
            for members in labels.values():
                if all(t in price for t in members) or sum(int(weight[t]) for t in members) < k:
                    continue
                cost = sum(int(level.cost[column[members[0]]]) for level, column in zip(priced, leaves, strict=True))
                heapq.heappush(events, (cost, len(groups)))
                groups.append((cost, members))
        until = int(least[begin + 32]) if begin + 32 < len(nodes) else end
        while events and events[0][0] < until and len(price) < len(weight):
            time, group = heapq.heappop(events)
            now = stop(*groups[group])
            if now > time:
                heapq.heappush(events, (now, group))
            elif now >= 0:
                price.update({t: now for t in groups[group][1] if t not in price})
    return np.array([price.get(t, end) for t in range(len(weight))], dtype=np.int64)
