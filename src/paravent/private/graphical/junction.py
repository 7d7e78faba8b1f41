"""Junction trees: sets of columns whose counts are known, arranged so that inference is exact (Lauritzen, Spiegelhalter
1988). A set is a sorted tuple of column numbers, a table over it an array with an axis for each, in that order."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

Columns = tuple[int, ...]


@dataclass(frozen=True)
class JunctionTree:
    """Cliques that cover every set, each with the place of its parent (−1: the root of a tree), parents first; whatever
    two cliques share lies in every clique between them. `separators[i]` is what clique i shares with its parent."""

    cliques: tuple[Columns, ...]
    parents: tuple[int, ...]
    separators: tuple[Columns, ...]

    def home(self, columns: Columns, sizes: Sequence[int]) -> int:
        """The smallest clique that holds some columns; −1 where none does."""
        wanted = set(columns)
        fits = [i for i, clique in enumerate(self.cliques) if wanted <= set(clique)]
        return min(fits, key=lambda i: (cells_of(self.cliques[i], sizes), i), default=-1)

    def neighbours(self, clique: int) -> list[tuple[int, Columns]]:
        """The cliques beside one, with what they share with it."""
        found = [(i, self.separators[i]) for i, parent in enumerate(self.parents) if parent == clique]
        above = self.parents[clique]
        return found if above < 0 else [*found, (above, self.separators[clique])]


def cells_of(columns: Iterable[int], sizes: Sequence[int]) -> int:
    """How many cells a table over some columns has."""
    return math.prod(sizes[column] for column in columns)


def maximal_cliques(sets: Iterable[Columns], sizes: Sequence[int]) -> list[Columns]:
    """The cliques of a chordal graph in which each of the sets is complete. Columns are eliminated one by one, the one
    first that makes the smallest table, ties by their number."""
    beside: list[set[int]] = [set() for _ in sizes]
    for columns in sets:
        for a, b in combinations(columns, 2):
            beside[a].add(b)
            beside[b].add(a)
    logs = [math.log(size) for size in sizes]
    left = set(range(len(sizes)))
    weight = [logs[i] + sum(logs[j] for j in beside[i]) for i in range(len(sizes))]
    found: list[set[int]] = []
    while left:
        out = min(left, key=lambda i: (weight[i], i))
        near = beside[out]
        clique = near | {out}
        if not any(clique <= other for other in found):
            found.append(clique)
        for a in near:
            beside[a] |= near
            beside[a] -= {a, out}
            weight[a] = logs[a] + sum(logs[j] for j in beside[a])
        left.remove(out)
    return [tuple(sorted(clique)) for clique in found]


def junction_tree(sets: Iterable[Columns], sizes: Sequence[int]) -> JunctionTree:
    """A junction tree of all columns for some sets of them, by the largest separators (Jensen, Jensen 1994).

    >>> junction_tree([(0, 1), (1, 2), (0, 2), (2, 3)], [2, 2, 2, 2]).cliques
    ((2, 3), (0, 1, 2))
    """
    cliques = maximal_cliques(sets, sizes)
    together = [set(clique) for clique in cliques]
    order, parents = [0], {0: -1}
    separators: dict[int, Columns] = {0: ()}
    near = {i: (0, len(together[i] & together[0])) for i in range(1, len(cliques))}
    while near:
        new = max(near, key=lambda i: (near[i][1], -i))
        parent, shared = near.pop(new)
        order.append(new)
        parents[new] = parent if shared else -1
        separators[new] = tuple(sorted(together[new] & together[parent]))
        for i in near:
            common = len(together[i] & together[new])
            if common > near[i][1]:
                near[i] = (new, common)
    place = {-1: -1, **{clique: i for i, clique in enumerate(order)}}
    return JunctionTree(
        tuple(cliques[i] for i in order),
        tuple(place[parents[i]] for i in order),
        tuple(separators[i] for i in order),
    )


def spread(table: np.ndarray, columns: Columns, over: Columns) -> np.ndarray:
    """A table over some columns as one over more of them, by axes of length one."""
    shape = iter(table.shape)
    return table.reshape([next(shape) if column in columns else 1 for column in over])


def summed(table: np.ndarray, columns: Columns, onto: Columns) -> np.ndarray:
    """A table over some columns, summed onto fewer of them: one by one, the largest first."""
    left = list(columns)
    sizes = dict(zip(columns, table.shape, strict=True))
    for column in sorted(set(columns) - set(onto), key=lambda each: (-sizes[each], each)):
        table = without(table, left.index(column))
        left.remove(column)
    return table


def without(table: np.ndarray, axis: int) -> np.ndarray:
    """A table summed over one axis. NumPy's own sums are slow where what is left of the axis is short."""
    before, after = table.shape[:axis], table.shape[axis + 1 :]
    length, right = table.shape[axis], math.prod(after)
    cells = table.reshape(math.prod(before), length, right)
    if right >= 16 or (right == 1 and length >= 8):
        found = cells.sum(axis=1)
    elif length < 8:
        found = cells[:, 0].copy()
        for place in range(1, length):
            found += cells[:, place]
    else:
        found = np.einsum("abc->ac", cells)
    return np.asarray(found.reshape(before + after))
