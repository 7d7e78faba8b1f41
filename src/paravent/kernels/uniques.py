"""The search for minimal uniques: in C++ (cpp/uniques.hpp), and its NumPy twin."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from paravent.kernels import _native, check_codes

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
    if not 0 < len(columns) <= MOST_COLUMNS or len(columns) != len(sizes):
        raise ValueError(f"between 1 and {MOST_COLUMNS} columns, with one size each")
    columns = [np.ascontiguousarray(column) for column in columns]
    check_codes(weight, 2**31 - 1, "weight")
    for at, (column, size) in enumerate(zip(columns, sizes, strict=True)):
        check_codes(column, size, f"column {at}")
        if len(column) != len(weight):
            raise ValueError(f"column {at}: one code a tuple")
    depth = min(max_size, len(columns))
    if _native is None:
        return minimal_uniques_twin(columns, sizes, weight, max_size=depth)
    found: tuple[np.ndarray, np.ndarray] = _native.minimal_uniques(
        columns, list(sizes), np.ascontiguousarray(weight), depth
    )
    return found


def minimal_uniques_twin(
    columns: Sequence[np.ndarray], sizes: Sequence[int], weight: np.ndarray, *, max_size: int
) -> tuple[np.ndarray, np.ndarray]:
    """The same search, a column at a time."""
    tuples: list[np.ndarray] = []
    sets: list[np.ndarray] = []
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

    everybody = np.arange(len(weight))
    grow(0, 0, len(columns), everybody, np.zeros(len(weight), dtype=np.int64))
    for t, masks in sorted(known.items()):
        tuples.append(np.full(len(masks), t, dtype=np.int32))
        sets.append(np.sort(np.array(masks, dtype=np.uint64)))
    if not tuples:
        return np.empty(0, dtype=np.int32), np.empty(0, dtype=np.uint64)
    return np.concatenate(tuples), np.concatenate(sets)
