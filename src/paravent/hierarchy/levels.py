"""Levels: the columns of a generalization hierarchy, one label a leaf, and what makes them a tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from paravent.errors import TreeError, quote

ROOT_LABEL = "*"


@dataclass(frozen=True, eq=False)
class Level:
    """One column of the level view: leaf i is published as `labels[codes[i]]`.

    In a finished Tree the codes ascend in steps of 0 or 1, because the leaves of one label are neighbours.
    """

    codes: np.ndarray
    labels: tuple[str, ...]

    @classmethod
    def of(cls, texts: Sequence[str]) -> Level:
        """The level that publishes leaf i as `texts[i]`; labels in order of first appearance."""
        index: dict[str, int] = {}
        codes = np.fromiter((index.setdefault(text, len(index)) for text in texts), np.int32, len(texts))
        return cls(codes, tuple(index))

    @cached_property
    def starts(self) -> np.ndarray:
        """The first leaf of each label's run (for codes that ascend)."""
        return np.flatnonzero(np.r_[True, self.codes[1:] != self.codes[:-1]])

    @cached_property
    def ascends(self) -> bool:
        """Whether the labels stand in order of first appearance, all of them, and equal ones are neighbours."""
        steps = np.diff(self.codes, prepend=-1)
        return bool(len(steps) and steps[0] == 1 and int(self.codes[-1]) == len(self.labels) - 1) and bool(
            ((steps == 0) | (steps == 1)).all()
        )

    def take(self, leaves: np.ndarray) -> Level:
        """The level over `leaves` alone, whose labels must be neighbours there."""
        if len(leaves) == len(self.codes) and self.ascends and np.array_equal(leaves, np.arange(len(leaves))):
            return self
        codes = self.codes[leaves]
        fresh = np.r_[True, codes[1:] != codes[:-1]]
        labels = tuple(self.labels[code] for code in codes[fresh].tolist())
        return Level(np.cumsum(fresh, dtype=np.int32) - np.int32(1), labels)


def by_appearance(level: Level) -> Level:
    """The level with its labels in order of first appearance and those that do not occur left out."""
    if level.ascends:
        return level
    codes = np.asarray(level.codes)
    distinct, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(distinct), dtype=np.int32)
    rank[order] = np.arange(len(distinct), dtype=np.int32)
    return Level(rank[inverse], tuple(level.labels[code] for code in distinct[order].tolist()))


def _row(leaf: int, rows: Sequence[int] | None) -> str:
    return "" if rows is None else f" (row {rows[leaf]})"


def check_leaves(name: str, levels: Sequence[Level], rows: Sequence[int] | None) -> None:
    """Every label is named, and each value stands once and is no sign of the grammar."""
    for height, level in enumerate(levels):
        if "" in level.labels:
            leaf = int(np.argmax(level.codes == level.labels.index("")))
            what = "value" if height == 0 else f"label on level {height}"
            remedy = "Name it, or make it missing." if height == 0 else "Name it, or repeat the label before it."
            raise TreeError(f"tree {name!r}: it has an empty {what}{_row(leaf, rows)}. {remedy}")
    codes, labels = levels[0].codes, levels[0].labels
    if len(set(labels)) < len(codes):
        seen: set[str] = set()
        for leaf, code in enumerate(codes.tolist()):
            if labels[code] in seen:
                raise TreeError(
                    f"tree {name!r}: value {quote(labels[code])} appears twice{_row(leaf, rows)}. "
                    "Remove one of its rows."
                )
            seen.add(labels[code])
    if ROOT_LABEL in labels:
        where = _row(labels.index(ROOT_LABEL), rows)
        raise TreeError(
            f"tree {name!r}: value {quote(ROOT_LABEL)}{where} is the sign for any value. Rename it, or make it missing."
        )


def check_nesting(name: str, levels: Sequence[Level], rows: Sequence[int] | None) -> None:
    """Each label of a level lies under one label of the next."""
    for height in range(len(levels) - 1):
        here, above = levels[height], levels[height + 1]
        parent = np.zeros(len(here.labels), dtype=np.int32)
        parent[here.codes[::-1]] = above.codes[::-1]  # the first row has the say
        torn = np.flatnonzero(parent[here.codes] != above.codes)
        if len(torn):
            leaf = int(torn[0])
            label = here.labels[here.codes[leaf]]
            known = above.labels[parent[here.codes[leaf]]]
            found = above.labels[above.codes[leaf]]
            raise TreeError(
                f"tree {name!r}: {quote(label)} on level {height} lies under both {quote(known)} and {quote(found)}"
                f"{_row(leaf, rows)} on level {height + 1}. Levels must be nested: give it one parent."
            )
