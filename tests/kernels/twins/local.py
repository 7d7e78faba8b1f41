"""The start of the search over labels, written to be read: see cpp/local.hpp."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from paravent.kernels import Cover, Demand, PricedLevel
from paravent.kernels.demands import demand_holds

Holds = Callable[[Sequence[int]], bool]
"""Whether some rows are as demanded."""


def cover_twin(
    leaves: Sequence[np.ndarray],
    priced_levels: Sequence[Sequence[PricedLevel]],
    weight: np.ndarray,
    nodes: np.ndarray,
    *,
    k: int,
    most: int,
    coarse: int | None = None,
    sensitive: Sequence[np.ndarray] = (),
    demands: Sequence[Demand] = (),
) -> Cover:
    """The start of `local_search` (no proposals), written to be read: labels by cost, each opened if k rows without a
    label are under it, as demanded."""
    first = np.cumsum([0, *weight.tolist()]).tolist()
    sizes = [int(column.max(initial=-1)) + 1 for column in sensitive]

    def as_demanded(some: Sequence[int]) -> bool:
        counts = [np.bincount(c[list(some)], minlength=n) for c, n in zip(sensitive, sizes, strict=True)]
        return all(demand_holds(demand, counts[demand.column]) for demand in demands)

    def rows_of(some: Sequence[int]) -> list[int]:
        return [row for t in some for row in range(first[t], first[t + 1])]

    useful: Holds | None = (lambda some: as_demanded(rows_of(some))) if sensitive else None
    fine = len(nodes) if coarse is None else coarse
    limits = [most - 1 - (most // 4 if at < fine < len(nodes) else 0) for at in range(len(nodes) - 1)]
    members, costs, choices = _labels(leaves, priced_levels, weight, nodes, k, [*limits, most], useful)
    rows: dict[int, list[int]] = {}
    placed: set[int] = set()
    order = sorted(members, key=lambda label: (costs[label], label))
    for label in order:
        free = [t for t in members[label] if t not in placed]
        if sum(int(weight[t]) for t in free) >= k and (not sensitive or as_demanded(rows_of(free))):
            rows[label] = rows_of(free)
            placed.update(free)
    rest = sorted(set(range(len(weight))) - placed)
    if sensitive:
        _place_rest(rows, costs, choices, order[-1], [(t, row) for t in rest for row in rows_of([t])], k, as_demanded)
    else:
        _place_all(rows, costs, choices, order[-1], [(t, rows_of([t])) for t in rest], k)
    of_row = np.full(first[-1], -1, dtype=np.int32)
    for label, mine in rows.items():
        of_row[mine] = label
    cost = sum(costs[label] * len(mine) for label, mine in rows.items())
    return Cover(of_row, cost, cost)


def _place_all(
    rows: dict[int, list[int]],
    costs: dict[int, int],
    choices: list[list[int]],
    top: int,
    rest: list[tuple[int, list[int]]],
    k: int,
) -> None:
    """Tuples without a label take the cheapest open one; a top below k takes rows and classes over."""
    for t, mine in rest:
        label = next((label for label in choices[t] if label in rows), top)
        rows.setdefault(label, []).extend(mine)
    age = {label: i for i, label in enumerate(rows)}
    while len(rows.get(top, range(k))) < k:
        givers = [label for label in rows if label != top and len(rows[label]) > k]
        if givers:
            giver = max(givers, key=lambda label: (costs[label], -age[label]))
            rows[top].append(rows[giver].pop())
        else:
            _dissolve(rows, costs, top, age)


def _place_rest(
    rows: dict[int, list[int]],
    costs: dict[int, int],
    choices: list[list[int]],
    top: int,
    rest: list[tuple[int, int]],
    k: int,
    as_demanded: Holds,
) -> None:
    """Rows without a label take the cheapest open one that stays as demanded, else the top; a top that is not as
    demanded takes classes over."""
    left = []
    for t, row in rest:
        label = next((label for label in choices[t] if label in rows and as_demanded([*rows[label], row])), None)
        if label is None:
            left.append(row)
        else:
            rows[label].append(row)
    if not left:
        return
    rows.setdefault(top, []).extend(left)
    age = {label: i for i, label in enumerate(rows)}
    while len(rows) > 1 and not (len(rows[top]) >= k and as_demanded(rows[top])):
        _dissolve(rows, costs, top, age)


def _dissolve(rows: dict[int, list[int]], costs: dict[int, int], top: int, age: dict[int, int]) -> None:
    """The class whose rows lose least at the top goes there."""
    giver = min(
        (label for label in rows if label != top),
        key=lambda label: ((costs[top] - costs[label]) * len(rows[label]), age[label]),
    )
    rows[top] += reversed(rows.pop(giver))


def _labels(
    leaves: Sequence[np.ndarray],
    priced_levels: Sequence[Sequence[PricedLevel]],
    weight: np.ndarray,
    nodes: np.ndarray,
    k: int,
    limits: Sequence[int],
    useful: Holds | None,
) -> tuple[dict[int, list[int]], dict[int, int], list[list[int]]]:
    """The tuples under each label, its cost, and the labels that each tuple chooses from, by cost."""
    found: list[tuple[int, list[int]]] = []
    choices: list[list[int]] = [[] for _ in weight]
    known: set[tuple[int, ...]] = set()
    for at, node in enumerate(nodes.tolist()):
        if at < len(nodes) - 1 and all(len(mine) >= limits[at] for mine in choices):
            continue
        priced = [own[level] for own, level in zip(priced_levels, node, strict=True)]
        groups: dict[tuple[int, ...], list[int]] = {}
        for t in range(len(weight)):
            cells = tuple(int(level.codes[column[t]]) for level, column in zip(priced, leaves, strict=True))
            groups.setdefault(cells, []).append(t)
        for members in groups.values():
            if sum(int(weight[t]) for t in members) < k:
                continue
            if at < len(nodes) - 1 and useful is not None and not useful(members):
                continue
            if tuple(members) in known and at < len(nodes) - 1:
                continue
            known.add(tuple(members))
            cost = sum(int(level.cost[column[members[0]]]) for level, column in zip(priced, leaves, strict=True))
            for t in members:
                if len(choices[t]) < limits[at]:
                    choices[t].append(len(found))
            found.append((cost, members))
    chosen: dict[int, list[int]] = {}
    for t, mine in enumerate(choices):
        for label in mine:
            chosen.setdefault(label, []).append(t)
    kept = [label for label in sorted(chosen) if sum(int(weight[t]) for t in chosen[label]) >= k]
    number = {label: i for i, label in enumerate(kept)}
    costs = {i: found[label][0] for label, i in number.items()}
    renumbered = [[number[label] for label in mine if label in number] for mine in choices]
    by_cost = [sorted(mine, key=lambda label: (costs[label], label)) for mine in renumbered]
    return {number[label]: chosen[label] for label in kept}, costs, by_cost
