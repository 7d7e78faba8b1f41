"""Local recoding as a search over labels; see cpp/local.hpp."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from paravent.kernels import native
from paravent.kernels.lattice import Rung, Tuples

MOST = 448
"""The labels that a tuple can choose from, at most."""


class Cover(NamedTuple):
    """The label of each row (rows: the copies of tuple 0, of tuple 1, …), numbers without meaning; what the labels
    cost, and what those of the start cost."""

    of_row: np.ndarray
    cost: int
    start_cost: int


def local_search(
    leaves: Sequence[np.ndarray],
    ladders: Sequence[Sequence[Rung]],
    weight: np.ndarray,
    nodes: np.ndarray,
    *,
    k: int,
    proposals: int,
    most: int = 400,
    hot: float = 1.3,
    cold: float = 0.12,
    seed: int = 0,
    watch: Callable[[float], None] | None = None,
) -> Cover:
    """Give each copy of some weighted tuples (`leaves`, column by column) a label at one of `nodes` (levels, the last
    one the top), so that at least k rows share each label and little is lost.

    A tuple chooses from the first `most` labels that k rows can share. The start opens labels by cost; `proposals`
    changes are tried on it while the temperature falls from `hot` to `cold` (in what a row of the start costs). The
    result costs no more than the start and depends on nothing but the arguments.
    """
    tuples = Tuples(leaves, ladders, weight)
    tuples.check_nodes(nodes)
    if not len(nodes) or not 1 <= k <= tuples.n_rows:
        raise ValueError("at least one node, and weights that add up to k rows at least")
    if not 1 < most <= MOST or not hot >= cold > 0:
        raise ValueError(f"most must lie between 2 and {MOST}, and hot ≥ cold > 0")
    for at, rungs in enumerate(ladders):
        if len(np.unique(rungs[nodes[-1, at]].codes)) > 1:
            raise ValueError(f"column {at}: the last node must say nothing")
    if native.module is None:
        return cover_twin(leaves, ladders, weight, nodes, k=k, most=most)
    found = native.module.local_search(
        tuples.parts,
        np.ascontiguousarray(weight),
        np.ascontiguousarray(nodes),
        k=k,
        most=most,
        proposals=proposals,
        hot=hot,
        cold=cold,
        seed=seed % 2**64,
        threads=native.threads(),
        watch=watch or native.unwatched,
    )
    return Cover(*found)


def cover_twin(
    leaves: Sequence[np.ndarray],
    ladders: Sequence[Sequence[Rung]],
    weight: np.ndarray,
    nodes: np.ndarray,
    *,
    k: int,
    most: int,
) -> Cover:
    """The start of `local_search` (no proposals), written to be read: labels by cost, each opened if k rows without a
    label are under it."""
    members, costs, choices = _labels(leaves, ladders, weight, nodes, k, most)
    first = np.cumsum([0, *weight.tolist()]).tolist()
    rows: dict[int, list[int]] = {}
    placed: set[int] = set()
    order = sorted(members, key=lambda label: (costs[label], label))
    for label in order:
        free = [t for t in members[label] if t not in placed]
        if sum(int(weight[t]) for t in free) >= k:
            rows[label] = [row for t in free for row in range(first[t], first[t + 1])]
            placed.update(free)
    top = order[-1]
    for t in sorted(set(range(len(weight))) - placed):
        label = next((label for label in choices[t] if label in rows), top)
        rows.setdefault(label, []).extend(range(first[t], first[t + 1]))
    age = {label: i for i, label in enumerate(rows)}
    while len(rows.get(top, range(k))) < k:
        givers = [label for label in rows if label != top and len(rows[label]) > k]
        if givers:
            giver = max(givers, key=lambda label: (costs[label], -age[label]))
            rows[top].append(rows[giver].pop())
        else:
            giver = min(
                (label for label in rows if label != top),
                key=lambda label: ((costs[top] - costs[label]) * len(rows[label]), age[label]),
            )
            rows[top] += reversed(rows.pop(giver))
    of_row = np.full(first[-1], -1, dtype=np.int32)
    for label, mine in rows.items():
        of_row[mine] = label
    cost = sum(costs[label] * len(mine) for label, mine in rows.items())
    return Cover(of_row, cost, cost)


def _labels(
    leaves: Sequence[np.ndarray],
    ladders: Sequence[Sequence[Rung]],
    weight: np.ndarray,
    nodes: np.ndarray,
    k: int,
    most: int,
) -> tuple[dict[int, list[int]], dict[int, int], list[list[int]]]:
    """The tuples under each label, its cost, and the labels that each tuple chooses from, by cost."""
    found: list[tuple[int, list[int]]] = []
    choices: list[list[int]] = [[] for _ in weight]
    known: set[tuple[int, ...]] = set()
    for at, node in enumerate(nodes.tolist()):
        if at < len(nodes) - 1 and all(len(mine) >= most - 1 for mine in choices):
            continue
        rungs = [ladder[level] for ladder, level in zip(ladders, node, strict=True)]
        groups: dict[tuple[int, ...], list[int]] = {}
        for t in range(len(weight)):
            cells = tuple(int(rung.codes[column[t]]) for rung, column in zip(rungs, leaves, strict=True))
            groups.setdefault(cells, []).append(t)
        for members in groups.values():
            if sum(int(weight[t]) for t in members) < k:
                continue
            if tuple(members) in known and at < len(nodes) - 1:
                continue
            known.add(tuple(members))
            cost = sum(int(rung.cost[column[members[0]]]) for rung, column in zip(rungs, leaves, strict=True))
            for t in members:
                if len(choices[t]) < most - 1 or at == len(nodes) - 1:
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
