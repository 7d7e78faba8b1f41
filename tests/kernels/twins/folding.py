"""Equal rows folded, and the code sets of classes, in NumPy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from paravent.kernels.folding import Folded
from paravent.kernels.sets import Sets


def fold_twin(columns: Sequence[np.ndarray]) -> Folded:
    """`fold`, written to be read."""
    _, representative, tuple_of_row, weight = np.unique(
        np.stack(columns, axis=1), axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    return Folded(*(array.astype(np.int32).reshape(-1) for array in (tuple_of_row, representative, weight)))


def class_sets_twin(order: np.ndarray, starts: np.ndarray, codes: np.ndarray) -> Sets:
    """`class_sets`, written to be read."""
    known: dict[tuple[int, ...], int] = {}
    of_class = []
    for begin, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        found = tuple(np.unique(codes[order[begin:end]]).tolist())
        of_class.append(known.setdefault(found, len(known)))
    members = np.array([code for found in known for code in found], dtype=np.int32)
    bounds = np.cumsum([0] + [len(found) for found in known]).astype(np.int64)
    return Sets(np.array(of_class, dtype=np.int32), members, bounds)
