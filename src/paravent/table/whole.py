"""Formats without whole numbers and days: what was one is taken for one again."""

from __future__ import annotations

import polars as pl


def as_integers(values: pl.Series) -> pl.Series | None:
    """A column of whole numbers of any type as 64-bit ones; None where it is none, or where they are larger.

    >>> as_integers(pl.Series([1, None], dtype=pl.UInt8)).to_list(), as_integers(pl.Series([2**63], dtype=pl.UInt64))
    ([1, None], None)
    """
    if not values.dtype.is_integer():
        return None
    found = values.cast(pl.Int64, strict=False)
    return found if found.null_count() == values.null_count() else None


def whole_numbers(values: pl.Series) -> pl.Series:
    """A column of floats without fractions as whole numbers, one of midnights as days; all others as they are.

    >>> whole_numbers(pl.Series([1.0, None, 3.0])).to_list(), whole_numbers(pl.Series([1.0, 2.5])).to_list()
    ([1, None, 3], [1.0, 2.5])
    """
    if isinstance(values.dtype, pl.Datetime):
        days = values.cast(pl.Date)
        return days if (days.cast(values.dtype) == values).all() and values.null_count() < len(values) else values
    if values.dtype != pl.Float64:
        return values
    whole = values.cast(pl.Int64, strict=False)
    same = (whole.cast(pl.Float64) == values) & (values.abs() < 2**53)
    return whole if same.all() and values.null_count() < len(values) else values
