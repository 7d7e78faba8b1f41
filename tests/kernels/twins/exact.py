"""The best k-partition of a small class, by branch and bound over its minimal groups.

Because a row costs the same in a group wherever it comes from, once it is decided which groups are open everything else
is easy: each row goes to the open group that is worth most, and groups with too few rows are filled up along chains of
moves from those that can spare rows, the one worth least first (a flow whose cost depends on its source alone, so greed
is exact). What is searched is which groups to open. The bound: every row at the best group that is not closed, minus
what it costs at least to fill each group that must be open.
"""

from __future__ import annotations

import numpy as np

from paravent.methods.partition.groups import Groups
from paravent.methods.partition.repartition import Found, Limits, split
from paravent.methods.partition.space import Space
from paravent.methods.partition.two_parts import Split

_FREE, _OPEN, _CLOSED = 0, 1, 2


def split_twin(space: Space, tuples: np.ndarray, rows: np.ndarray, k: int, limits: Limits) -> Found:
    """One class of `split_classes`, in NumPy."""

    def search(rows: np.ndarray, groups: Groups, k: int, start: Split) -> tuple[Split, bool]:
        return best_partition(rows, groups, k, start, nodes=min(limits.nodes, limits.visits // len(rows)))

    return split(space, tuples, rows, k, limits, search)


def best_partition(rows: np.ndarray, groups: Groups, k: int, start: Split, *, nodes: int) -> tuple[Split, bool]:
    """The partition into parts of at least k rows that keeps most, never worse than `start`, and whether it is proved
    to be the best: where the groups are complete and `nodes` nodes of the search were enough. Ties keep `start`, then
    what was found first."""
    search = _Search(rows, groups, k)
    best = start
    waiting = [np.zeros(len(search.worth), dtype=np.int8)]
    for _ in range(nodes):
        if not waiting:
            break
        status = waiting.pop()
        bound = search.bound(status)
        if bound is None or bound.most <= best.worth:
            continue
        free = status == _FREE
        torn = np.flatnonzero(free & (bound.count > 0) & (bound.count < k))
        if len(torn):
            at = int(torn[np.argmax(bound.count[torn])])
            open_first = 2 * int(bound.count[at]) >= k
        else:
            used = free & (bound.count > 0)
            found = search.filled(np.flatnonzero(used | (status == _OPEN)))
            if found is not None and found.worth > best.worth:
                best = found
            if not used.any() or (found is not None and found.worth == bound.most):
                continue
            full = np.flatnonzero(used)
            at, open_first = int(full[np.argmin(bound.count[full])]), True
        for choice in (_CLOSED, _OPEN) if open_first else (_OPEN, _CLOSED):  # the last is looked at first
            branch = status.copy()
            branch[at] = choice
            waiting.append(branch)
    return best, not waiting and groups.complete


class _Bound:
    def __init__(self, most: int, count: np.ndarray) -> None:
        self.most, self.count = most, count


class _Search:
    """A class with its groups by worth, those worth most first."""

    def __init__(self, rows: np.ndarray, groups: Groups, k: int) -> None:
        order = np.argsort(-groups.worth, kind="stable")
        self.rows, self.k = rows, k
        self.worth = groups.worth[order]
        self.members = [groups.members[g] for g in order.tolist()]
        self.inside = np.zeros((len(order), len(rows)), dtype=bool)
        for g, members in enumerate(self.members):
            self.inside[g, members] = True

    def home(self, allowed: np.ndarray) -> np.ndarray | None:
        """The group worth most of those allowed, for each tuple; None where one has none."""
        inside = self.inside & allowed[:, None]
        return inside.argmax(axis=0) if inside.any(axis=0).all() else None

    def bound(self, status: np.ndarray) -> _Bound | None:
        home = self.home(status != _CLOSED)
        if home is None or int((status == _OPEN).sum()) * self.k > int(self.rows.sum()):
            return None
        count = np.bincount(home, weights=self.rows, minlength=len(self.worth)).astype(np.int64)
        most = int(self.worth[home] @ self.rows)
        for g in np.flatnonzero((status == _OPEN) & (count < self.k)).tolist():
            missing = self.k - int(count[g])
            others = self.members[g][home[self.members[g]] != g]
            for i in others[np.argsort(self.worth[home[others]], kind="stable")].tolist():
                moved = min(missing, int(self.rows[i]))
                most -= moved * int(self.worth[home[i]] - self.worth[g])
                missing -= moved
                if not missing:
                    break
            if missing:
                return None
        return _Bound(most, count)

    def filled(self, opened: np.ndarray) -> Split | None:
        """The best partition into exactly these groups, each with at least k rows; None where there is none."""
        allowed = np.zeros(len(self.worth), dtype=bool)
        allowed[opened] = True
        home = self.home(allowed)
        if home is None:
            return None
        taken = np.zeros((len(opened), len(self.rows)), dtype=np.int64)
        inside, worth = self.inside[opened], self.worth[opened]
        taken[np.searchsorted(opened, home), np.arange(len(home))] = self.rows
        for g in range(len(opened)):
            while (missing := self.k - int(taken[g].sum())) > 0:
                if not _fetch(taken, inside, self.k, g, missing):
                    return None
        return Split(taken, int(worth @ taken.sum(axis=1)))


def _fetch(taken: np.ndarray, inside: np.ndarray, k: int, into: int, missing: int) -> bool:
    """Move rows along the shortest chain from the group worth least that can spare some; False where there is none.
    Of groups that are worth the same, the last one gives; a chain goes over the first tuples and groups."""
    came: dict[int, tuple[int, int]] = {into: (-1, -1)}  # the group that a row goes on to, and its tuple
    reached, at = [into], 0
    while at < len(reached):
        g = reached[at]
        at += 1
        for h in range(len(taken)):
            if h not in came:
                movable = np.flatnonzero((taken[h] > 0) & inside[g])
                if len(movable):
                    came[h] = g, int(movable[0])
                    reached.append(h)
    spare = [h for h in reached if int(taken[h].sum()) > k]
    if not spare:
        return False
    giver = max(spare)  # groups stand by worth
    amount, h = min(missing, int(taken[giver].sum()) - k), giver
    while h != into:
        g, i = came[h]
        amount = min(amount, int(taken[h, i]))
        h = g
    h = giver
    while h != into:
        g, i = came[h]
        taken[h, i] -= amount
        taken[g, i] += amount
        h = g
    return True
