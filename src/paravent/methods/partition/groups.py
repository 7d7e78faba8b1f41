"""Generalization groups: the sets of rows that a label covers (Mauger 2021, §5.1).

Two labels that cover the same rows lie on one chain, so of all labels over a set of rows one is lowest: the minimal
groups are those whose label is the lowest over their own rows, the closed patterns of the trees. They are listed as
closed itemsets are (Kuznetsov's Close-by-One; LCM, Uno et al. 2004), with support as the limit: a label is specialised
on one axis, closed, and kept if no earlier axis moved, so that none is found twice and none is thrown away.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np

from paravent.methods.partition.space import Space


class Groups(NamedTuple):
    """Minimal groups, those with most rows first. Group g is the rows under `labels[g]`, its reference record: those of
    the tuples `members[g]` (positions among the tuples asked for, ascending), `rows[g]` in all. A row keeps `worth[g]`
    there. The first group is everything. `complete` is False where the limit left some out."""

    labels: np.ndarray
    members: list[np.ndarray]
    rows: np.ndarray
    worth: np.ndarray
    complete: bool


def minimal_groups(
    space: Space, tuples: np.ndarray, rows: np.ndarray, k: int = 1, *, most: int = 1 << 20, lookups: int = 1 << 40
) -> Groups:
    """The minimal groups of at least k rows among `rows[i]` copies of each of some tuples.

    Beyond `most` groups, or when `lookups` cells of tuples have been looked at, the list ends: it then holds those with
    most rows (of equals, those found first), and the table as a whole in any case.
    """
    leaves = space.leaves[tuples]
    queue: list[tuple[int, int, int, np.ndarray, np.ndarray]] = []
    every = np.arange(len(tuples))
    heappush(queue, (-int(rows.sum()), 0, 0, space.label(tuples), every))
    serial = looked = 0
    found: list[tuple[np.ndarray, np.ndarray, int]] = []
    while queue and len(found) < most and (looked < lookups or not found):
        negative, _, axis, label, members = heappop(queue)
        found.append((label, members, -negative))
        looked += len(members) * len(space.trees)
        for j in range(axis, len(space.trees)):
            for child in space.trees[j].children(int(label[j])).tolist():
                tree, mine = space.trees[j], leaves[members, j]
                inside = members[(tree.first[child] <= mine) & (mine <= tree.last[child])]
                size = int(rows[inside].sum())
                if size < k or not len(inside):
                    continue
                closed = space.label(tuples[inside])
                if np.array_equal(closed[:j], label[:j]):
                    serial += 1
                    heappush(queue, (-size, serial, j, closed, inside))
    labels = np.stack([label for label, _, _ in found])
    return Groups(
        labels,
        [members for _, members, _ in found],
        np.array([size for _, _, size in found], dtype=np.int64),
        space.worth(labels),
        not queue,
    )
