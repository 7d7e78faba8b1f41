"""Which rows of a frame look alike: equivalence classes read from the finished cells, whoever made them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from paravent import kernels
from paravent.table.exact import exactly

_WIDEST = 2**62


def cell_codes(column: pl.Series) -> np.ndarray:
    """Small integers from 0, equal exactly where the cells are equal; missing cells are equal to one another.

    >>> codes = cell_codes(pl.Series(["b", None, "b", "a"]))
    >>> [bool(codes[0] == code) for code in codes]
    [True, False, True, False]
    """
    if isinstance(column.dtype, pl.String | pl.Categorical):  # numbered here, not by what the process has read before
        column = column.cast(pl.String).cast(pl.Categorical(pl.Categories.random("paravent")))
    if isinstance(column.dtype, pl.Categorical | pl.Enum):
        column = column.to_physical()
    low, high = (column.min(), column.max()) if column.dtype.is_integer() else (None, None)
    if not isinstance(low, int) or not isinstance(high, int) or high - low > max(len(column), 1024):
        return _densely(column)
    if max(-low, high) > _WIDEST:
        return _densely(column)
    codes: np.ndarray = (column.cast(pl.Int64) - (low - 1)).fill_null(0).to_numpy()
    return codes


def dense_codes(codes: np.ndarray) -> tuple[np.ndarray, int]:
    """Codes renumbered without gaps, in the same order, as int32; and how many there are.

    >>> dense_codes(np.array([4, 0, 4]))
    (array([1, 0, 1], dtype=int32), 2)
    """
    occurs = np.zeros(int(codes.max(initial=0)) + 1, dtype=bool)
    occurs[codes] = True
    return (np.cumsum(occurs, dtype=np.int32) - np.int32(1))[codes], max(1, int(occurs.sum()))


def group_rows(codes: Sequence[np.ndarray], n_rows: int) -> tuple[np.ndarray, int]:
    """The class (0, 1, …) of every row and the number of classes, from the cell codes of each column.

    >>> group_rows([np.array([0, 0, 1, 0]), np.array([5, 5, 5, 6])], 4)[0].tolist()
    [0, 0, 2, 1]
    """
    if n_rows == 0 or not len(codes):
        return np.zeros(n_rows, dtype=np.int32), min(n_rows, 1)
    folded = fold_rows(codes)
    return folded.tuple_of_row, len(folded.weight)


def fold_rows(codes: Sequence[np.ndarray]) -> kernels.Folded:
    """The classes of rows, each with its first row and its size, from the cell codes of columns. There must be rows."""
    columns = [column.astype(np.int32, copy=False) for column in codes]
    return kernels.fold(columns, [int(column.max()) + 1 for column in columns])


def class_sizes(frame: pl.DataFrame, columns: Sequence[str]) -> np.ndarray:
    """The number of rows of each class of `frame` over `columns`, ascending.

    >>> class_sizes(pl.DataFrame({"a": [1, 1, 2], "b": ["x", "x", "x"]}), ["a", "b"]).tolist()
    [1, 2]
    """
    if not columns:
        return np.array([frame.height] if frame.height else [], dtype=np.int64)
    # Under names of our own: polars reads a column called `*` or `^…$` as a pattern.
    cells = pl.DataFrame([exactly(frame[name].alias(f"q{i}")) for i, name in enumerate(columns)])
    return np.sort(cells.group_by(cells.columns).len("size")["size"].to_numpy().astype(np.int64))


def _densely(column: pl.Series) -> np.ndarray:
    if column.dtype == pl.Null:
        return np.zeros(len(column), dtype=np.int64)
    ranks: np.ndarray = exactly(column).rank("dense").cast(pl.Int64).fill_null(0).to_numpy()
    return ranks
