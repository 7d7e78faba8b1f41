"""Language: how the cells of a released column are meant, and reading them against the values of some people.

A cell that nobody can read would hide its row from every attack and make the release look safer than it is: it is an
error, never a cell that covers nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from paravent.errors import TableError, quote
from paravent.hierarchy.cells import (
    CellReader,
    Form,
    Interval,
    looks_like_label,
    place_of,
    places_of,
    read_interval,
)
from paravent.hierarchy.cells.reader import nodes_of
from paravent.hierarchy.tree import ROOT_LABEL, Tree

if TYPE_CHECKING:
    from paravent.hierarchy.axis import Axis


@dataclass(frozen=True, eq=False)
class Language:
    """How the cells of a column are meant. `axis` holds the values of the original and the tree over them, `tree` the
    tree as the plan gives it, with values that the original may lack. A cell of a `generalized` column may be the label
    of a group even if neither of them is there to tell. `exact` cells are values and never labels, as those of
    synthetic rows are: one that nobody has covers nobody."""

    axis: Axis | None = None
    tree: Tree | None = None
    generalized: bool = False
    exact: bool = False

    @property
    def has_groups(self) -> bool:
        return self.generalized or bool(self.trees)

    @cached_property
    def trees(self) -> tuple[Tree, ...]:
        """The trees that name groups. Where both hold a value, that of the original has the say."""
        both = (None if self.axis is None else self.axis.tree, self.tree)
        return tuple(tree for tree in both if tree is not None)

    @cached_property
    def order(self) -> dict[str, int]:
        """The values in the order in which ranges are meant."""
        if self.axis is not None:
            ordered: Sequence[str] = self.axis.values if self.axis.tree is not None else self.axis.categories
        else:
            ordered = () if self.tree is None else self.tree.leaves
        return {value: i for i, value in enumerate(ordered)}


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


@dataclass(frozen=True, eq=False)
class PeopleReader(CellReader):
    """Reads cells against the values of people, of whom the original may lack some. A value that nobody has is read
    and covers nobody. What a tree does not hold is covered by a node as the node is written. Texts are compared as
    numbers where one side is `typed` so."""

    language: Language = field(default_factory=Language)
    typed: bool = False

    def value(self, label: str) -> Sequence[int] | None:
        found = super().value(label)
        if found is not None:
            return found
        place = place_of(label.strip()) if self.typed and self.positions is not None else None
        same = () if place is None else self.number(label.strip(), place)
        return same if same or self._is_known(label) else None

    def _is_known(self, label: str) -> bool:
        """Whether a text is a value that none of the people has."""
        held = self.language.axis is not None and label in self._of_original
        return held or any(label in tree.leaf_of for tree in self.language.trees)

    @cached_property
    def _of_original(self) -> frozenset[str]:
        return frozenset() if self.language.axis is None else frozenset(self.language.axis.values)

    def number(self, text: str, place: float) -> Sequence[int]:
        return super().number(text, place) if self.typed else ()

    def group(self, label: str) -> Sequence[int] | None:
        below = [(tree, nodes[label]) for tree, nodes in self._trees if label in nodes]
        if not below:
            return None
        found = {
            self._rank[leaf]
            for tree, leaves in below
            for leaf in tree.leaves[leaves.start : leaves.stop]
            if leaf in self._rank and self._home[leaf] is tree
        }
        if self._strangers:
            written = self.written(label)
            found |= self._strangers.intersection(() if written is None else written.ranks)
        return sorted(found)

    @cached_property
    def _trees(self) -> list[tuple[Tree, dict[str, range]]]:
        return [(tree, nodes_of(tree)) for tree in self.language.trees]

    @cached_property
    def _home(self) -> dict[str, Tree]:
        """The tree that has the say about each value."""
        return {leaf: tree for tree in reversed(self.language.trees) for leaf in tree.leaves}

    @cached_property
    def _strangers(self) -> frozenset[int]:
        """The values that no tree holds."""
        return frozenset(rank for value, rank in self._rank.items() if value not in self._home)

    def between(self, low: str, high: str) -> Sequence[int] | None:
        order = self.language.order
        first, last = order.get(low), order.get(high)
        if first is None or last is None or first > last:
            return None
        return [rank for value, rank in self._rank.items() if first <= order.get(value, -1) <= last]

    def _member(self, text: str) -> Iterable[int] | None:
        return self.value(text) or ()

    @property
    def has_dashes(self) -> bool:
        """In a column of names and codes, 00-950 is one of them."""
        return self.language.axis is None or self.language.axis.line is not None


Runs = list[tuple[int, int]]


@dataclass(frozen=True, eq=False)
class Reading:
    """The reading of one column's labels against the people's values, which stand in order."""

    name: str
    known: Values
    language: Language
    numeric: bool

    @cached_property
    def _texts(self) -> list[str]:
        return [text for text in self.known.texts if text is not None]

    @cached_property
    def reader(self) -> PeopleReader:
        places, axis = self.known.places, self.language.axis
        return PeopleReader(
            self._texts,
            positions=None if places is None else places[: len(self._texts)],
            scale=None if axis is None else axis.scale,
            language=self.language,
            typed=self.numeric or self.known.numeric,
        )

    @cached_property
    def _spans(self) -> list[tuple[int, Interval]]:
        """The values that are themselves stretches: somebody who knows an age to be from 20 to 29."""
        found = [(i, _span(text)) for i, text in enumerate(self._texts) if looks_like_label(text)]
        return [(i, span) for i, span in found if span is not None]

    def check_kinds(self, labels: Iterable[str | None]) -> None:
        """Refuse numbers laid beside texts: nothing would match, and the release would look safe."""
        said = [label for label in labels if label not in (None, ROOT_LABEL, "")]
        told = [label for label in said if label is not None]
        known = set(self._texts)
        if not told or not known or self.language.has_groups or any(label in known for label in told):
            return
        if not any(_span(text) is not None for text in self._texts):
            ours, others, apart = "numbers", "text", all(_span(label) is not None for label in told)
        else:
            ours, others = "text", "numbers"
            apart = not any(_span(label) or looks_like_label(label) or read_interval(label) for label in told)
            apart = apart and all(_span(text) is not None for text in self._texts)
        if apart:
            raise TableError(
                f"column {self.name!r}: the release holds {ours}, the table of people {others}. "
                "Write both the same way."
            )

    def covers(self, label: str | None) -> Runs:
        """The runs of values that a label covers."""
        everybody = [(0, len(self._texts))] if self._texts else []
        if label is None:
            return everybody
        cell = self.reader.read(label)
        if cell is not None and cell.form in (Form.ANYTHING, Form.EMPTY):
            return everybody
        span = _span(label) if self._spans else None
        if cell is None or (cell.form is Form.NUMBER and self.language.has_groups and not cell.ranks):
            if span is None and not self.language.exact and (self.language.has_groups or looks_like_label(label)):
                raise TableError(
                    f"column {self.name!r}: cell {quote(label)} of the release cannot be read. Give the original "
                    "table, or a plan with the tree that it was generalized by."
                )
            ranks: Sequence[int] = ()
        else:
            ranks = cell.ranks
        if span is not None:
            inside = () if self.reader.line is None or place_of(label.strip()) is not None else self.reader.inside(span)
            return _runs([*ranks, *inside, *(i for i, other in self._spans if span.meets(other))])
        return [(ranks.start, ranks.stop)] if isinstance(ranks, range) and ranks else _runs(ranks)


def _span(text: str) -> Interval | None:
    """The stretch of a line that a text names by its signs, a number being one of no length."""
    place = place_of(text.strip())
    return read_interval(text, dash=False) if place is None else Interval(place, place)


def _runs(ids: Sequence[int]) -> Runs:
    """Values as runs of neighbours."""
    ascending = np.unique(np.asarray(ids, dtype=np.int64))
    if not len(ascending):
        return []
    breaks = np.flatnonzero(np.diff(ascending) > 1)
    begin = ascending[np.r_[0, breaks + 1]]
    end = ascending[np.r_[breaks, len(ascending) - 1]] + 1
    return list(zip(begin.tolist(), end.tolist(), strict=True))
