"""Searches over sets of columns: in C++ (cpp/subsets.hpp), and their NumPy twins."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from paravent.kernels import native
from paravent.kernels.native import check_codes

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
    if native.module is None:
        return minimal_uniques_twin(columns, sizes, weight, max_size=depth)
    found: tuple[np.ndarray, np.ndarray] = native.module.minimal_uniques(
        columns, list(sizes), np.ascontiguousarray(weight), depth
    )
    return found


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
    if native.module is None:
        return count_subsets_twin(columns, sizes, weight, max_size=depth)
    visited, *counts = native.module.count_subsets(columns, list(sizes), np.ascontiguousarray(weight), depth)
    wanted = _masks(len(columns), depth)
    if len(visited) == len(wanted):
        distinct, alone, pairs = counts
        return visited, distinct, alone, pairs
    # Sets that were skipped tell all tuples apart.
    rows = weight.astype(np.int64)
    apart = (len(rows), int((rows == 1).sum()), int((rows * (rows - 1) // 2).sum()))
    at = np.searchsorted(wanted, visited)
    filled = []
    for counted, rest in zip(counts, apart, strict=True):
        whole = np.full(len(wanted), rest, dtype=np.int64)
        whole[at] = counted
        filled.append(whole)
    return wanted, filled[0], filled[1], filled[2]


def _checked(
    columns: Sequence[np.ndarray], sizes: Sequence[int], weight: np.ndarray, max_size: int
) -> tuple[list[np.ndarray], int]:
    if not 0 < len(columns) <= MOST_COLUMNS or len(columns) != len(sizes):
        raise ValueError(f"between 1 and {MOST_COLUMNS} columns, with one size each")
    if max_size < 1:
        raise ValueError("sets have at least one column")
    check_codes(weight, 2**31 - 1, "weight")
    for at, (column, size) in enumerate(zip(columns, sizes, strict=True)):
        check_codes(column, size, f"column {at}")
        if len(column) != len(weight):
            raise ValueError(f"column {at}: one code a tuple")
    return [np.ascontiguousarray(column) for column in columns], min(max_size, len(columns))


def _masks(width: int, depth: int) -> np.ndarray:
    """All sets of up to `depth` of `width` columns as bit masks, ascending."""
    bits = [1 << j for j in range(width)]
    masks = [sum(chosen) for size in range(1, depth + 1) for chosen in combinations(bits, size)]
    return np.sort(np.array(masks, dtype=np.uint64))


def minimal_uniques_twin(
    columns: Sequence[np.ndarray], sizes: Sequence[int], weight: np.ndarray, *, max_size: int
) -> tuple[np.ndarray, np.ndarray]:
    """The same search, a column at a time."""
    known: dict[int, list[int]] = {}

    def grow(depth: int, mask: int, lowest: int, members: np.ndarray, group: np.ndarray) -> None:
        if depth == max_size:
            return
        for column in range(lowest):
            grown = mask | 1 << column
            _, inverse, count = np.unique(
                group * sizes[column] + columns[column][members], return_inverse=True, return_counts=True
            )
            alone = count[inverse] == 1
            for t in members[alone & (weight[members] == 1)].tolist():
                smaller = known.setdefault(t, [])
                if all(subset & grown != subset for subset in smaller):
                    smaller.append(grown)
            if not alone.all():
                grow(depth + 1, grown, column, members[~alone], inverse[~alone])

    grow(0, 0, len(columns), np.arange(len(weight)), np.zeros(len(weight), dtype=np.int64))
    found = [(t, mask) for t, masks in sorted(known.items()) for mask in sorted(masks)]
    return np.array([t for t, _ in found], dtype=np.int32), np.array([mask for _, mask in found], dtype=np.uint64)


def count_subsets_twin(
    columns: Sequence[np.ndarray], sizes: Sequence[int], weight: np.ndarray, *, max_size: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Each set on its own: group, count."""
    masks = _masks(len(columns), max_size)
    counted = np.zeros((len(masks), 3), dtype=np.int64)
    for at, mask in enumerate(masks.tolist()):
        group = np.zeros(len(weight), dtype=np.int64)
        for j in range(len(columns)):
            if mask >> j & 1:
                _, group = np.unique(group * sizes[j] + columns[j], return_inverse=True)
        rows = np.bincount(group, weights=weight).astype(np.int64)
        counted[at] = len(rows), (rows == 1).sum(), (rows * (rows - 1) // 2).sum()
    return masks, counted[:, 0].copy(), counted[:, 1].copy(), counted[:, 2].copy()
