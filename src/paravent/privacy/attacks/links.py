"""Links: which people fit which classes of a release, by what is known of both.

Rows and people are folded first: equal cells make one class, equal knowledge one kind of person. What is left is
joined by bits, a block of classes at a time: for each value of a column a row of bits says which classes cover it, and
a person fits the classes whose bit is set in all their columns. 30 000 people and 5 000 classes over eight columns are
some 150 MB of bits read once a column.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from paravent.privacy.attacks.covering import Covering
from paravent.privacy.grouping import group_rows

_CELLS = 2**25  # of a block's matrix of values and classes
_PEOPLE = 8192


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
        by_selectivity = sorted(
            range(len(self.coverings)),
            key=lambda j: float(np.mean(self.coverings[j].widths) / max(self.coverings[j].n_values - 1, 1)),
        )
        widest = max(covering.n_values for covering in self.coverings)
        block = max(64, min(4096, _CELLS // widest) // 64 * 64)
        for begin in range(0, len(self.classes), block):
            cells = self.classes.cells[begin : begin + block]
            bits = [self._bits(self.coverings[j], cells[:, j]) for j in by_selectivity]
            for chunk in range(0, len(asked), _PEOPLE):
                alive = asked[chunk : chunk + _PEOPLE]
                fitting = bits[0][self.people.cells[alive, by_selectivity[0]]]
                for j, column in zip(by_selectivity[1:], bits[1:], strict=True):
                    some = fitting.any(axis=1)
                    if not some.all():
                        alive, fitting = alive[some], fitting[some]
                    fitting &= column[self.people.cells[alive, j]]
                person, byte = np.nonzero(fitting)
                words = np.unpackbits(fitting[person, byte].view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
                word, bit = np.nonzero(words)
                yield alive[person[word]], begin + byte[word] * 64 + bit

    def _bits(self, covering: Covering, labels: np.ndarray) -> np.ndarray:
        """For each value, 64 classes a word, the classes that cover it."""
        distinct, place = np.unique(labels, return_inverse=True)
        packed = np.packbits(covering.matrix(distinct)[:, place], axis=1, bitorder="little")
        words = -(-packed.shape[1] // 8)
        padded = np.zeros((packed.shape[0], words * 8), dtype=np.uint8)
        padded[:, : packed.shape[1]] = packed
        return padded.view(np.uint64)

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
            value, label = covering.values[person], covering.labels[row]
            key = label.astype(np.int64) * covering.n_values + value
            distinct, inverse = np.unique(key, return_inverse=True)
            answers = [bool(covering.covered(int(k // covering.n_values))[k % covering.n_values]) for k in distinct]
            found &= np.array(answers, dtype=bool)[inverse]
        return found


def _summed(owner: np.ndarray, amount: np.ndarray, count: int) -> np.ndarray:
    return np.bincount(owner, weights=amount, minlength=count).astype(np.int64)
