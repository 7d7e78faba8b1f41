"""Greedy merging with stubs (KACA's class division); see cpp/guided.hpp."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from paravent.kernels.merging import TreeCosts, native_merges


class StubMerges(NamedTuple):
    """Step t joins class `left[t]` and `taken[t]` rows of class `right[t]` (0: all of it) to class (number of classes +
    t), at `cost[t]`. A class of which some rows are taken stays, with its number."""

    left: np.ndarray
    right: np.ndarray
    cost: np.ndarray
    taken: np.ndarray


def merge_stubs(
    nodes: np.ndarray,
    sizes: np.ndarray,
    axes: Sequence[TreeCosts],
    *,
    k: int,
    watch: Callable[[float], None] | None = None,
) -> StubMerges:
    """Merge classes (their tree nodes, classes × axes, all different, and sizes) until every class has k rows or one is
    left: the smallest class joins the class that costs least to join.

    A class that keeps k rows gives only those that the smaller one lacks, and only these count as its size; where both
    would show the same nodes as the larger one does, they are one class. Ties: the class that came first."""
    left, right, cost, _, taken = native_merges(nodes, sizes, axes, k=k, stubs=True, watch=watch)
    return StubMerges(left, right, cost, taken)
