"""Searches over sets of columns; see cpp/subsets.hpp."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from paravent.kernels import native
from paravent.kernels.checks import check_columns, check_weights

MOST_COLUMNS = 63


def minimal_uniques(
    columns: Sequence[np.ndarray], sizes: Sequence[int], weight: np.ndarray, *, max_size: int
) -> tuple[np.ndarray, np.ndarray]:
    """Which distinct tuples are alone in which minimal sets of at most `max_size` columns.

    Tuple t stands for `weight[t]` rows; only a tuple of weight 1 can be alone. Gives the tuples, ascending, and the
    sets as bit masks, ascending for each tuple.

    >>> minimal_uniques([np.array([0, 0, 1], np.int32)], [2], np.ones(3, np.int32), max_size=1)
    (array([2], dtype=int32), array([1], dtype=uint64))
    """
    columns, depth = _checked(columns, sizes, weight, max_size)
    tuples, sets, *_ = _searched(columns, sizes, weight, depth, uniques=True)
    return tuples, sets


def count_subsets(
    columns: Sequence[np.ndarray], sizes: Sequence[int], weight: np.ndarray, *, max_size: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """For every set of at most `max_size` columns, ascending by bit mask: the mask, the number of different tuples,
    how many of them are of one row, and how many pairs of rows are equal. The tuples given must differ.

    >>> found = count_subsets([np.array([0, 0, 1], np.int32)], [2], np.ones(3, np.int32), max_size=1)
    >>> [column.tolist() for column in found]
    [[1], [2], [1], [1]]
    """
    columns, depth = _checked(columns, sizes, weight, max_size)
    _, _, visited, fewer, met, equal = _searched(columns, sizes, weight, depth, uniques=False)
    wanted = subset_masks(len(columns), depth)
    # Sets that were skipped tell all tuples apart.
    rows, at = weight.astype(np.int64), np.searchsorted(wanted, visited)
    distinct, alone, pairs = (
        np.full(len(wanted), apart, dtype=np.int64)
        for apart in (len(rows), (rows == 1).sum(), (rows * (rows - 1) // 2).sum())
    )
    distinct[at] -= fewer
    alone[at] -= met
    pairs[at] += equal
    return wanted, distinct, alone, pairs


def _checked(
    columns: Sequence[np.ndarray], sizes: Sequence[int], weight: np.ndarray, max_size: int
) -> tuple[list[np.ndarray], int]:
    if not 0 < len(columns) <= MOST_COLUMNS or len(columns) != len(sizes):
        raise ValueError(f"between 1 and {MOST_COLUMNS} columns, with one size each")
    if max_size < 1:
        raise ValueError("sets have at least one column")
    check_weights(weight)
    check_columns(columns, sizes, len(weight))
    return [np.ascontiguousarray(column) for column in columns], min(max_size, len(columns))


def _searched(columns: list[np.ndarray], sizes: Sequence[int], weight: np.ndarray, depth: int, *, uniques: bool) -> Any:
    return native.module.subsets(
        codes=columns,
        sizes=np.array(sizes, dtype=np.int32),
        weight=np.ascontiguousarray(weight),
        tuples=len(weight),
        max_size=depth,
        uniques=uniques,
    )


def subset_masks(width: int, depth: int) -> np.ndarray:
    """All sets of up to `depth` of `width` columns as bit masks, ascending."""
    bits = [1 << j for j in range(width)]
    masks = [sum(chosen) for size in range(1, depth + 1) for chosen in combinations(bits, size)]
    return np.sort(np.array(masks, dtype=np.uint64))
