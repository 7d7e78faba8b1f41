"""The best partition of a class into two parts, exactly and in polynomial time.

A row costs the same wherever it comes from: its price minus the worth of the label it gets. So of a pair of groups that
cover the class, the one worth more takes every row it can. What it leaves, the rest, decides the other one: the lowest
label over the rest where that has k rows, else the group over the rest that is worth most, and it is filled up to k.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from paravent.methods.partition.groups import Groups
from paravent.methods.partition.space import Space


class Split(NamedTuple):
    """A partition of a class: `taken[p, i]` copies of its tuple i go to part p; what the rows keep in all."""

    taken: np.ndarray
    worth: int


def whole(space: Space, tuples: np.ndarray, rows: np.ndarray) -> Split:
    """The class as one part."""
    return Split(rows[None, :], int(space.worth(space.label(tuples)[None, :])[0]) * int(rows.sum()))


def best_halves(space: Space, tuples: np.ndarray, rows: np.ndarray, groups: Groups, k: int) -> Split | None:
    """The partition into two parts of at least k rows whose groups keep most; None where there is none.

    Best of all where `groups` are complete. Ties: the group that stands first in the list, and beside it the one that
    stands first. A part that is filled up takes the copies of the first tuples.
    """
    total = int(rows.sum())
    if total < 2 * k:
        return None
    by_worth = np.argsort(-groups.worth, kind="stable")
    best: tuple[int, int, int, int] | None = None  # what it keeps, the group, the other one, how many are given
    for a in range(1, len(groups.members)):
        size = int(groups.rows[a])
        rest = _rest(len(tuples), groups.members[a])
        label = space.label(tuples[rest])
        left = total - size
        if left >= k:
            other, given = -1, 0
            worth = int(space.worth(label[None, :])[0])
        else:
            over = _over(space, groups.labels[by_worth], label)
            other, given = int(by_worth[np.flatnonzero(over)[0]]), k - left
            worth = int(groups.worth[other])
        kept = int(groups.worth[a]) * (size - given) + worth * (left + given)
        if best is None or kept > best[0]:
            best = kept, a, other, given
    if best is None:
        return None
    kept, a, other, given = best
    taken = np.zeros((2, len(tuples)), dtype=np.int64)
    taken[0, groups.members[a]] = rows[groups.members[a]]
    taken[1] = rows - taken[0]
    for i in np.intersect1d(groups.members[a], groups.members[other]).tolist() if given else ():
        moved = min(given, int(taken[0, i]))
        taken[0, i] -= moved
        taken[1, i] += moved
        given -= moved
    return Split(taken, kept)


def _rest(n: int, members: np.ndarray) -> np.ndarray:
    inside = np.zeros(n, dtype=bool)
    inside[members] = True
    return np.flatnonzero(~inside)


def _over(space: Space, labels: np.ndarray, label: np.ndarray) -> np.ndarray:
    """Which of some labels generalize a label."""
    found = np.ones(len(labels), dtype=bool)
    for j, tree in enumerate(space.trees):
        found &= tree.is_ancestor(labels[:, j], np.full(len(labels), label[j]))
    return found
