"""Reading a released column back: which original values each of its cells may stand for.

Only distinct labels are parsed, so a million rows cost as much as their few thousand different cells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from paravent import kernels
from paravent.errors import TableError, quote
from paravent.hierarchy.axis import MISSING_LABEL, Axis
from paravent.hierarchy.cells import CellReader, Form, ReadColumn
from paravent.hierarchy.tree import ROOT_LABEL
from paravent.privacy.grouping import cell_codes
from paravent.table.kinds import Kind
from paravent.table.text import as_text, is_text

SUPPRESSED = (ROOT_LABEL, "")


@dataclass(frozen=True, eq=False)
class Reading:
    """A released quasi-identifier: row i holds `labels[codes[i]]`.

    Label l covers the ranks from `first[l]` to `last[l]`, or exactly `sets[l]` where these are no neighbours. A cell
    that says nothing (`*`, empty, or of a column that was not released) covers all ranks and is `blank`. In a column
    whose missing values are wildcards an empty cell was `never_known`: nothing is lost there. A number or a category of
    its scale that the original column does not hold (averages, noise) stands for the nearest one and is `moved`;
    `written` keeps such numbers, and intervals between such numbers, as they are written. `only[l]` is the rank whose
    value the label is, −1 where it is none (a group of which one value occurs is still a group).
    """

    axis: Axis
    labels: tuple[str | None, ...]
    codes: np.ndarray
    first: np.ndarray
    last: np.ndarray
    sets: Mapping[int, np.ndarray]
    blank: np.ndarray
    never_known: np.ndarray
    moved: np.ndarray
    written: Mapping[int, tuple[float, float]]
    only: np.ndarray

    @classmethod
    def of(cls, axis: Axis, released: pl.DataFrame, *, wildcard: bool = False) -> Reading:
        if axis.name in released.columns:
            codes, labels = _distinct(released[axis.name])
            if not wildcard and axis.values[-1:] == (MISSING_LABEL,) and not is_text(released[axis.name].dtype):
                labels = [MISSING_LABEL if label is None else label for label in labels]
        else:
            codes, labels = np.zeros(released.height, np.int32), [None]
            wildcard = False
        missing = np.array([label is None for label in labels], dtype=bool)
        silent = [label in SUPPRESSED and label not in axis.values for label in labels]
        blank = np.array(silent, dtype=bool) | missing
        covered = _Covered(axis, labels, blank)
        never_known = missing if wildcard else np.zeros(len(labels), dtype=bool)
        return cls(
            axis,
            tuple(labels),
            codes,
            covered.first,
            covered.last,
            covered.sets,
            blank & ~never_known,
            never_known,
            covered.moved,
            covered.written,
            covered.only,
        )

    @cached_property
    def counts(self) -> np.ndarray:
        """How many released rows hold each label."""
        return kernels.count_codes(self.codes, len(self.labels))

    @cached_property
    def n_covered(self) -> np.ndarray:
        """How many values of the original each label may stand for."""
        found: np.ndarray = self.last.astype(np.int64) - self.first + 1
        for label, ranks in self.sets.items():
            found[label] = len(ranks)
        return found

    @cached_property
    def silent(self) -> np.ndarray:
        """Labels that say nothing, whether something was known before or not."""
        return np.asarray(self.blank | self.never_known)

    @cached_property
    def covers(self) -> tuple[Sequence[int], ...]:
        """The ranks of each label."""
        ends = zip(self.first.tolist(), self.last.tolist(), strict=True)
        return tuple(
            self.sets[label].tolist() if label in self.sets else range(low, high + 1)
            for label, (low, high) in enumerate(ends)
        )

    def differs(self, label: np.ndarray, rank: np.ndarray) -> np.ndarray:
        """Whether a cell with a label does not show exactly the value of a rank, elementwise."""
        return np.asarray((self.only[label] != rank) & ~self.never_known[label])

    def changed(self, kept: np.ndarray) -> np.ndarray:
        """Which released cells do not show exactly the value of their original row."""
        return self.differs(self.codes, self.axis.codes[kept])

    def total(self, of_rank: np.ndarray) -> np.ndarray:
        """The sum of a number of each rank over the ranks that a label covers, for each label."""
        if len(self.axis) == 0:
            return np.zeros(len(self.labels), dtype=of_rank.dtype)
        upto = np.concatenate([[0], np.cumsum(of_rank)])
        alone = self.first == self.last
        found = np.where(alone, of_rank[self.first], upto[self.last + 1] - upto[self.first])
        if self.sets:
            members, starts = self._members
            found[list(self.sets)] = np.add.reduceat(of_rank[members], starts)
        return np.asarray(found)

    def hold(self, label: np.ndarray, rank: np.ndarray) -> np.ndarray:
        """Whether a label covers a rank, elementwise. A moved number covers nothing."""
        inside = (self.first[label] <= rank) & (rank <= self.last[label]) & ~self.moved[label]
        if self.sets:
            members, starts = self._members
            owner = np.repeat(list(self.sets), np.diff([*starts.tolist(), len(members)]))
            listed = np.sort(owner * np.int64(len(self.axis)) + members)
            asked = label * np.int64(len(self.axis)) + rank
            at = np.minimum(np.searchsorted(listed, asked), len(listed) - 1)
            in_set = np.zeros(len(self.labels), dtype=bool)
            in_set[list(self.sets)] = True
            inside &= ~in_set[label] | (listed[at] == asked)
        return np.asarray(inside)

    @cached_property
    def _members(self) -> tuple[np.ndarray, np.ndarray]:
        """The ranks of all sets one after the other, and where each set starts."""
        sizes = [len(ranks) for ranks in self.sets.values()]
        return np.concatenate(list(self.sets.values())), np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)

    def spread(self, rows: np.ndarray) -> np.ndarray:
        """The expected number of released rows of each rank when every cell is spread evenly over what it covers.

        This is what somebody who has nothing but the release would assume. `rows` says which rows are counted.
        """
        counts = self.counts if bool(rows.all()) else np.bincount(self.codes[rows], minlength=len(self.labels))
        share = counts / np.maximum(self.n_covered, 1)
        ranges = np.ones(len(self.labels), dtype=bool)
        ranges[list(self.sets)] = False
        ends = np.zeros(len(self.axis) + 1)  # differences: a range adds at its two ends
        np.add.at(ends, self.first[ranges], share[ranges])
        np.add.at(ends, self.last[ranges] + 1, -share[ranges])
        found = np.cumsum(ends[:-1])
        for label, ranks in self.sets.items():
            found[ranks] += share[label]
        return np.asarray(np.maximum(found, 0.0))

    @cached_property
    def bounds(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Where each label begins and ends on the line of the column; None where the column has no line.

        A label that mixes a missing value with others has no bounds (nan).
        """
        line = self.axis.line
        if line is None:
            return None
        if bool(np.all(np.diff(line) >= 0)):  # False as well when a place is not a number
            low, high = line[self.first], line[self.last]
            for label, ranks in self.sets.items():
                low[label], high[label] = line[ranks[0]], line[ranks[-1]]
        else:
            held = [line[list(ranks)] if len(ranks) else line[:0] for ranks in self.covers]
            low = np.array([cells.min() if len(cells) else np.nan for cells in held])
            high = np.array([cells.max() if len(cells) else np.nan for cells in held])
        for label, (begin, end) in self.written.items():
            low[label], high[label] = begin, end
        return low, high

    @cached_property
    def expected(self) -> np.ndarray | None:
        """The number that each label stands for on average when it is spread evenly; nan where it says nothing."""
        line = self.axis.line
        if line is None:
            return None
        placed = np.isfinite(line)
        sums, counts = self.total(np.where(placed, line, 0.0)), self.total(placed.astype(np.int64))
        with np.errstate(invalid="ignore"):
            found = np.where(self.silent | (counts == 0), np.nan, sums / np.maximum(counts, 1))
        for label in np.flatnonzero(self.moved).tolist():
            found[label] = sum(self.written[label]) / 2
        return np.asarray(found)


