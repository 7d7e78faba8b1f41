"""Links: which people fit which classes of a release, by what is known of both.

Rows and people are folded first: equal cells make one class, equal knowledge one kind of person. Classes are halved
again and again at the median of one column, and people whom no class of a half can cover are left behind, as in a
kd-tree. What is left of both is joined by bits: for each stretch of values between two ends of labels a row says
which classes cover it, and a person fits the classes whose bit is set in all columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from paravent.privacy.attacks.covering import Covering
from paravent.privacy.grouping import group_rows

_CLASSES = 512  # of a block: more make wider boxes, fewer more blocks
_PEOPLE = 16384
_KINDS, _PAIRS = 256, 20_000_000  # kinds of people looked at together, and the rows that they may fit in all


@dataclass(frozen=True, eq=False)
class Folded:
    """Rows that are equal in all columns, counted: row i belongs to group `of_row[i]`; `cells[g]` are its codes."""

    of_row: np.ndarray
    cells: np.ndarray

    @classmethod
    def of(cls, columns: Sequence[np.ndarray], n_rows: int) -> Folded:
        of_row, count = group_rows(columns, n_rows)
        some = np.zeros(count, dtype=np.int64)
        some[of_row] = np.arange(n_rows)
        return cls(
            of_row, np.stack([column[some] for column in columns], axis=1) if columns else np.zeros((count, 0), int)
        )

    def __len__(self) -> int:
        return len(self.cells)

    @cached_property
    def sizes(self) -> np.ndarray:
        return np.bincount(self.of_row, minlength=len(self))


@dataclass(frozen=True, eq=False)
class Links:
    """Who fits what, over the columns of `coverings`.

    >>> import polars as pl
    >>> ages = Covering.of(pl.Series("age", ["[20, 29]", "[20, 29]", "*"]), pl.Series([22, 35]))
    >>> Links((ages,)).rows_of_person.tolist()
    [3, 1]
    """

    coverings: tuple[Covering, ...]

    @cached_property
    def classes(self) -> Folded:
        return Folded.of([covering.labels for covering in self.coverings], len(self.coverings[0].labels))

    @cached_property
    def people(self) -> Folded:
        return Folded.of([covering.values for covering in self.coverings], len(self.coverings[0].values))

    def pairs(self, kinds: np.ndarray | None = None) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Pairs of a kind of person and a class that fit, in blocks. `kinds` asks for some of `people` alone."""
        asked = np.arange(len(self.people)) if kinds is None else kinds
        if not len(asked) or not len(self.classes):
            return
        if all(covering.is_exact for covering in self.coverings):
            yield from self._exact_pairs(asked)
            return
        for classes, people in self._blocks(np.arange(len(self.classes)), asked):
            for chunk in range(0, len(people), _PEOPLE):
                yield from self._joined(classes, people[chunk : chunk + _PEOPLE])

    @cached_property
    def _box(self) -> tuple[np.ndarray, np.ndarray]:
        """For each class and column, the first value that its label covers and the one after the last."""
        low, high = np.zeros_like(self.classes.cells), np.zeros_like(self.classes.cells)
        for j, covering in enumerate(self.coverings):
            labels = self.classes.cells[:, j]
            low[:, j], high[:, j] = covering.first[labels], covering.last[labels]
        return low, high

    def _blocks(self, classes: np.ndarray, people: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Few classes each, with the people whom their bounding box covers."""
        low, high = self._box
        for j, covering in enumerate(self.coverings):
            begin, end = int(low[classes, j].min()), int(high[classes, j].max())
            if begin > 0 or end < covering.n_values - 1:
                value = self.people.cells[people, j]
                people = people[((value >= begin) & (value < end)) | (value == covering.n_values - 1)]
        if not len(people):
            return
        if len(classes) <= _CLASSES:
            yield classes, people
            return
        middle = low[classes] + high[classes]
        spread = [np.unique(middle[:, j]).size for j in range(len(self.coverings))]
        order = classes[np.argsort(middle[:, int(np.argmax(spread))], kind="stable")]
        for half in (order[: len(order) // 2], order[len(order) // 2 :]):
            yield from self._blocks(half, people)

    def _joined(self, classes: np.ndarray, people: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        fitting: np.ndarray | None = None
        for j, covering in enumerate(self.coverings):
            breaks, bits = _bits(covering, self.classes.cells[classes, j])
            found = bits[np.searchsorted(breaks, self.people.cells[people, j], side="right")]
            fitting = found if fitting is None else fitting & found
            some = fitting.any(axis=1)
            if not some.all():
                people, fitting = people[some], fitting[some]
            if not len(people):
                return
        assert fitting is not None
        person, word = np.nonzero(fitting)
        single = np.unpackbits(fitting[person, word].view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
        which, bit = np.nonzero(single)
        yield people[person[which]], classes[word[which] * 64 + bit]

    def _exact_pairs(self, asked: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Every label names one value: people and classes are joined by key."""
        values = [covering.low[covering.start[:-1]] for covering in self.coverings]
        theirs = [self.people.cells[asked, j] for j in range(len(values))]
        ours = [values[j][self.classes.cells[:, j]] for j in range(len(values))]
        empty = np.zeros(len(self.classes), dtype=bool)  # a label that nobody's value is under
        for j, covering in enumerate(self.coverings):
            empty |= covering.widths[self.classes.cells[:, j]] == 0
        keys, _ = group_rows([np.r_[a, b] for a, b in zip(theirs, ours, strict=True)], len(asked) + len(self.classes))
        class_keys = np.where(empty, -1, keys[len(asked) :])
        order = np.argsort(class_keys, kind="stable")
        first = np.searchsorted(class_keys[order], keys[: len(asked)])
        last = np.searchsorted(class_keys[order], keys[: len(asked)], side="right")
        counts = last - first
        owner = np.repeat(np.arange(len(asked)), counts)
        offset = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        yield asked[owner], order[first[owner] + offset]

    @cached_property
    def _counts(self) -> tuple[np.ndarray, np.ndarray]:
        rows, people = np.zeros(len(self.people), dtype=np.int64), np.zeros(len(self.classes), dtype=np.int64)
        for person, of_class in self.pairs():
            rows += _summed(person, self.classes.sizes[of_class], len(rows))
            people += _summed(of_class, self.people.sizes[person], len(people))
        return rows, people

    @property
    def rows_of_person(self) -> np.ndarray:
        """For each person, the number of released rows that fit them."""
        return np.asarray(self._counts[0][self.people.of_row])

    def different(self, persons: np.ndarray) -> np.ndarray:
        """For each person, the number of different people whose released rows fit them; `persons` says whose each
        released row is. Where that would take too much memory, the people of the largest class that fits: fewer."""
        inside = np.unique(np.stack([self.classes.of_row, persons]), axis=1)
        start = np.searchsorted(inside[0], np.arange(len(self.classes) + 1))
        sizes = np.diff(start)
        least = np.zeros(len(self.people), dtype=np.int64)
        found = np.zeros(len(self.people), dtype=np.int64)
        for kind, of_class in self.pairs():
            np.maximum.at(least, kind, sizes[of_class])
        for kinds in np.array_split(np.arange(len(self.people)), max(1, len(self.people) // _KINDS)):
            those: tuple[list[np.ndarray], list[np.ndarray]] = ([], [])
            for kind, of_class in self.pairs(kinds):
                those[0].append(kind)
                those[1].append(of_class)
            if not those[0]:
                continue
            kind, of_class = (np.concatenate(part) for part in those)
            if int(sizes[of_class].sum()) > _PAIRS:
                found[kinds] = least[kinds]
                continue
            owner = np.repeat(kind, sizes[of_class])
            offset = np.arange(len(owner)) - np.repeat(np.cumsum(sizes[of_class]) - sizes[of_class], sizes[of_class])
            who = inside[1][np.repeat(start[of_class], sizes[of_class]) + offset]
            pair = np.unique(owner.astype(np.int64) * (int(persons.max()) + 1) + who)
            found += np.bincount(pair // (int(persons.max()) + 1), minlength=len(found))
        return np.asarray(found[self.people.of_row])

    @property
    def people_of_class(self) -> np.ndarray:
        """For each class, the number of people who fit it."""
        return self._counts[1]

    @property
    def people_of_row(self) -> np.ndarray:
        """For each released row, the number of people who fit it."""
        return np.asarray(self._counts[1][self.classes.of_row])

    def fits(self, person: np.ndarray, row: np.ndarray) -> np.ndarray:
        """Whether each person fits the released row beside it."""
        found = np.ones(len(person), dtype=bool)
        for covering in self.coverings:
            runs, owner = covering.runs_of(covering.labels[row])
            value = covering.values[person][owner]
            inside = (covering.low[runs] <= value) & (value < covering.high[runs])
            found &= np.bincount(owner[inside], minlength=len(person)) > 0
        return found


def _bits(covering: Covering, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The values at which a label begins or ends, and for each stretch between them (the first before all) which of
    the labels cover it, 64 a word."""
    distinct, place = np.unique(labels, return_inverse=True)
    runs, owner = covering.runs_of(distinct)
    low, high = covering.low[runs], covering.high[runs]
    breaks = np.unique(np.concatenate((low, high)))
    steps = np.zeros((len(breaks) + 1, len(distinct)), dtype=np.int8)
    np.add.at(steps, (np.searchsorted(breaks, low) + 1, owner), 1)
    np.add.at(steps, (np.searchsorted(breaks, high) + 1, owner), -1)
    covered = np.cumsum(steps, axis=0, dtype=np.int8).view(bool)
    packed = np.packbits(covered[:, place], axis=1, bitorder="little")
    padded = np.zeros((len(packed), -(-packed.shape[1] // 8) * 8), dtype=np.uint8)
    padded[:, : packed.shape[1]] = packed
    return breaks, padded.view(np.uint64)


def _summed(owner: np.ndarray, amount: np.ndarray, count: int) -> np.ndarray:
    return np.bincount(owner, weights=amount, minlength=count).astype(np.int64)
