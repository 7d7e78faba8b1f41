"""`kernels.clustering`, written to be read: every candidate is looked at every time."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from paravent.kernels.clustering import Judge, Members, Pair, Points, PricedAxis, Watch
from paravent.kernels.cutting import Style

_Arrays = tuple[np.ndarray, np.ndarray]


def label_cost(priced: PricedAxis, values: Iterable[int]) -> int:
    """What the label over some values of a column costs."""
    found = set(values)
    axis = priced.axis
    low, high = min(found), max(found)
    if axis.style is Style.SET:
        return axis.unit * (len(found) - 1)
    if axis.style is Style.SPAN:
        return min(int(axis.ruler[high] - axis.ruler[low]), priced.cap)
    node = low
    while axis.last[node] < high:
        node = int(axis.parent[node])
    return int(axis.node_cost[node])


class _Costs:
    """Costs of groups, each given as a list of units."""

    def __init__(self, points: Points) -> None:
        self.codes = points.codes.tolist()
        self.axes = points.axes
        self.base = [0] * len(self.codes) if points.base is None else points.base.tolist()

    def label(self, units: list[int]) -> int:
        return sum(label_cost(axis, (self.codes[u][j] for u in units)) for j, axis in enumerate(self.axes))

    def group(self, units: list[int]) -> int:
        return len(units) * self.label(units) - sum(self.base[u] for u in units)


def grow_twin(
    points: Points,
    k: int,
    centred: bool,
    seeds: np.ndarray,
    start: int,
    judge: Judge | None,
    watch: Watch | None,
) -> _Arrays:
    cost = _Costs(points)
    left = points.counts.tolist()
    rows: list[int] = []
    groups: list[int] = []
    last = start
    number = 0

    def remaining() -> list[int]:
        return [u for u, count in enumerate(left) if count]

    def enough(cluster: list[int]) -> bool:
        return len(cluster) >= k and (judge is None or bool(judge.holds(np.array(cluster, dtype=np.int32))))

    def lacked(cluster: list[int], unit: int) -> bool:
        """Whether the unit's kind is rarer in the cluster than in the table."""
        if judge is None:
            return True
        here = sum(judge.kind[u] == judge.kind[unit] for u in cluster)
        return bool(here * judge.table.sum() < len(cluster) * judge.table[judge.kind[unit]])

    while sum(left) >= k and sum(left) > 0:
        if watch is not None:
            watch(len(rows) / (len(rows) + sum(left)))
        if len(seeds):
            seed = next(u for u in seeds.tolist() if left[u])
        else:
            seed = max(remaining(), key=lambda u: (cost.group([last, u]), -u))
        cluster = [seed]
        left[seed] -= 1
        while not enough(cluster) and sum(left):
            if len(cluster) >= k:
                wanted = [u for u in remaining() if lacked(cluster, u)] or remaining()
                chosen = min(wanted, key=lambda u: (cost.group([*cluster, u]), u))
            elif centred:
                chosen = min(remaining(), key=lambda u: (cost.group([seed, u]), cost.group([*cluster, u]), u))
            else:
                chosen = min(remaining(), key=lambda u: (cost.group([*cluster, u]), u))
            cluster.append(chosen)
            left[chosen] -= 1
        if not sum(left) and not enough(cluster):
            break
        rows += cluster
        groups += [number] * len(cluster)
        last = cluster[-1]
        number += 1
    return np.array(rows, dtype=np.int32), np.array(groups, dtype=np.int32)


def join_twin(
    points: Points,
    members: Members,
    rows: np.ndarray,
    below: int,
    spare: int,
    judge: Pair | None,
    tries: int,
    watch: Watch | None,
) -> np.ndarray:
    cost = _Costs(points)
    groups = _lists(members)
    dear = points.dearest
    found = []
    for i, row in enumerate(rows.tolist()):
        if watch is not None:
            watch(i / len(rows))
        open_to = [g for g, units in enumerate(groups) if len(units) < below] or range(len(groups))
        offers = sorted((cost.group([*groups[g], row]) - cost.group(groups[g]), g) for g in open_to)
        if spare and offers[0][0] + cost.base[row] > dear:
            spare -= 1
            found.append(-1)
            continue
        asked = [] if judge is None else [g for _, g in offers[:tries]]
        at = next((g for g in asked if judge is not None and judge(g, row)), offers[0][1])
        groups[at].append(row)
        found.append(at)
    return np.array(found, dtype=np.int32)


def shed_twin(points: Points, members: Members, k: int) -> np.ndarray:
    cost = _Costs(points)
    given_up = []
    for begin, end in zip(members.start[:-1].tolist(), members.start[1:].tolist(), strict=True):
        here = list(range(begin, end))
        while len(here) > k:
            units = {place: [int(members.row[p]) for p in here if p != place] for place in here}
            goes = min(here, key=lambda place: (cost.group(units[place]), -place))
            given_up.append(goes)
            here.remove(goes)
    return np.array(given_up, dtype=np.int64)


def absorb_twin(
    points: Points,
    members: Members,
    waiting: np.ndarray,
    k: int,
    divide: bool,
    spare: int,
    watch: Watch | None,
) -> _Arrays:
    cost = _Costs(points)
    groups: list[list[int]] = _lists(members)
    queue = waiting.tolist()
    left_out: list[int] = []
    dear = points.dearest

    def alive() -> list[int]:
        return [g for g, units in enumerate(groups) if units]

    def taken(c: int, other: int) -> int:
        """How many rows of another group join."""
        missing = k - len(groups[c])
        size = len(groups[other])
        return missing if divide and missing > 0 and size - missing >= k else size

    def price(c: int, other: int) -> int:
        t, here, there = taken(c, other), groups[c], groups[other]
        together = cost.label(here + there)
        return (len(here) + t) * together - len(here) * cost.label(here) - t * cost.label(there)

    while queue and len(alive()) > 1:
        if watch is not None:
            watch(1 - len(queue) / len(waiting))
        c = queue.pop(0)
        if not groups[c]:
            continue
        best, partner = min((price(c, g), g) for g in alive() if g != c)
        if len(groups[c]) <= spare and best > len(groups[c]) * (dear - cost.label(groups[c])):
            spare -= len(groups[c])
            left_out += groups[c]
            groups[c] = []
        elif taken(c, partner) < len(groups[partner]):
            for _ in range(taken(c, partner)):
                order = range(len(groups[partner]))
                at = min(order, key=lambda i: (cost.group([*groups[c], groups[partner][i]]), i))
                groups[c].append(groups[partner].pop(at))
        else:
            groups.append(groups[partner] + groups[c])
            groups[c], groups[partner] = [], []
            if len(groups[-1]) < k:
                queue.append(len(groups) - 1)
    kept = [units for units in groups if units]
    unit = [u for units in kept for u in units] + left_out
    group = [g for g, units in enumerate(kept) for _ in units] + [-1] * len(left_out)
    return np.array(unit, dtype=np.int32), np.array(group, dtype=np.int32)


def _lists(members: Members) -> list[list[int]]:
    ends = zip(members.start[:-1].tolist(), members.start[1:].tolist(), strict=True)
    return [members.row[a:b].tolist() for a, b in ends]