class _Covered:
    """What the labels of a column stand for in a measure: what they cover, and where they cover nothing, the value
    nearest to them."""

    def __init__(self, axis: Axis, labels: list[str | None], blank: np.ndarray) -> None:
        self.axis = axis
        self.blank = blank
        said = np.flatnonzero(~blank)
        texts = [str(labels[label]) for label in said.tolist()]
        read = ReadColumn.of(CellReader.of(axis), texts)
        self._refuse(texts, read)
        self.first = np.zeros(len(labels), dtype=np.int32)
        self.last = np.full(len(labels), len(axis) - 1, dtype=np.int32)
        self.first[said], self.last[said] = read.first, read.last
        self.sets = {int(said[label]): ranks for label, ranks in read.sets.items()}
        self.moved = np.zeros(len(labels), dtype=bool)
        self.written: dict[int, tuple[float, float]] = {}
        self.only = np.full(len(labels), -1, dtype=np.int64)
        values = read.form == Form.VALUE
        self.only[said[values]] = read.first[values]
        self._place_numbers(said, read)
        self._place_intervals(said, read)
        self._place_categories(said, texts, read)

    def _refuse(self, texts: list[str], read: ReadColumn) -> None:
        """Numbers, intervals and categories have a nearest value; a label of another form must cover one."""
        placed = np.isin(read.form, (Form.NUMBER, Form.INTERVAL, Form.CATEGORY))
        unread = np.flatnonzero((read.last < read.first) & ~placed)
        if len(unread):
            raise TableError(
                f"column {self.axis.name!r}: cell {quote(texts[int(unread[0])])} is neither a value of the original "
                "column nor a label of its tree, a range or a set of values. Compare the release with the table and "
                "plan it was made from."
            )

    def _place_numbers(self, said: np.ndarray, read: ReadColumn) -> None:
        """A number that the column does not hold stands for the nearest value (the lower of two)."""
        numbers = np.flatnonzero(read.form == Form.NUMBER)
        if not len(numbers):
            return
        line = self.axis.line
        assert line is not None
        placed = np.flatnonzero(np.isfinite(line))
        by_place = placed[np.argsort(line[placed], kind="stable")]
        ruler, places, found = line[by_place], read.low[numbers], said[numbers]
        held = read.first[numbers] <= read.last[numbers]
        nearest = by_place[np.searchsorted((ruler[1:] + ruler[:-1]) / 2, places)]
        rank = np.where(held, read.first[numbers], nearest)
        self.first[found] = self.last[found] = rank
        self.moved[found] = ~held
        self.only[found] = np.where(held, rank, -1)
        self.written.update(zip(found.tolist(), zip(places.tolist(), places.tolist(), strict=True), strict=True))

    def _place_intervals(self, said: np.ndarray, read: ReadColumn) -> None:
        """An interval is kept as it is written, within the column; one without any value stands for the nearest to its
        middle."""
        intervals = np.flatnonzero((read.form == Form.INTERVAL) & ~read.at_values)
        if not len(intervals):
            return
        line = self.axis.line
        assert line is not None
        step = 1.0 if self.axis.kind is Kind.INTEGER else 0.0
        low = np.maximum(read.low + step * read.open_low, np.nanmin(line))[intervals]
        high = np.minimum(read.high - step * read.open_high, np.nanmax(line))[intervals]
        found = said[intervals]
        for at in np.flatnonzero(read.last[intervals] < read.first[intervals]).tolist():
            middle = (low[at] + high[at]) / 2
            self.first[found[at]] = self.last[found[at]] = int(np.nanargmin(np.abs(line - middle)))
            self.moved[found[at]] = True
        ends = zip(low.tolist(), np.maximum(low, high).tolist(), strict=True)
        self.written.update(zip(found.tolist(), ends, strict=True))

    def _place_categories(self, said: np.ndarray, texts: list[str], read: ReadColumn) -> None:
        """A category of the scale that the column does not hold stands for the nearest that it holds (the lower of
        two)."""
        for at in np.flatnonzero(read.form == Form.CATEGORY).tolist():
            away = np.abs(self.axis.category - self.axis.categories.index(texts[at]))
            self.first[said[at]] = self.last[said[at]] = int(np.lexsort((self.axis.category, away))[0])
            self.moved[said[at]] = True


def _distinct(column: pl.Series) -> tuple[np.ndarray, list[str | None]]:
    """The code of each row and the text of each code."""
    if isinstance(column.dtype, pl.Enum) and not column.null_count():  # as `anonymize` leaves it: nothing to find out
        physical, categories = column.to_physical().to_numpy().astype(np.int32), column.dtype.categories.to_list()
        if kernels.count_codes(physical, len(categories)).all():
            return physical, categories
    codes = cell_codes(column)
    some_row = np.full(int(codes.max()) + 1 if len(codes) else 0, -1, dtype=np.int64)
    some_row[codes] = np.arange(len(codes))
    occurs = some_row >= 0
    renumbered = (np.cumsum(occurs) - 1).astype(np.int32)
    return renumbered[codes], as_text(column.gather(some_row[occurs])).to_list()
