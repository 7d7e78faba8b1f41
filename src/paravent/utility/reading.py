"""Reading a released column back: which original values each of its cells may stand for.

Only distinct labels are parsed, so a million rows cost as much as their few thousand different cells.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from paravent.errors import TableError, quote
from paravent.hierarchy.axis import MISSING_LABEL, Axis
from paravent.hierarchy.labels import LabelReader
from paravent.hierarchy.tree import ROOT_LABEL
from paravent.hierarchy.written import as_places, read_interval
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
        known = _known_values(axis, labels)
        missing = np.array([label is None for label in labels], dtype=bool)
        blank = np.array([label in SUPPRESSED for label in labels], dtype=bool) & (known < 0) | missing
        covered = _Covered(axis, labels, known, blank)
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
        return np.bincount(self.codes, minlength=len(self.labels))

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

    def changed(self, kept: np.ndarray) -> np.ndarray:
        """Which released cells do not show exactly the value of their original row."""
        return np.asarray((self.only[self.codes] != self.axis.codes[kept]) & ~self.never_known[self.codes])

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
        line = places(self.axis)
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
        line = places(self.axis)
        if line is None:
            return None
        placed = np.isfinite(line)
        sums, counts = self.total(np.where(placed, line, 0.0)), self.total(placed.astype(np.int64))
        with np.errstate(invalid="ignore"):
            found = np.where(self.silent | (counts == 0), np.nan, sums / np.maximum(counts, 1))
        for label in np.flatnonzero(self.moved).tolist():
            found[label] = sum(self.written[label]) / 2
        return np.asarray(found)


def places(axis: Axis) -> np.ndarray | None:
    """The values of an axis on a line, where the column has one. A missing value kept as a value has no place (nan)."""
    if axis.positions is not None:
        return axis.positions
    if not axis.kind.is_numeric and axis.kind is not Kind.DATE:
        return None
    found = as_places(pl.Series(axis.values, dtype=pl.String), axis.kind)
    return found if np.isfinite(found).any() else None


class _Covered:
    """What the labels of a column cover, one after the other."""

    def __init__(self, axis: Axis, labels: list[str | None], known: np.ndarray, blank: np.ndarray) -> None:
        everything = len(axis) - 1
        self.axis = axis
        self.first = np.where(blank, 0, known).astype(np.int32)
        self.last = np.where(blank, everything, known).astype(np.int32)
        self.sets: dict[int, np.ndarray] = {}
        self.moved = np.zeros(len(labels), dtype=bool)
        self.written: dict[int, tuple[float, float]] = {}
        self.only = np.where(blank, -1, known).astype(np.int64)
        unknown = np.flatnonzero((known < 0) & ~blank)
        if not len(unknown):
            return
        reader = LabelReader(axis.values, axis.tree, axis.positions)
        line = places(axis)
        texts = [str(labels[label]) for label in unknown.tolist()]
        groups = set() if axis.tree is None else {label for level in axis.tree.levels for label in level.labels}
        if line is not None:
            unknown, texts = self._read_numbers(unknown, texts, line, groups)
        placed = (
            None if axis.positions is None else axis.positions[: len(axis) - int(np.isnan(axis.positions[-1:]).sum())]
        )
        if placed is not None and bool(np.all(np.diff(placed) >= 0)):
            unknown, texts = self._read_intervals(unknown, texts, groups, placed)
        for label, text in zip(unknown.tolist(), texts, strict=True):
            if text not in groups and (
                self._read_category(label, text) or (line is not None and self._read_interval(label, text, line))
            ):
                continue
            covered = reader.covers(text)
            if covered is not None and any(True for _ in covered):
                self._take(label, covered)
            else:
                raise TableError(
                    f"column {axis.name!r}: cell {quote(text)} is neither a value of the original column nor a label "
                    "of its tree, a range or a set of values. Compare the release with the table and plan it was made "
                    "from."
                )

    def _take(self, label: int, covered: Iterable[int]) -> None:
        if isinstance(covered, range):
            self.first[label], self.last[label] = covered.start, covered.stop - 1
            return
        ranks = np.unique(np.fromiter(covered, np.int64))
        self.first[label], self.last[label] = ranks[0], ranks[-1]
        if len(ranks) <= ranks[-1] - ranks[0]:
            self.sets[label] = ranks

    def _read_category(self, label: int, text: str) -> bool:
        """A category of the scale that the column does not hold stands for the nearest that it holds (the lower of two)
        and is moved."""
        scale = self.axis.scale
        if scale is None or text not in scale:
            return False
        away = np.abs(self.axis.category - scale.index(text))
        self.first[label] = self.last[label] = int(np.lexsort((self.axis.category, away))[0])
        self.moved[label] = True
        return True

    def _read_numbers(
        self, labels: np.ndarray, texts: list[str], line: np.ndarray, groups: set[str]
    ) -> tuple[np.ndarray, list[str]]:
        """Take the numbers that are no values of the column, each for the nearest value (the lower of two); give back
        the labels that are no numbers."""
        numbers = as_places(pl.Series(texts), self.axis.kind)
        plain = np.isfinite(numbers) & np.array([text not in groups for text in texts])
        placed = np.flatnonzero(np.isfinite(line))
        by_place = placed[np.argsort(line[placed], kind="stable")]
        ruler, numbers, found = line[by_place], numbers[plain], labels[plain]
        at = np.searchsorted((ruler[1:] + ruler[:-1]) / 2, numbers)
        self.first[found] = self.last[found] = by_place[at]
        self.moved[found] = ruler[at] != numbers
        self.only[found] = np.where(ruler[at] != numbers, -1, by_place[at])
        self.written.update(zip(found.tolist(), zip(numbers.tolist(), numbers.tolist(), strict=True), strict=True))
        return labels[~plain], [text for text, number in zip(texts, plain.tolist(), strict=True) if not number]

    def _read_intervals(
        self, labels: np.ndarray, texts: list[str], groups: set[str], placed: np.ndarray
    ) -> tuple[np.ndarray, list[str]]:
        """Take the intervals that hold a value of the column, all at once: where classes are labelled by their own
        ends there may be as many as classes. Give back the labels that are none. `placed` are the ascending places."""
        parts = pl.Series(texts, dtype=pl.String).str.extract_groups(r"^([\[\]])(.+), (.+)([\[\]])$").struct.unnest()
        left, *ends, right = (parts[name] for name in parts.columns)
        own = np.array([text not in groups for text in texts], dtype=bool)
        low, high = (_known_values(self.axis, end.to_list()) for end in ends)
        closed = ((left == "[") & (right == "]")).fill_null(False).to_numpy()
        known = own & closed & (low >= 0) & (low <= high)
        self.first[labels[known]], self.last[labels[known]] = low[known], high[known]
        begin, end = (as_places(each, self.axis.kind) for each in ends)
        open_low, open_high = ((left == "]").fill_null(False).to_numpy(), (right == "[").fill_null(False).to_numpy())
        first = np.where(open_low, np.searchsorted(placed, begin, side="right"), np.searchsorted(placed, begin))
        after = np.where(open_high, np.searchsorted(placed, end), np.searchsorted(placed, end, side="right"))
        written = own & ~known & np.isfinite(begin) & np.isfinite(end) & (begin <= end) & (first < after)
        self.first[labels[written]], self.last[labels[written]] = first[written], after[written] - 1
        step = 1.0 if self.axis.kind is Kind.INTEGER else 0.0
        begin = np.maximum(begin + step * open_low, placed[0] if len(placed) else 0.0)[written]
        end = np.maximum(np.minimum(end - step * open_high, placed[-1] if len(placed) else 0.0)[written], begin)
        self.written.update(zip(labels[written].tolist(), zip(begin.tolist(), end.tolist(), strict=True), strict=True))
        taken = known | written
        return labels[~taken], [text for text, gone in zip(texts, taken.tolist(), strict=True) if not gone]

    def _read_interval(self, label: int, text: str, line: np.ndarray) -> bool:
        """An interval whose ends the column does not hold. One without any value stands for the nearest to its middle
        and is moved."""
        interval = read_interval(text)
        if interval is None:
            return False
        low, high = interval.closed(self.axis.kind is Kind.INTEGER)
        low, high = max(low, float(np.nanmin(line))), min(high, float(np.nanmax(line)))
        inside = np.flatnonzero(interval.holds(line)).tolist()
        self.moved[label] = not inside
        self._take(label, inside or [int(np.nanargmin(np.abs(line - (low + high) / 2)))])
        self.written[label] = (low, max(low, high))
        return True


def _distinct(column: pl.Series) -> tuple[np.ndarray, list[str | None]]:
    """The code of each row and the text of each code."""
    if isinstance(column.dtype, pl.Enum) and not column.null_count():  # as `anonymize` leaves it: nothing to find out
        physical, categories = column.to_physical().to_numpy().astype(np.int32), column.dtype.categories.to_list()
        if np.bincount(physical, minlength=len(categories)).all():
            return physical, categories
    codes = cell_codes(column)
    some_row = np.full(int(codes.max()) + 1 if len(codes) else 0, -1, dtype=np.int64)
    some_row[codes] = np.arange(len(codes))
    occurs = some_row >= 0
    renumbered = (np.cumsum(occurs) - 1).astype(np.int32)
    return renumbered[codes], as_text(column.gather(some_row[occurs])).to_list()


def _known_values(axis: Axis, labels: list[str | None]) -> np.ndarray:
    """The rank of each label that is a value of the column itself, −1 for the others. Most labels, as a rule."""
    values = pl.DataFrame(
        {"label": axis.values, "rank": np.arange(len(axis))}, schema={"label": pl.String, "rank": pl.Int64}
    )
    asked = pl.DataFrame({"label": labels}, schema={"label": pl.String})
    found = asked.join(values, on="label", how="left", maintain_order="left")["rank"].fill_null(-1)
    return np.asarray(found.to_numpy())
