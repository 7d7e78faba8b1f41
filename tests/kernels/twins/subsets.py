"""Searches over sets of columns in NumPy: see cpp/subsets.hpp."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from paravent.kernels.subsets import subset_masks


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
    masks = subset_masks(len(columns), max_size)
    counted = np.zeros((len(masks), 3), dtype=np.int64)
    for at, mask in enumerate(masks.tolist()):
        group = np.zeros(len(weight), dtype=np.int64)
        for j in range(len(columns)):
            if mask >> j & 1:
                _, group = np.unique(group * sizes[j] + columns[j], return_inverse=True)
        rows = np.bincount(group, weights=weight).astype(np.int64)
        counted[at] = len(rows), (rows == 1).sum(), (rows * (rows - 1) // 2).sum()
    return masks, counted[:, 0].copy(), counted[:, 1].copy(), counted[:, 2].copy()
