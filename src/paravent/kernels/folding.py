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


def fold(columns: Sequence[np.ndarray], sizes: Sequence[int]) -> Folded:
    """Equal rows, given column by column (the codes of column j below `sizes[j]`), as one weighted tuple."""
    if len(columns) != len(sizes) or len({len(column) for column in columns}) != 1 or len(columns[0]) >= 2**31:
        raise ValueError("columns must be equally long, have a size each, and fewer than 2^31 rows")
    for at, (column, size) in enumerate(zip(columns, sizes, strict=True)):
        check_codes(column, size, f"column {at}")
    return Folded(*native.module.fold([np.ascontiguousarray(column) for column in columns], list(sizes)))
