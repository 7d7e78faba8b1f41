"""Which kind each column is, and why. Cheap: a sample decides, the whole column is only counted where it matters."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from paravent.table.kinds import Column, Kind
from paravent.table.vocabularies import known_order

_SAMPLE = 4_000
_FEW = 60


def sample(values: pl.Series, size: int = _SAMPLE) -> pl.Series:
    """Up to `size` present values spread evenly over the column, its first ones included."""
    if len(values) <= size:
        return values.drop_nulls() if values.null_count() else values
    found = values.gather(places_of_sample(len(values), size)).drop_nulls()
    return found if len(found) or values.null_count() == len(values) else values.drop_nulls().head(size)


def places_of_sample(rows: int, size: int = _SAMPLE) -> np.ndarray:
    """Where the sample of a column of so many rows lies."""
    if rows <= size:
        return np.arange(rows)
    half = size // 2
    return np.unique(np.concatenate([np.arange(half), np.linspace(0, rows - 1, size - half).astype(np.int64)]))


def infer_columns(
    frame: pl.DataFrame,
    reasons: Mapping[str, str] | None = None,
    orders: Mapping[str, tuple[str, ...]] | None = None,
) -> dict[str, Column]:
    """The columns of a frame with their kinds.

    `reasons` holds what the reader already knows (a date format, leading zeros), `orders` the orders that the source
    itself declares (an ordered categorical).

    >>> infer_columns(pl.DataFrame({"risk": ["low", "high"]}))["risk"].order
    ('low', 'high')
    """
    reasons, orders = reasons or {}, orders or {}
    columns = {}
    for values in frame.iter_columns():
        name = values.name
        kind, reason, order = _infer(values, orders.get(name))
        known = reasons.get(name)
        columns[name] = Column(name, kind, f"{reason}; {known}" if known else reason, values.null_count(), order)
    return columns


def _infer(values: pl.Series, declared: tuple[str, ...] | None) -> tuple[Kind, str, tuple[str, ...] | None]:
    if declared is not None:
        return Kind.ORDINAL, "the source declares an order", declared
    kind, reason = _infer_typed(values.dtype)
    if values.null_count() == len(values):
        return kind or Kind.NOMINAL, "every value is missing" if len(values) else "there are no rows", None
    return _infer_words(values) if kind is None else (kind, reason, None)


def _infer_typed(dtype: pl.DataType) -> tuple[Kind | None, str]:
    """The kind that the type alone decides; None for words."""
    if dtype.is_integer():
        return Kind.INTEGER, "whole numbers"
    if dtype.is_float() or dtype.is_decimal():
        return Kind.FLOAT, "numbers with a fraction"
    if dtype == pl.Boolean:
        return Kind.NOMINAL, "true or false"
    if dtype.is_temporal():
        return Kind.DATE, "dates" if dtype == pl.Date else "times of day" if dtype == pl.Time else "dates with a time"
    return None, ""


def _infer_words(values: pl.Series) -> tuple[Kind, str, tuple[str, ...] | None]:
    seen: list[str] = sample(values).cast(pl.String).to_list()
    distinct = set(seen)
    if len(distinct) <= _FEW and known_order(sorted(distinct)) is not None:
        everything = distinct if len(seen) == len(values) - values.null_count() else set(_all_texts(values))
        known = known_order(sorted(everything))
        if known is not None:
            return Kind.ORDINAL, known[1], known[0]
    if len(distinct) > 0.9 * len(seen) and len(seen) >= 3:
        words = sum(len(text.split()) for text in seen) / len(seen)
        if words >= 5 and sum(map(len, seen)) / len(seen) >= 30:
            return Kind.TEXT, f"nearly all different, {words:.0f} words on average", None
    return Kind.NOMINAL, "words without a known order", None


def _all_texts(values: pl.Series) -> list[str]:
    return values.drop_nulls().unique().cast(pl.String).to_list()
