"""Nominal values by how often they occur: frequent ones apart, rare ones together.

A group is named by the places of its values, from the most frequent (#1) to the rarest: `#5~#12` are eight of them.
Such a label tells nobody's value; `named=True` lists the members instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from paravent.errors import TreeError, quote
from paravent.hierarchy.builders.ordered import check_halving, equal_frequency
from paravent.hierarchy.labels import set_label
from paravent.hierarchy.spec import TreeSpec, as_tuple, leaf_level, level_by_key, tree_over
from paravent.hierarchy.tree import Tree
from paravent.table.domain import Domain

_DEEPEST = 24


@dataclass(frozen=True, repr=False)
class ByFrequency(TreeSpec):
    call: ClassVar[str] = "by_frequency"
    main: ClassVar[str] = "groups"

    groups: tuple[int, ...] = ()
    named: bool = False

    def __post_init__(self) -> None:
        groups = as_tuple(self.groups)
        object.__setattr__(self, "groups", groups)
        check_halving(self.call, groups)
        if not isinstance(self.named, bool):
            raise TreeError(f"by_frequency: named must be true or false, not {self.named!r}.")

    def build(self, domain: Domain) -> Tree:
        leaf_level(domain)
        order = np.argsort(-domain.counts, kind="stable")
        ordered = Domain(domain.name, domain.kind, domain.values[order], domain.counts[order])
        if self.groups:
            finest = equal_frequency(ordered.counts, self.groups[0])
            keys = [finest // (self.groups[0] // g) for g in self.groups]
        else:
            keys = _halved(ordered.counts)
        text = ordered.text
        places = {value for value in text if value.startswith("#") and "~#" in value}
        if places and not self.named:
            raise TreeError(
                f"tree {domain.name!r}: value {quote(min(places))} reads like the name of a group. "
                "Rename it in the table, or set named=True."
            )

        def label(first: int, last: int, _: int) -> str:
            if first == last:
                return text[first]
            return set_label(text[first : last + 1]) if self.named else f"#{first + 1}~#{last + 1}"

        return tree_over(ordered, *(level_by_key(key, label) for key in keys))


def _halved(counts: np.ndarray) -> list[np.ndarray]:
    """The group of each value on every level, fine to coarse: each group is cut where its rows are halved best.

    Values come from frequent to rare (Shannon-Fano), so a frequent one is soon alone and the rare ones share the most.
    """
    before = np.r_[0, np.cumsum(counts)]
    starts, ends = np.array([0]), np.array([len(counts)])
    levels: list[np.ndarray] = []
    while len(starts) < len(counts) and len(levels) < _DEEPEST:
        half = (before[starts] + before[ends]) / 2
        cut = np.searchsorted(before, half)
        cut -= (half - before[cut - 1]) <= (before[cut] - half)
        cut = np.clip(cut, starts + 1, ends - 1)
        starts = np.unique(np.r_[starts, cut[ends - starts > 1]])
        ends = np.r_[starts[1:], len(counts)]
        levels.append(np.repeat(np.arange(len(starts)), ends - starts))
    return [level for level in reversed(levels) if level[-1] + 1 < len(counts)]


def by_frequency(*groups: int, named: bool = False) -> ByFrequency:
    """Values ordered by how often they occur, and cut into groups that hold about equally many rows.

    Frequent values stand alone or with few others, the rare ones are gathered. `groups` says how many groups each
    level has, fine to coarse; without it every group is halved, down to the single values. Groups are called by the
    places of their values (`#2~#3`: the second and the third most frequent), or list their members where `named`.

    >>> import polars as pl
    >>> from paravent.table.kinds import Kind
    >>> domain = Domain("job", Kind.NOMINAL, pl.Series(["clerk", "judge", "nurse"]), np.array([50, 5, 45]))
    >>> by_frequency(2).build(domain).labels
    ('clerk', 'nurse', 'judge', '#2~#3', '*')
    >>> by_frequency(2, named=True).build(domain).labels
    ('clerk', 'nurse', 'judge', '{nurse, judge}', '*')
    """
    return ByFrequency(groups, named)
