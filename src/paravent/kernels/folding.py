"""Equal rows folded into weighted tuples; see cpp/fold.hpp."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from paravent.kernels import native
from paravent.kernels.native import check_codes


class Folded(NamedTuple):
    """Equal rows as one tuple, in lexicographic order; `representative[t]` is the first row that holds tuple t."""

    tuple_of_row: np.ndarray
    representative: np.ndarray
    weight: np.ndarray


def fold(columns: Sequence[np.ndarray], sizes: Sequence[int], times: np.ndarray | None = None) -> Folded:
    """Equal rows, given column by column (the codes of column j below `sizes[j]`), as one weighted tuple. Row i stands
    for `times[i]` rows (None: for itself)."""
    if len(columns) != len(sizes) or len({len(column) for column in columns}) != 1 or len(columns[0]) >= 2**31:
        raise ValueError("columns must be equally long, have a size each, and fewer than 2^31 rows")
    for at, (column, size) in enumerate(zip(columns, sizes, strict=True)):
        check_codes(column, size, f"column {at}")
    whole, widths = [np.ascontiguousarray(column) for column in columns], np.array(sizes, dtype=np.int32)
    rows, threads = len(columns[0]), native.threads()
    found = Folded(*native.module.fold(whole, widths, rows, threads))
    if times is None:
        return found
    if len(times) != len(columns[0]) or int(times.sum(dtype=np.int64)) >= 2**31:
        raise ValueError("one number a row, and fewer than 2^31 rows in all")
    weight = np.bincount(found.tuple_of_row, weights=times, minlength=len(found.weight))
    return found._replace(weight=weight.astype(found.weight.dtype))
