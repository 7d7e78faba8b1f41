"""Language: how the cells of a released column are meant, and reading them against the values of some people.

A cell that nobody can read would hide its row from every attack and make the release look safer than it is: it is an
error, never a cell that covers nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from paravent.errors import TableError, quote
from paravent.hierarchy.labels import LabelReader, set_members
from paravent.hierarchy.tree import ROOT_LABEL, Tree
from paravent.privacy.attacks.spans import Span, as_place, places_of, span_of

if TYPE_CHECKING:
    from paravent.hierarchy.axis import Axis

_MASKED = re.compile(r"([^*]+)(\*+)|(\*+)([^*]+)")
_SIGNS = re.compile(r"^[\[\]{<>]|~|\*")


@dataclass(frozen=True, eq=False)
class Language:
    """How the cells of a column are meant. `axis` holds the values of the original and the tree over them, `tree` the
    tree as the plan gives it, with values that the original may lack. A cell of a `generalized` column may be the label
    of a group even if neither of them is there to tell."""

    axis: Axis | None = None
    tree: Tree | None = None
    generalized: bool = False

    @property
    def has_groups(self) -> bool:
        return self.generalized or self.tree is not None or (self.axis is not None and self.axis.tree is not None)

    @cached_property
    def reader(self) -> LabelReader | None:
        return None if self.axis is None else LabelReader(self.axis.values, self.axis.tree, self.axis.positions)

    @cached_property
    def leaves(self) -> dict[str, tuple[str, ...]]:
        """The values below every label of the plan's tree."""
        if self.tree is None:
            return {}
        below: dict[str, tuple[str, ...]] = {}
        for level in self.tree.levels:
            order = np.argsort(level.codes, kind="stable")
            ends = np.searchsorted(level.codes[order], np.arange(len(level.labels)), side="right").tolist()
            for label, begin, end in zip(level.labels, [0, *ends[:-1]], ends, strict=True):
                below[label] = self.tree.leaves[int(order[begin]) : int(order[end - 1]) + 1]
        return below


@dataclass(frozen=True, eq=False)
class Values:
    """The distinct values of the people (None last), and their places on a line where they have any."""

    texts: list[str | None]
    places: np.ndarray | None
    numeric: bool

    @classmethod
    def of(cls, texts: list[str | None], column: pl.Series) -> Values:
        return cls(texts, places_of(texts), column.dtype.is_numeric())

    def take(self, order: np.ndarray) -> Values:
        places = None if self.places is None else self.places[order]
        return Values([self.texts[i] for i in order.tolist()], places, self.numeric)

    def order(self, language: Language | None) -> np.ndarray:
        """An order in which most labels cover neighbours: places, else the tree's leaves, else as they come."""
        unknown = np.array([text is None for text in self.texts], dtype=bool)
        if self.places is not None:
            return np.lexsort((np.nan_to_num(self.places), np.isnan(self.places), unknown))
        rank: dict[str, int] = {}
        if language is not None and language.axis is not None:
            rank = {value: i for i, value in enumerate(language.axis.values)}
        elif language is not None and language.tree is not None:
            rank = language.tree.leaf_of
        ranks = np.array([rank.get(text, len(rank)) if text is not None else 0 for text in self.texts], dtype=np.int64)
        return np.lexsort((ranks, unknown))


Runs = list[tuple[int, int]]


