"""Covering: which values of people each cell of a released column covers, people included whom the original lacks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from paravent.hierarchy.tree import ROOT_LABEL
from paravent.privacy.grouping import cell_codes
from paravent.privacy.language import Language, Reading, Values
from paravent.table.text import as_text


@dataclass(frozen=True, eq=False)
class Covering:
    """One column of a release beside the same column of some people.

    Row i of the release holds label `labels[i]`; person j holds value `values[j]`, of `n_values`, the last of which
    stands for what is not known and is covered by every label. Label l covers the values from `low[r]` to
    `high[r] − 1` for each r from `start[l]` to `start[l + 1] − 1`.
    """

    name: str
    labels: np.ndarray
    values: np.ndarray
    n_values: int
    start: np.ndarray
    low: np.ndarray
    high: np.ndarray

    @classmethod
    def of(cls, released: pl.Series, people: pl.Series, language: Language | None = None) -> Covering:
        """Read every distinct cell of `released` against the distinct values of `people`.

        >>> ages = Covering.of(pl.Series("age", ["[20, 29]", "*", "35"]), pl.Series([22, 35]))
        >>> [np.flatnonzero(ages.covered(label)[:2]).tolist() for label in ages.labels]
        [[0], [0, 1], [1]]
        """
        labels, texts = distinct(released)
        codes, values = distinct(_with_unknown(people))
        known = Values.of(values, people)
        order = known.order(language)
        new = np.empty(len(values), dtype=np.int64)
        new[order] = np.arange(len(values))
        reading = Reading(released.name, known.take(order), language or Language(), numeric=released.dtype.is_numeric())
        reading.check_kinds(texts)
        runs = [reading.covers(text) for text in texts]
        unknown = len(values) - (None in values)
        low, high, counts = [], [], []
        for run in runs:
            low += [*(begin for begin, _ in run), unknown]
            high += [*(end for _, end in run), unknown + 1]
            counts.append(len(run) + 1)
        start = np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))
        return cls(
            released.name,
            labels,
            new[codes] if len(codes) else codes,
            unknown + 1,
            start,
            np.array(low),
            np.array(high),
        )

    @property
    def n_labels(self) -> int:
        return len(self.start) - 1

    def covered(self, label: int) -> np.ndarray:
        """Which values a label covers."""
        mask = np.zeros(self.n_values, dtype=bool)
        for run in range(int(self.start[label]), int(self.start[label + 1])):
            mask[self.low[run] : self.high[run]] = True
        return mask

    def runs_of(self, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The runs of some labels one after another, and which of the labels each belongs to."""
        counts = self.start[labels + 1] - self.start[labels]
        owner = np.repeat(np.arange(len(labels)), counts)
        before = np.concatenate(([0], np.cumsum(counts)[:-1]))
        return np.arange(len(owner)) + np.repeat(self.start[labels] - before, counts), owner

    @cached_property
    def first(self) -> np.ndarray:
        """The first value of each label, what is not known left out; 0 where it covers none."""
        return np.where(self.widths > 0, self.low[self.start[:-1]], 0)

    @cached_property
    def last(self) -> np.ndarray:
        """The value after the last of each label."""
        return np.where(self.widths > 0, self.high[np.maximum(self.start[1:] - 2, 0)], 0)

    @cached_property
    def widths(self) -> np.ndarray:
        """How many known values each label covers."""
        return np.add.reduceat(self.high - self.low, self.start[:-1]) - 1 if self.n_labels else np.zeros(0, np.int64)

    @cached_property
    def by_value(self) -> tuple[np.ndarray, np.ndarray]:
        """The people sorted by value, and where each value begins: those whom a label covers are a few slices."""
        people = np.argsort(self.values, kind="stable")
        return people, np.searchsorted(self.values[people], np.arange(self.n_values + 1))

    def holders(self, label: int) -> list[np.ndarray]:
        """The people whose values a label covers."""
        people, start = self.by_value
        runs = slice(int(self.start[label]), int(self.start[label + 1]))
        ends = zip(start[self.low[runs]].tolist(), start[self.high[runs]].tolist(), strict=True)
        return [people[begin:end] for begin, end in ends]

    @cached_property
    def is_exact(self) -> bool:
        """Whether every label covers one value at most and every value is known."""
        return bool((self.widths <= 1).all()) and not bool((self.values == self.n_values - 1).any())


def _with_unknown(people: pl.Series) -> pl.Series:
    """What is known of people: `*` in a table of people says as little as an empty cell."""
    people = people.alias("cells")
    if isinstance(people.dtype, pl.Categorical | pl.Enum):
        people = people.cast(pl.String)
    if people.dtype != pl.String:
        return people
    cells = people.to_frame()
    return cells.select(pl.when(pl.col("cells") == ROOT_LABEL).then(None).otherwise(pl.col("cells"))).to_series()


def distinct(column: pl.Series) -> tuple[np.ndarray, list[str | None]]:
    """The code of each row and the text of each code."""
    column = column.alias("cells")  # polars takes some names for patterns
    codes = cell_codes(column.fill_nan(None) if column.dtype.is_float() else column)
    some_row = np.full(int(codes.max()) + 1 if len(codes) else 0, -1, dtype=np.int64)
    some_row[codes] = np.arange(len(codes))
    occurs = some_row >= 0
    return (np.cumsum(occurs) - 1)[codes], as_text(column.gather(some_row[occurs])).to_list()
