"""The kernels of `partition`, written to be read: every draw and every tie as in cpp/.

`cover_twin` reads the given labels and lowers them (what `cover_search` does without proposals); `improve_twin` and
`prices_twin` do all that their kernels do.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

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
