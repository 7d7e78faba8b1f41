"""The text of a cell: how a typed value is named in trees, labels and released tables."""

from __future__ import annotations

import polars as pl


def as_text(values: pl.Series) -> pl.Series:
    """The values as strings; missing ones stay missing.

    Integers and floats print shortest-exact, dates in ISO 8601, booleans as `true` and `false`.

    >>> as_text(pl.Series([1.5, None, 2.0])).to_list()
    ['1.5', None, '2.0']
    """
    if values.dtype == pl.Time:
        return values.dt.to_string("%H:%M:%S%.f")  # A cast would drop the fraction of a second.
    return values if values.dtype == pl.String else values.cast(pl.String)


def is_text(dtype: pl.DataType) -> bool:
    """Whether the cells of a column are strings, in a dictionary or not.

    >>> is_text(pl.Enum(["a"])), is_text(pl.Float64())
    (True, False)
    """
    return dtype == pl.String or isinstance(dtype, pl.Enum | pl.Categorical)