@dataclass(frozen=True, eq=False)
class Reading:
    """The reading of one column's labels against the people's values, which stand in order."""

    name: str
    known: Values
    language: Language
    numeric: bool

    @cached_property
    def _id(self) -> dict[str, int]:
        return {text: i for i, text in enumerate(self.known.texts) if text is not None}

    @cached_property
    def _count(self) -> int:
        return len(self._id)

    @cached_property
    def _of_rank(self) -> np.ndarray:
        """The value of each rank of the original; −1 where none of the people has it."""
        assert self.language.axis is not None
        return np.array([self._id.get(value, -1) for value in self.language.axis.values], dtype=np.int64)

    @cached_property
    def _outsiders(self) -> dict[str, int]:
        """The values that the original does not have."""
        if self.language.axis is None:
            return self._id
        inside = set(self.language.axis.values)
        return {text: i for text, i in self._id.items() if text not in inside}

    @cached_property
    def _places(self) -> np.ndarray:
        """The places of the values that have one, ascending; they stand before all others."""
        places = self.known.places
        return np.zeros(0) if places is None else places[: self._count][~np.isnan(places[: self._count])]

    @cached_property
    def _spans(self) -> list[tuple[int, Span]]:
        """The values that are themselves stretches: somebody who knows an age to be from 20 to 29."""
        found = [(i, span_of(text)) for text, i in self._id.items() if _is_open(text)]
        return [(i, span) for i, span in found if span is not None]

    def check_kinds(self, labels: Iterable[str | None]) -> None:
        """Refuse numbers laid beside texts: nothing would match, and the release would look safe."""
        said = [label for label in labels if label not in (None, ROOT_LABEL, "")]
        if not said or not self._count or self.language.has_groups or any(label in self._id for label in said):
            return
        numbers = [as_place(label) is not None or span_of(label) is not None for label in said if label is not None]
        theirs = [as_place(text) is not None or span_of(text) is not None for text in self._id]
        if (all(numbers) and not any(theirs)) or (all(theirs) and not any(numbers) and not any(map(_is_open, said))):
            ours, others = ("numbers", "text") if all(numbers) else ("text", "numbers")
            raise TableError(
                f"column {self.name!r}: the release holds {ours}, the table of people {others}. "
                "Write both the same way."
            )

    def covers(self, label: str | None) -> Runs:
        """The runs of values that a label covers."""
        if label is None or (label in (ROOT_LABEL, "") and label not in self._id):
            return [(0, self._count)] if self._count else []
        span = span_of(label)
        if span is not None and (len(self._places) or self._spans):
            within = self._within(span)
            more = [*self._meeting(span), *([self._id[label]] if label in self._id else [])]
            return _runs([*(i for begin, end in within for i in range(begin, end)), *more]) if more else within
        if label in self._id and not self._spans:
            return [(self._id[label], self._id[label] + 1)]
        ids: np.ndarray | list[int] | None = None
        if self.language.reader is not None:
            ranks = self.language.reader.covers(label)
            if ranks is not None:
                found = (
                    self._of_rank[ranks.start : ranks.stop] if isinstance(ranks, range) else self._of_rank[list(ranks)]
                )
                ids = np.concatenate((found[found >= 0], np.array(self._beyond(label), dtype=np.int64)))
        if ids is None:
            ids = self._elsewhere(label)
        if ids is None:
            raise TableError(
                f"column {self.name!r}: cell {quote(label)} of the release cannot be read. Give the original table, or "
                "a plan with the tree that it was generalized by."
            )
        place = as_place(label) if self._spans else None
        return _runs([*ids, *self._meeting(Span(place, place))] if place is not None else ids)

    def _within(self, span: Span) -> Runs:
        begin = int(np.searchsorted(self._places, span.low, side="left" if span.with_low else "right"))
        end = int(np.searchsorted(self._places, span.high, side="right" if span.with_high else "left"))
        return [(begin, end)] if begin < end else []

    def _meeting(self, span: Span) -> list[int]:
        return [i for i, other in self._spans if span.meets(other)]

    def _beyond(self, label: str) -> list[int]:
        """The values that the original lacks and the label covers all the same."""
        return (self._elsewhere(label) or []) if self._outsiders else []

    def _elsewhere(self, label: str) -> list[int] | None:
        """What the label covers among the values that the original does not have; None: it cannot be read."""
        outside = self._outsiders
        if label in self.language.leaves:
            return [outside[leaf] for leaf in self.language.leaves[label] if leaf in outside]
        if label[:1] == "{" and label[-1:] == "}" and set_members(label):
            return sorted({i for member in set_members(label) for i in self._point(member, outside)})
        masked = _MASKED.fullmatch(label)
        if masked is not None:
            prefix, suffix = masked[1] or "", masked[4] or ""
            longest, fewest = len(label), len(prefix or suffix)
            return [
                i
                for text, i in outside.items()
                if text.startswith(prefix) and text.endswith(suffix) and fewest <= len(text) <= longest
            ]
        return None if self.language.has_groups or _is_open(label) else self._point(label, outside)

    def _point(self, label: str, among: dict[str, int]) -> list[int]:
        """The value that is written so, or that is the same number where one side is typed as numbers."""
        if label in among:
            return [among[label]]
        place = as_place(label)
        if place is None or not (self.numeric or self.known.numeric):
            return []
        at = int(np.searchsorted(self._places, place))
        return [at] if at < len(self._places) and self._places[at] == place else []


def _is_open(label: str | None) -> bool:
    """Whether a label looks like one of several values."""
    return label is not None and _SIGNS.search(label) is not None


def _runs(ids: np.ndarray | list[int]) -> Runs:
    """Values as runs of neighbours."""
    ascending = np.unique(np.asarray(ids, dtype=np.int64))
    if not len(ascending):
        return []
    breaks = np.flatnonzero(np.diff(ascending) > 1)
    begin = ascending[np.r_[0, breaks + 1]]
    end = ascending[np.r_[breaks, len(ascending) - 1]] + 1
    return list(zip(begin.tolist(), end.tolist(), strict=True))
