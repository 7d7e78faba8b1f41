"""Which rows to leave out of a merged table: the classes whose joining cost most a row."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from paravent.kernels import Merges


@dataclass(frozen=True, eq=False)
class Spared:
    """The classes of earlier tables that are left out, and what that saves."""

    dropped: tuple[int, ...]
    saved: int
    rows: int
    _children: dict[int, tuple[int, int]]

    def members(self, c: int) -> list[int]:
        """The starting classes in a class."""
        found, waiting = [], [c]
        while waiting:
            at = waiting.pop()
            if at in self._children:
                waiting.extend(self._children[at])
            else:
                found.append(at)
        return found


def spared(
    merges: Merges, sizes: np.ndarray, steps: int, *, k: int, budget: int, price: np.ndarray | None = None
) -> Spared:
    """Leave out up to `budget` rows of the table after so many merges, such that every class keeps k rows.

    The rule: of a class whose last merge joined A and B, A may be left out where B has k rows (the class is then B
    again), or the class as a whole while another one is left. What saves most cost a row of those left out goes first,
    of equals the one with fewer rows, then the older class; what no longer fits is passed over, and so is what saves
    nothing. The class that stays is looked at again. `price` is what the rows of each starting class cost when they are
    left out: as much as saying nothing about them, so that more rows to spare never make a table worse.

    >>> merges = Merges(*(np.array(x) for x in ([0, 2], [1, 3], [1, 9], [1, 2, 4])))
    >>> spared(merges, np.array([1, 1, 2]), 2, k=2, budget=2).dropped
    (3,)
    """
    n = len(sizes)
    size = [*sizes.tolist(), *([0] * steps)]
    spent = [0] * (n + steps)
    lost = [*(np.zeros(n, dtype=np.int64) if price is None else price).tolist(), *([0] * steps)]
    children: dict[int, tuple[int, int]] = {}
    joined = np.zeros(n + steps, dtype=bool)
    for t, (a, b) in enumerate(zip(merges.left[:steps].tolist(), merges.right[:steps].tolist(), strict=True)):
        children[n + t] = (a, b)
        size[n + t] = size[a] + size[b]
        spent[n + t] = spent[a] + spent[b] + int(merges.cost[t])
        lost[n + t] = lost[a] + lost[b]
        joined[[a, b]] = True
    left = int((~joined).sum())
    offers: list[tuple[Fraction, int, int, int, int, int]] = []

    def offer(root: int) -> None:
        """What can be left out of a class: (−gain a row, rows, what goes, the class, what stays or −1, the saving)."""
        if spent[root] > lost[root] and size[root] <= budget:
            gain = spent[root] - lost[root]
            heapq.heappush(offers, (Fraction(-gain, size[root]), size[root], root, root, -1, spent[root]))
        if root not in children:
            return
        a, b = children[root]
        for gone, stays in ((a, b), (b, a)):
            saving = spent[root] - spent[stays]
            gain = saving - lost[gone]
            if gain > 0 and size[stays] >= k and size[gone] <= budget:
                heapq.heappush(offers, (Fraction(-gain, size[gone]), size[gone], gone, root, stays, saving))

    alive = np.flatnonzero(~joined)
    present = set(alive.tolist())
    for root in alive.tolist():
        offer(root)
    dropped: list[int] = []
    saved = rows = 0
    while offers:
        _, count, gone, root, stays, saving = heapq.heappop(offers)
        if root not in present or count > budget - rows or (stays < 0 and left < 2):
            continue
        present.remove(root)
        dropped.append(gone)
        rows += count
        saved += saving
        if stays < 0:
            left -= 1
        else:
            present.add(stays)
            offer(stays)
    return Spared(tuple(dropped), saved, rows, children)
