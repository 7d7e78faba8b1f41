"""Beliefs: the tables of a junction tree after its cliques have told one another what they know."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from paravent.private.graphical.junction import Columns, JunctionTree, spread, summed


@dataclass(frozen=True, eq=False)
class Beliefs:
    """The probabilities of the cells of every clique and of every separator (the sum of the clique below it)."""

    tree: JunctionTree
    sizes: tuple[int, ...]
    cliques: tuple[np.ndarray, ...]
    separators: tuple[np.ndarray, ...]
    _known: dict[object, np.ndarray] = field(default_factory=dict, init=False, repr=False)

    def of(self, columns: Columns) -> np.ndarray:
        """The probabilities of the cells of some columns, in one clique or in several."""
        home = self.tree.home(columns, self.sizes)
        if home >= 0:
            return summed(self.cliques[home], self.tree.cliques[home], columns)
        start = max(range(len(self.tree.cliques)), key=lambda i: (len({*columns} & {*self.tree.cliques[i]}), -i))
        table, over = self._towards(start, -1, frozenset(columns))
        told, axes = [table], [over]
        reached = set(over)
        for root, parent in enumerate(self.tree.parents):  # columns of other trees are independent of these
            if parent < 0 and not set(columns) <= reached:
                other, more = self._towards(root, -1, frozenset(columns) - reached)
                if more:
                    told.append(other)
                    axes.append(more)
                    reached |= set(more)
        return _product(told, axes, columns)

    def _towards(self, clique: int, beyond: int, wanted: frozenset[int]) -> tuple[np.ndarray, Columns]:
        """What a clique and those behind it, seen from the one `beyond`, say of some columns: joint with nothing where
        it is the start, else given what is shared with `beyond`."""
        shared: Columns = ()
        behind = []
        for neighbour, separator in self.tree.neighbours(clique):
            if neighbour == beyond:
                shared = separator
            elif (told := self._behind(neighbour, clique) & wanted) - {*self.tree.cliques[clique]}:
                behind.append((neighbour, separator, told))
        own = wanted & {*self.tree.cliques[clique]}
        result = tuple(sorted(({*shared} | own).union(*(told for *_, told in behind))))
        key = (clique, beyond, result)
        if key in self._known:
            return self._known[key], result
        needed = tuple(sorted(({*shared} | own).union(*(separator for _, separator, _ in behind))))
        table = self._within(clique, needed, shared)
        tables, axes = [table], [needed]
        for neighbour, _, told in behind:
            more, over = self._towards(neighbour, clique, told)
            tables.append(more)
            axes.append(over)
        self._known[key] = _product(tables, axes, result)
        return self._known[key], result

    def _within(self, clique: int, needed: Columns, given: Columns) -> np.ndarray:
        """The table of some columns of a clique, given others of them."""
        key = (clique, needed, given, "within")
        if key not in self._known:
            table = summed(self.cliques[clique], self.tree.cliques[clique], needed)
            if given:
                table = ratio(table, spread(summed(table, needed, given), given, needed))
            self._known[key] = table
        return self._known[key]

    def _behind(self, clique: int, beyond: int) -> frozenset[int]:
        """All columns of a clique and of those behind it, seen from the one `beyond`."""
        found = set(self.tree.cliques[clique])
        for neighbour, _ in self.tree.neighbours(clique):
            if neighbour != beyond:
                found |= self._behind(neighbour, clique)
        return frozenset(found)


def ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """A quotient that is 0 where both are."""
    none = np.zeros(np.broadcast_shapes(above.shape, below.shape))
    return np.asarray(np.divide(above, below, out=none, where=below > 0))


def _product(tables: Sequence[np.ndarray], axes: Sequence[Columns], onto: Columns) -> np.ndarray:
    if len(tables) == 1 and axes[0] == onto:
        return tables[0]
    number = {column: i for i, column in enumerate(sorted({column for each in axes for column in each}))}
    given: list[Any] = []
    for table, columns in zip(tables, axes, strict=True):
        given += [table, [number[column] for column in columns]]
    return np.asarray(np.einsum(*given, [number[column] for column in onto], optimize=len(tables) > 1))


def propagate(tree: JunctionTree, sizes: Sequence[int], potentials: Sequence[np.ndarray]) -> tuple[Beliefs, float]:
    """The beliefs of cliques whose potentials (not logarithms) are given, which are overwritten, and the logarithm of
    the sum over all cells of the product of potentials. Each clique hands what it knows to its parent, then parents to
    their children, by Hugin's division of separators."""
    tables = list(potentials)
    log_sum = 0.0
    for i in range(len(tables) - 1, -1, -1):
        parent = tree.parents[i]
        if parent < 0:
            whole = float(tables[i].sum())
            log_sum += math.log(whole)
            tables[i] /= whole
            continue
        message = summed(tables[i], tree.cliques[i], tree.separators[i])
        highest = float(message.max())
        log_sum += math.log(highest)
        tables[parent] *= spread(message / highest, tree.separators[i], tree.cliques[parent])
    separators: list[np.ndarray] = [np.ones(())] * len(tables)
    for i, parent in enumerate(tree.parents):
        if parent < 0:
            continue
        known = summed(tables[parent], tree.cliques[parent], tree.separators[i])
        own = summed(tables[i], tree.cliques[i], tree.separators[i])
        tables[i] *= spread(ratio(known, own), tree.separators[i], tree.cliques[i])
        separators[i] = known
    return Beliefs(tree, tuple(sizes), tuple(tables), tuple(separators)), log_sum
