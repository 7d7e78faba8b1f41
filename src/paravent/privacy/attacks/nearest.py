"""Nearest: the released rows that fit a person best.

All rows whose cells cover what is known fit; among these a narrow cell speaks for its row more than a wide one, by the
number of values it could stand for. Where no row covers everything, those that cover most columns are taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from paravent.privacy.attacks.links import Links


@dataclass(frozen=True, eq=False)
class Nearest:
    """For each of `targets` (people of the links' population), the classes that fit them and how well."""

    links: Links
    targets: np.ndarray

    @cached_property
    def width(self) -> np.ndarray:
        """For each class, the number of combinations that its cells could stand for."""
        found = np.ones(len(self.links.classes))
        for j, covering in enumerate(self.links.coverings):
            found *= np.maximum(covering.widths[self.links.classes.cells[:, j]], 1)
        return found

    @cached_property
    def _kinds(self) -> tuple[np.ndarray, np.ndarray]:
        return np.unique(self.links.people.of_row[self.targets], return_inverse=True)

    @cached_property
    def _fitting(self) -> tuple[np.ndarray, np.ndarray]:
        """The classes of each kind of target, one after another, and where each kind's begin."""
        kinds, _ = self._kinds
        place = np.zeros(len(self.links.people), dtype=np.int64)
        place[kinds] = np.arange(len(kinds))
        pairs = [(place[kind], of_class) for kind, of_class in self.links.pairs(kinds)]
        kind = np.concatenate([np.zeros(0, np.int64), *(pair[0] for pair in pairs)])
        of_class = np.concatenate([np.zeros(0, np.int64), *(pair[1] for pair in pairs)])
        missed = np.setdiff1d(np.arange(len(kinds)), kind)
        for one in missed.tolist():
            best = self._most_columns(int(kinds[one]))
            kind, of_class = np.r_[kind, np.full(len(best), one)], np.r_[of_class, best]
        order = np.lexsort((of_class, kind))
        return of_class[order], np.searchsorted(kind[order], np.arange(len(kinds) + 1))

    def _most_columns(self, kind: int) -> np.ndarray:
        covered = np.zeros(len(self.links.classes), dtype=np.int64)
        for j, covering in enumerate(self.links.coverings):
            value = self.links.people.cells[kind, j]
            inside = (covering.low <= value) & (value < covering.high)
            labels = np.logical_or.reduceat(inside, covering.start[:-1])
            covered += labels[self.links.classes.cells[:, j]]
        return np.flatnonzero(covered == covered.max(initial=0))

    def classes(self) -> Iterator[np.ndarray]:
        """The fitting classes of each target."""
        of_class, start = self._fitting
        for kind in self._kinds[1].tolist():
            yield of_class[start[kind] : start[kind + 1]]

    @cached_property
    def _rows(self) -> tuple[np.ndarray, np.ndarray]:
        """Rows by class, and where each class begins."""
        order = np.argsort(self.links.classes.of_row, kind="stable")
        return order, np.concatenate(([0], np.cumsum(self.links.classes.sizes)))

    def rows(self, count: int, dice: np.random.Generator) -> Iterator[np.ndarray]:
        """For each target, `count` rows: those of the narrowest classes first, equals by chance."""
        order, start = self._rows
        for fitting in self.classes():
            picked: list[np.ndarray] = []
            left = count
            for width in np.unique(self.width[fitting]).tolist():
                equals = fitting[self.width[fitting] == width].tolist()
                among = np.concatenate([order[start[c] : start[c + 1]] for c in equals])
                picked.append(dice.choice(among, min(left, len(among)), replace=False))
                left -= len(picked[-1])
                if not left:
                    break
            yield np.concatenate([np.zeros(0, np.int64), *picked])
