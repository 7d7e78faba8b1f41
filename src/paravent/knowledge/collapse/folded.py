"""FoldedTable: a table as its different rows, with what they say about a class and a number to predict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from paravent import kernels
from paravent.knowledge.collapse.column import Column
from paravent.utility.queries import Query, queries_of

QUESTIONS = 100


@dataclass(frozen=True, eq=False)
class ClassCounts:
    """How often each value of the class to predict occurs in each tuple: entry i is `count[i]` rows of tuple `owner[i]`
    with value `value[i]` of `size` (the last: missing), `halves[0][i]` of them in one half of the rows that learn and
    are tested, and `halves[1][i]` in the other. The measure of queries knows value v as `codes[v]`."""

    owner: np.ndarray
    value: np.ndarray
    count: np.ndarray
    halves: Sequence[np.ndarray]
    size: int
    codes: np.ndarray

    def by(self, of_tuple: np.ndarray, n: int) -> np.ndarray:
        """The same of groups of tuples, as a matrix groups × values."""
        cells = of_tuple[self.owner].astype(np.int64) * self.size + self.value
        return np.bincount(cells, self.count, n * self.size).reshape(n, self.size)

    def frequent(self, n: int, most: int = 24) -> np.ndarray:
        """How often the most frequent values occur in each of n tuples; of equals the first."""
        values = np.argsort(-np.bincount(self.value, self.count, self.size), kind="stable")[:most]
        column = np.full(self.size, -1)
        column[values] = np.arange(len(values))
        there = np.flatnonzero(column[self.value] >= 0)
        found = np.zeros((n, len(values)))
        np.add.at(found, (self.owner[there], column[self.value[there]]), self.count[there])
        return found

    def of_some(self, tuples: np.ndarray, n: int) -> ClassCounts:
        """The entries of some of n tuples, which are numbered anew."""
        place = np.full(n, -1, dtype=np.int64)
        place[tuples] = np.arange(len(tuples))
        there = np.flatnonzero(place[self.owner] >= 0)
        halves = [half[there] for half in self.halves]
        owner, value = place[self.owner[there]], self.value[there]
        return ClassCounts(owner, value, self.count[there], halves, self.size, self.codes)

    def asked(self, sensitive: np.ndarray) -> np.ndarray:
        """Which values a query asks for."""
        return np.asarray(np.append(sensitive, False)[np.minimum(self.codes, len(sensitive))])

    @cached_property
    def drawn(self) -> tuple[np.ndarray, np.ndarray, tuple[np.ndarray, ...]]:
        """Owners, values and counts of the entries that have rows in the halves."""
        one, other = self.halves
        some = np.flatnonzero((one > 0) | (other > 0))
        return self.owner[some], self.value[some], (one[some], other[some])


@dataclass(frozen=True, eq=False)
class Sums:
    """Of a number, less its mean over the table: the sum and that of squares, by tuple. Rows without one count 0."""

    first: np.ndarray
    second: np.ndarray


@dataclass(frozen=True, eq=False)
class FoldedTable:
    """Tuple t has rank `leaves[j][t]` on column j and stands for `weight[t]` rows."""

    columns: Sequence[Column]
    leaves: Sequence[np.ndarray]
    weight: np.ndarray
    classes: ClassCounts | None = None
    numbers: Sums | None = None

    def __len__(self) -> int:
        return len(self.weight)

    @cached_property
    def rows(self) -> int:
        return int(self.weight.sum(dtype=np.int64))

    @cached_property
    def shares(self) -> np.ndarray:
        """What each column counts for in a loss."""
        weights = np.array([column.weight for column in self.columns])
        return weights / weights.sum() if weights.sum() > 0 else np.full(len(weights), 1 / len(weights))

    @cached_property
    def tuples(self) -> kernels.Tuples:
        """The tuples on the levels of their columns, whose cells are not priced."""
        priced = [
            [
                kernels.PricedLevel(codes, size, np.zeros(len(column), dtype=np.int64))
                for codes, size in zip(column.codes, column.sizes, strict=True)
            ]
            for column in self.columns
        ]
        return kernels.Tuples(self.leaves, priced, self.weight)

    def sampled(self, tuples: np.ndarray) -> FoldedTable:
        """A table of some of the tuples, as if there were no others."""
        leaves = [each[tuples] for each in self.leaves]
        weight = self.weight[tuples]
        columns = [
            replace(column, counts=np.bincount(each, weight, len(column)))
            for column, each in zip(self.columns, leaves, strict=True)
        ]
        classes = None if self.classes is None else self.classes.of_some(tuples, len(self))
        numbers = None
        if self.numbers is not None:
            numbers = Sums(self.numbers.first[tuples], self.numbers.second[tuples])
        return FoldedTable(columns, leaves, weight, classes, numbers)

    @cached_property
    def questions(self) -> Sequence[Query]:
        """Counts to ask: those that the measure of queries asks of a release."""
        values = 0 if self.classes is None else int(self.classes.codes[self.classes.value].max()) + 1
        groups = queries_of([column.axis for column in self.columns], values, QUESTIONS)
        return [query for _, asked in groups for query in asked]

    @cached_property
    def answers(self) -> np.ndarray:
        """The true counts."""
        found = []
        for query in self.questions:
            there = np.ones(len(self), dtype=bool)
            for j, wanted in query.wanted.items():
                there &= wanted[self.leaves[j]]
            if query.sensitive is None or self.classes is None:
                found.append(self.weight[there].sum())
            else:
                asked = self.classes.asked(query.sensitive)[self.classes.value]
                found.append(self.classes.count[there[self.classes.owner] & asked].sum())
        return np.array(found, dtype=float)
