"""Equivalence classes: the groups of rows that a release makes indistinguishable, as counts."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from paravent import kernels

if TYPE_CHECKING:
    from paravent.table.domain import Domain

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Histogram:
    """How often each sensitive value occurs in each class, sparse: the pairs of class c are
    `value[start[c]:start[c + 1]]` and `count[start[c]:start[c + 1]]`, values ascending, counts positive.
    `table[v]` is the count of value v in the whole table as it is published. `domain` tells what the values are, in the
    order of their codes; the code after its last is a missing cell.

    Where people are counted instead of rows, a count is the number of people who hold the value. One who holds two
    values is counted for both, so the counts of a class may sum to more than `people[c]`, the people in it, and those
    of the table to more than `everybody`."""

    start: np.ndarray
    value: np.ndarray
    count: np.ndarray
    table: np.ndarray
    domain: Domain | None = None
    people: np.ndarray | None = None
    everybody: int | None = None

    @cached_property
    def _found(self) -> dict[Hashable, Any]:
        return {}

    def once(self, key: Hashable, compute: Callable[[], T]) -> T:
        """What `compute` gives, computed when it is first asked for: models share it, and ask more than once."""
        if key not in self._found:
            self._found[key] = compute()
        found: T = self._found[key]
        return found

    @cached_property
    def owner(self) -> np.ndarray:
        """The class of each pair."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))

    @cached_property
    def sizes(self) -> np.ndarray:
        """The rows of each class, or the people in it: what shares are shares of."""
        return self.held if self.people is None else self.people

    @cached_property
    def held(self) -> np.ndarray:
        """The sum of the counts of each class."""
        return self.summed(self.count)

    @cached_property
    def n_rows(self) -> int:
        """The rows of the whole table, or the people in it."""
        return int(self.table.sum()) if self.everybody is None else self.everybody

    def summed(self, of_pair: np.ndarray) -> np.ndarray:
        """The sum of each class. Every class holds a pair."""
        return np.add.reduceat(of_pair, self.start[:-1]) if len(of_pair) else of_pair[:0]

    def highest(self, of_pair: np.ndarray) -> np.ndarray:
        return np.maximum.reduceat(of_pair, self.start[:-1]) if len(of_pair) else of_pair[:0]

    def every(self, of_pair: np.ndarray) -> np.ndarray:
        """Whether all pairs of a class are true."""
        return np.logical_and.reduceat(of_pair, self.start[:-1]) if len(of_pair) else of_pair[:0]

    def ratios(self) -> tuple[np.ndarray, np.ndarray]:
        """How much likelier each pair's value is in its class than in the table, p / q, as two whole numbers."""

        def compute() -> tuple[np.ndarray, np.ndarray]:
            over, under = self.count, self.table[self.value]
            if self.n_rows * int(self.sizes.max(initial=0)) >= 2**62:
                over, under = over.astype(object), under.astype(object)
            return over * self.n_rows, under * self.sizes[self.owner]

        return self.once("ratios", compute)

    @classmethod
    def of(
        cls,
        of_row: np.ndarray,
        n_classes: int,
        codes: np.ndarray,
        table: np.ndarray,
        domain: Domain | None = None,
        times: np.ndarray | None = None,
    ) -> Histogram:
        """Count `codes` (0 … len(table) − 1) by class; rows with a negative class are left out. Row i stands for
        `times[i]` rows (None: for itself)."""
        there = of_row >= 0
        kept = slice(None) if there.all() else there
        width = max(len(table), 1)
        if times is None and n_classes * width <= 4 * len(of_row) + 1024:
            counts = kernels.count_pairs(of_row[kept], n_classes, codes[kept], width).reshape(-1)
            keys = np.flatnonzero(counts)
            return cls._of_pairs(keys, counts[keys], n_classes, width, table, domain)
        pair = np.multiply(of_row[kept], width, dtype=np.int64)
        pair += codes[kept]
        if times is not None:
            keys, place = np.unique(pair, return_inverse=True)
            counts = np.bincount(place.reshape(-1), weights=times[kept], minlength=len(keys))
        else:
            keys, counts = np.unique(pair, return_counts=True)
        return cls._of_pairs(keys, counts, n_classes, width, table, domain)

    @classmethod
    def _of_pairs(
        cls,
        keys: np.ndarray,
        counts: np.ndarray,
        n_classes: int,
        width: int,
        table: np.ndarray,
        domain: Domain | None,
    ) -> Histogram:
        """Pairs of a class and a code, ascending as one number each, and how often they occur."""
        start = np.searchsorted(keys, np.arange(n_classes + 1, dtype=np.int64) * width)
        return cls(start, (keys % width).astype(np.int32), counts.astype(np.int64), table, domain)


@dataclass(frozen=True, eq=False)
class Classes:
    """The classes of a table or of a candidate: their sizes, and a histogram for each sensitive column asked for.

    Every class holds at least one row. The models judge this object and nothing else. `people` holds, for each
    population that a model names, how many of its people each class may stand for, and `beyond` how many of them fit no
    class. Where classes overlap (missing cells that may be anything), `own` counts the rows that each one comes from.
    Where people are counted instead of rows, `members` tells who is in which class: its values are people.
    """

    sizes: np.ndarray
    histograms: Mapping[str, Histogram]
    people: Mapping[str, np.ndarray] = field(default_factory=dict)
    own: np.ndarray | None = None
    beyond: Mapping[str, int] = field(default_factory=dict)
    members: Histogram | None = None

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def counted(self) -> str:
        """What is counted, in a word."""
        return "rows" if self.members is None else "people"

    @cached_property
    def at_risk(self) -> np.ndarray:
        """Whom each class counts when everybody is counted once: rows, or the people for whom no other class that they
        are in is smaller (of equals the first)."""
        if self.members is None:
            return self.sizes if self.own is None else self.own
        person, owner = self.members.value, self.members.owner
        order = np.lexsort((owner, self.sizes[owner], person))
        first = np.ones(len(order), dtype=bool)
        first[1:] = np.diff(person[order]) != 0
        return np.bincount(owner[order][first], minlength=len(self))

    def share(self, chosen: np.ndarray) -> float:
        """The share of all rows, or people, that is in the chosen classes."""
        if self.members is None:
            return float(self.sizes[chosen].sum() / max(self.sizes.sum(), 1))
        inside = np.unique(self.members.value[chosen[self.members.owner]])
        return len(inside) / max(int((self.members.table > 0).sum()), 1)

    @classmethod
    def of(
        cls,
        of_row: np.ndarray,
        n_classes: int,
        sensitive: Mapping[str, np.ndarray],
        tables: Mapping[str, np.ndarray] | None = None,
    ) -> Classes:
        """Classes from the class of each row (negative: suppressed) and the codes of the sensitive columns.

        `tables` gives the whole table's counts where `of_row` covers only a part of it.
        """
        kept = of_row >= 0
        sizes = np.bincount(of_row if kept.all() else of_row[kept], minlength=n_classes)
        histograms = {}
        for name, codes in sensitive.items():
            table = tables[name] if tables is not None else np.bincount(codes)
            histograms[name] = Histogram.of(of_row, n_classes, codes, table)
        return cls(sizes, histograms)
