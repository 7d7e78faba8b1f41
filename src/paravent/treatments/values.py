"""Values of a column as a plan writes them, and groups of rows that must not be mixed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from paravent.errors import PlanError, quote
from paravent.hierarchy.builders.cuts import as_moment
from paravent.hierarchy.cells import read_interval
from paravent.privacy.grouping import cell_codes, group_rows
from paravent.published.coding import on_scale
from paravent.table.kinds import Column, Kind
from paravent.table.table import Table
from paravent.table.text import as_text
from paravent.table.whole import as_integers


def value_of(who: str, table: Table, name: str, written: float | str) -> Any:
    """A value that a plan writes, as one that the column's values can be compared with: a number, a date that is
    written as a text, or a value of an ordinal column."""
    column, where = table.columns[name], f"{who}: column {name!r}"
    if column.kind.is_numeric:
        if isinstance(written, str):
            raise PlanError(f"{where} holds numbers, and {written!r} is none. Write a number without quotes.")
        return written if -(2**63) <= written < 2**63 else float(written)
    if column.kind is Kind.DATE:
        try:
            return as_moment(written, table.frame.schema[name])
        except (TypeError, ValueError):
            raise PlanError(
                f"{where} holds dates, and {written!r} is none. Write it as 2024-12-31 (or 23:59:00)."
            ) from None
    if column.kind is Kind.ORDINAL:
        if written in order_of(column):
            return written
        if not isinstance(written, str) and _writes_numbers(order_of(column)):
            _check_sides(where, order_of(column), written)
            return written
        raise PlanError(f"{where} has no value {written!r} in its order. Name one of its values.")
    check_ordered(who, column)
    return written


def check_ordered(who: str, column: Column) -> None:
    """Raise PlanError when a column has no order."""
    if not column.kind.is_ordered:
        raise PlanError(
            f"{who}: column {column.name!r} is {column.kind}, and only numbers, dates and ordinal values have an order."
            " Say its order when it is read (kinds), or take Recode with a mapping."
        )


def order_of(column: Column) -> tuple[str, ...]:
    """The values of an ordinal column from lowest to highest."""
    return column.order or ()


def on_line(column: Column, values: pl.Series, *limits: Any) -> tuple[pl.Series, *tuple[Any, ...]]:
    """Values, and limits as `value_of` gives them, so that they can be compared: those of an ordinal column as numbers.
    None stays None, and what is not a number is missing."""
    if column.kind is Kind.ORDINAL:
        return on_scale(order_of(column), values, *limits)
    integers = as_integers(values)
    if integers is not None:  # a limit need not fit a narrow type
        return integers, *limits
    return values.fill_nan(None) if values.dtype.is_float() else values, *limits


def _check_sides(where: str, order: tuple[str, ...], limit: float) -> None:
    """Raise PlanError where values behind a label (`>70`) lie on both sides of a limit (75), for all that is known."""
    for label in order:
        told = read_interval(label)
        if told is None:
            continue
        above = told.low > limit or (told.low == limit and told.open_low)
        below = told.high < limit or (told.high == limit and told.open_high)
        if not above and not below:
            raise PlanError(
                f"{where} has the label {quote(label)}, and nobody can say on which side of {limit:g} its values lie. "
                "Leave one of the two limits out, or code to the wider one alone."
            )


def _writes_numbers(order: tuple[str, ...]) -> bool:
    """Whether the values of an ordinal column are numbers, as coding leaves them."""
    line, _ = on_scale(order, pl.Series(order, dtype=pl.String), 0)
    return line.null_count() == 0


def text_of(value: Any, dtype: pl.DataType) -> str:
    """A value as labels write it: whole numbers without a fraction.

    >>> text_of(38.0, pl.Float64()), text_of(38.5, pl.Float64())
    ('38', '38.5')
    """
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value) if isinstance(value, int | float | str) else str(as_text(pl.Series([value], dtype=dtype)).item())


def strata_of(table: Table, names: Sequence[str]) -> tuple[np.ndarray, int]:
    """The group of each row, of rows that are equal in some columns, and how many there are; a missing cell is a value
    of its own, and without columns all rows are one group."""
    return group_rows([cell_codes(table.frame[name]) for name in names], len(table))
