"""What the kernels take and give: plain arrays, no words of the domain."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

import numpy as np

SCALE = 1 << 24
"""The cost of a cell that says nothing, at weight 1. Costs are whole numbers, so that ties are exact."""

WIDEST_SET = 1024
"""Set axes with more codes than this are costed by their span."""


class Style(IntEnum):
    SPAN = 0
    TREE = 1
    SET = 2


class Rule(IntEnum):
    LEAST_COST = 0
    MEDIAN = 1


_NO_NODES = np.zeros(0, dtype=np.int32)
_NO_COSTS = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class CutAxis:
    """One dimension and its costs; see cpp/mondrian.hpp. `ruler` is non-decreasing and has one entry a code."""

    style: Style
    ruler: np.ndarray
    unit: int = 0
    parent: np.ndarray = field(default_factory=lambda: _NO_NODES)
    first: np.ndarray = field(default_factory=lambda: _NO_NODES)
    last: np.ndarray = field(default_factory=lambda: _NO_NODES)
    node_cost: np.ndarray = field(default_factory=lambda: _NO_COSTS)

    @property
    def size(self) -> int:
        return len(self.ruler)


Histograms = Sequence[tuple[np.ndarray, np.ndarray, np.ndarray]]
"""For each sensitive column: start, value, count (sparse, one group after the other)."""

Guard = Callable[[np.ndarray, Histograms], np.ndarray]
"""Sizes and histograms of groups in, one truth value a group out."""


class Partition(NamedTuple):
    """Class c is `order[starts[c]:starts[c + 1]]`, with codes from `low[c]` to `high[c]`; `cuts` counts by axis."""

    order: np.ndarray
    starts: np.ndarray
    low: np.ndarray
    high: np.ndarray
    cuts: np.ndarray


class Sets(NamedTuple):
    """Set s is `members[starts[s]:starts[s + 1]]`; class c has the set `of_class[c]`."""

    of_class: np.ndarray
    members: np.ndarray
    starts: np.ndarray


@dataclass(frozen=True, eq=False)
class Slope:
    """A tree with the cost of climbing from each node to the root; see cpp/merging.hpp."""

    parent: np.ndarray
    first: np.ndarray
    last: np.ndarray
    climb: np.ndarray


class Merges(NamedTuple):
    """Merge t joins classes `left[t]` and `right[t]` into class (number of classes + t) at `cost[t]`. `smallest[t]` is
    the size of the smallest class before it, and after the last one; 0 between two steps of one merge."""

    left: np.ndarray
    right: np.ndarray
    cost: np.ndarray
    smallest: np.ndarray


class Folded(NamedTuple):
    """Equal rows as one tuple, in lexicographic order; `representative[t]` is the first row that holds tuple t."""

    tuple_of_row: np.ndarray
    representative: np.ndarray
    weight: np.ndarray
