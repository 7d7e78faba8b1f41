"""Synthetic rows in the types of their original, for an owner who compares the two.

What types synthetic columns have is told by the plan, so that a whole number may stand where the original has floats.
"""

from __future__ import annotations

import polars as pl


def in_types_of(original: pl.DataFrame, frame: pl.DataFrame) -> pl.DataFrame:
    """Each column of a table in the type of the original's, where nothing is lost by that.

    >>> in_types_of(pl.DataFrame({"a": [1.5]}), pl.DataFrame({"a": [2, None]}))["a"].to_list()
    [2.0, None]
    >>> in_types_of(pl.DataFrame({"a": [1]}), pl.DataFrame({"a": [2.5]}))["a"].to_list()
    [2.5]
    """
    return frame.with_columns(
        _cast(frame[name], original.schema[name]) for name in frame.columns if name in original.columns
    )


def _cast(cells: pl.Series, dtype: pl.DataType) -> pl.Series:
    if cells.dtype == dtype:
        return cells
    try:
        found = cells.cast(dtype)
        cut = cells.dtype.is_float() and not found.cast(cells.dtype).equals(cells)
        return cells if cut else found
    except pl.exceptions.PolarsError:
        return cells
