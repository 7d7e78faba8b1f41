"""The kernel of `partition`, written to be read: every tie as in cpp/bound.hpp."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np

from paravent.kernels.lattice import PricedLevel


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
