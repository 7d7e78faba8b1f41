"""Nominal values by how often they occur: frequent ones apart, rare ones together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from paravent.hierarchy.builders.ordered import check_halving, equal_frequency
from paravent.hierarchy.labels import set_label
from paravent.hierarchy.spec import TreeSpec, as_tuple, leaf_level, level_by_key, tree_over
from paravent.hierarchy.tree import Tree
from paravent.table.domain import Domain

_SHOWN = 4
_STEPS = (64, 16, 4)


@dataclass(frozen=True, repr=False)
class ByFrequency(TreeSpec):
    call: ClassVar[str] = "by_frequency"
    main: ClassVar[str] = "groups"

    groups: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        groups = as_tuple(self.groups)
        object.__setattr__(self, "groups", groups)
        check_halving(self.call, groups)

    def build(self, domain: Domain) -> Tree:
        leaf_level(domain)
        groups = self.groups or tuple(step for step in _STEPS if step * 2 <= len(domain)) or (2,)
        order = np.argsort(-domain.counts, kind="stable")
        ordered = Domain(domain.name, domain.kind, domain.values[order], domain.counts[order])
        text = ordered.text
        finest = equal_frequency(ordered.counts, groups[0])
        levels = [
            level_by_key(finest // (groups[0] // g), lambda first, last, _: _label(text, first, last)) for g in groups
        ]
        return tree_over(ordered, *levels)


def _label(text: list[str], first: int, last: int) -> str:
    """The members of a small group; of a large one the two most frequent and how many more there are."""
    if last - first < _SHOWN:
        return set_label(text[first : last + 1])
    return f"{set_label(text[first : first + 2])[:-1]} and {last - first - 1} more}}"


def by_frequency(*groups: int) -> ByFrequency:
    """Values ordered by how often they occur, and cut into groups that hold about equally many rows.

    Frequent values stand alone or with few others, the rare ones are gathered. `groups` says how many groups each
    level has, fine to coarse (by default 64, 16, 4 as far as there are values enough).

    >>> import polars as pl
    >>> from paravent.table.kinds import Kind
    >>> domain = Domain("job", Kind.NOMINAL, pl.Series(["clerk", "judge", "nurse"]), np.array([50, 5, 45]))
    >>> by_frequency(2).build(domain).labels
    ('clerk', 'nurse', 'judge', '{nurse, judge}', '*')
    """
    return ByFrequency(groups)
