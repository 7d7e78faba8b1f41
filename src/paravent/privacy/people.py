"""People instead of rows: what a model says where somebody may have several rows.

k rows that are all about one person hide nobody. Where a table says whose each row is, the size of a class is the
number of different people in it, and the share of a value in a class is the share of these people who hold it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from paravent.privacy.classes import Classes, Histogram
from paravent.privacy.model import Model


@dataclass(frozen=True, repr=False)
class OfPeople(Model):
    """A model that is asked of people. `apart` tells that nobody is in two classes, whatever the classes are: every
    row of a person has the same quasi-identifiers.

    It judges classes that count people (`Holding.classes`), and answers as the model does.
    """

    model: Model
    apart: bool = False

    protects: ClassVar[str] = "What the model protects, of people with several rows too."
    leaves_open: ClassVar[str] = "What the model leaves open."
    listed: ClassVar[bool] = False

    @property
    def needs(self) -> tuple[str, ...]:
        return self.model.needs

    @property
    def known(self) -> tuple[str, ...]:
        return self.model.known

    @property
    def people(self) -> str | None:
        return self.model.people

    @property
    def bounds_absence(self) -> bool:
        return self.model.bounds_absence

    @property
    def reads_values(self) -> bool:
        return self.model.reads_values

    @property
    def by_column(self) -> bool:
        return self.model.by_column

    @property
    def least_size(self) -> int:
        return self.model.least_size  # everybody has a row, and whoever holds two values has two

    @property
    def size_only(self) -> bool:
        return False  # so many rows may be about fewer people

    @property
    def absorbs(self) -> bool:
        return self.model.absorbs  # with more rows come more people, or the same ones

    @property
    def reads_shares(self) -> bool:
        return self.model.reads_shares

    @property
    def monotone_under_generalization(self) -> bool:
        # Somebody who is in two classes counts once in their union: shares there are no mean of the two shares. How
        # many people and how many different values there are only grows.
        return self.model.monotone_under_generalization and (self.apart or not self.reads_shares)

    @property
    def monotone_under_suppression(self) -> bool:
        return self.model.monotone_under_suppression

    @property
    def key(self) -> str:
        return self.model.key

    def holds(self, classes: Classes) -> np.ndarray:
        return self.model.holds(classes)

    def holds_in_part(self, classes: Classes) -> np.ndarray:
        return self.model.holds_in_part(classes)

    def level(self, classes: Classes) -> float:
        return self.model.level(classes)

    def check_feasible(self, whole: Classes) -> None:
        self.model.check_feasible(whole)

    def describe(self) -> str:
        return f"{self.model.describe()} of people"


@dataclass(frozen=True, eq=False)
class Holding:
    """Combinations of what is known, a sensitive value, and a person who has both: combination i is
    (`outer[i]`, `inner[i]`, `person[i]`), and they ascend in this order.

    A histogram of them (its counts do not matter) tells who holds what in every class.
    """

    outer: np.ndarray
    inner: np.ndarray
    person: np.ndarray
    column: str
    divides: bool

    @classmethod
    def of(
        cls, column: str, codes: np.ndarray, known: list[np.ndarray], persons: np.ndarray
    ) -> tuple[Holding, np.ndarray]:
        """The combinations that occur, and that of each row."""
        outer = np.zeros(len(codes), dtype=np.int64)
        for other in known:
            outer = np.unique(outer * (int(other.max(initial=0)) + 1) + other, return_inverse=True)[1].reshape(-1)
        rows = np.stack([outer, codes.astype(np.int64), persons.astype(np.int64)])
        order = np.lexsort(rows[::-1])
        new = np.ones(len(order), dtype=bool)
        new[1:] = (np.diff(rows[:, order], axis=1) != 0).any(axis=0)
        of_row = np.empty(len(order), dtype=np.int32)
        of_row[order] = np.cumsum(new) - 1
        first = order[new]
        return cls(rows[0, first], rows[1, first].astype(np.int32), rows[2, first], column, bool(known)), of_row

    def classes(self, found: Histogram, members: Histogram, like: Histogram) -> tuple[Classes, np.ndarray]:
        """The classes as people see them, and the first of them in each class. `found` is the histogram of the
        combinations, `members` that of people, and `like` that of the sensitive column, whose table counts people."""
        outer, inner = self.outer[found.value], self.inner[found.value]
        new_class = np.ones(len(outer), dtype=bool)
        new_class[1:] = (np.diff(found.owner) != 0) | (np.diff(outer) != 0)
        new_pair = new_class.copy()
        new_pair[1:] |= np.diff(inner) != 0
        pairs = np.flatnonzero(new_pair)
        first = np.flatnonzero(new_class)
        people = self._people(found, new_class, len(first)) if self.divides else np.diff(members.start)
        histogram = Histogram(
            np.append(np.searchsorted(pairs, first), len(pairs)),
            inner[pairs],
            np.diff(np.append(pairs, len(inner))),
            like.table,
            like.domain,
            people,
            int((members.table > 0).sum()),
        )
        where = np.searchsorted(found.owner[first], np.arange(len(found.start) - 1))
        return Classes(people, {self.column: histogram}, members=None if self.divides else members), where

    def _people(self, found: Histogram, new_class: np.ndarray, n_classes: int) -> np.ndarray:
        """The different people of each class that what is known divides another one into."""
        pair = np.stack([np.cumsum(new_class) - 1, self.person[found.value]])
        order = np.lexsort(pair[::-1])
        new = np.ones(len(order), dtype=bool)
        new[1:] = (np.diff(pair[:, order], axis=1) != 0).any(axis=0)
        return np.bincount(pair[0, order][new], minlength=n_classes)

    def holders(self, table: np.ndarray, width: int) -> np.ndarray:
        """How many people hold each value, in a table that has so many rows of each combination."""
        there = np.flatnonzero(table)
        pair = np.unique(np.stack([self.inner[there].astype(np.int64), self.person[there]]), axis=1)
        return np.bincount(pair[0], minlength=width)


def counting_people(classes: Classes, members: Histogram) -> Classes:
    """The same classes with the number of different people as their sizes."""
    return replace(classes, sizes=np.diff(members.start), histograms={}, own=None, members=members)
