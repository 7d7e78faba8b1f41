"""A column as the user wants it: the wish is followed, or the first value that forbids it is named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from paravent.errors import TableError, quote
from paravent.table.kinds import Column, Kind, KindWish
from paravent.table.text import as_text
from paravent.table.vocabularies import known_order


def convert(values: pl.Series, column: Column, wish: KindWish, rows: np.ndarray) -> tuple[pl.Series, Column]:
    """The values and the column after a wish. `rows` names rows in errors."""
    name = column.name
    if isinstance(wish, str) and not isinstance(wish, Kind):
        if "%" in wish:
            found = _strictly(values, parse_dates(as_text(values), wish), f"a date of the form {wish}", name, rows)
            return found, _as(column, Kind.DATE, found)
        try:
            wish = Kind(wish)
        except ValueError:
            kinds = ", ".join(Kind)
            raise TableError(
                f"column {name!r}: {wish!r} is not a kind. Kinds are {kinds}; or give the values of an ordinal column "
                "from lowest to highest, or the format of dates such as '%d/%m/%Y'."
            ) from None
    if not isinstance(wish, Kind):
        return values, _ordinal(values, column, wish, rows)
    match wish:
        case Kind.INTEGER:
            values = _integers(values, name, rows)
        case Kind.FLOAT:
            values = _floats(values, name, rows)
        case Kind.DATE:
            values = _dates(values, name, rows)
        case Kind.ORDINAL:
            return values, _ordinal(values, column, _own_order(values, column), rows)
        case Kind.NOMINAL | Kind.TEXT:
            pass
    return values, _as(column, wish, values)


def parse_dates(text: pl.Series, form: str) -> pl.Series:
    """Dates, times or both of one format; what does not parse is missing. A year below 1000 does not parse."""
    has_date = any(sign in form for sign in ("%Y", "%y", "%D", "%F", "%j"))
    has_time = any(sign in form for sign in ("%H", "%I", "%T", "%R", "%s"))
    try:
        if not has_date and has_time:
            return text.str.to_time(form, strict=False)
        found = (
            text.str.to_datetime(form, strict=False, time_unit="us")
            if has_time
            else text.str.to_date(form, strict=False)
        )
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        raise TableError(f"{form!r} is not a format of dates. Write it like '%d/%m/%Y' or '%Y-%m-%d %H:%M'.") from None
    too_early = (found.dt.year() < 1000).fill_null(False)
    return found.set(too_early, None) if too_early.any() else found


def _as(column: Column, kind: Kind, values: pl.Series) -> Column:
    return replace(column.as_kind(kind), missing=values.null_count())


def _strictly(values: pl.Series, found: pl.Series, wanted: str, name: str, rows: np.ndarray) -> pl.Series:
    lost = (found.is_null() & values.is_not_null()).arg_true()
    if len(lost):
        first = int(lost[0])
        more = f", and {len(lost) - 1} more" if len(lost) > 1 else ""
        value = values.slice(first, 1).cast(pl.String).item()
        raise TableError(
            f"column {name!r}, row {int(rows[first]) + 1}: {quote(value)} is not {wanted}{more}. "
            "Mend the values, or name them in na=[…] if they mean that the value is missing."
        )
    return found.alias(name)


def _integers(values: pl.Series, name: str, rows: np.ndarray) -> pl.Series:
    if values.dtype.is_integer():
        return values
    if values.dtype.is_float() or values.dtype.is_decimal():
        whole = values.cast(pl.Int64, strict=False)
        same = (whole.cast(pl.Float64) == values.cast(pl.Float64)).fill_null(False)
        return _strictly(values, whole.set(~same, None), "a whole number", name, rows)
    return _strictly(
        values, as_text(values).str.strip_chars().cast(pl.Int64, strict=False), "a whole number", name, rows
    )


def _floats(values: pl.Series, name: str, rows: np.ndarray) -> pl.Series:
    if values.dtype.is_float() or values.dtype.is_decimal():
        return values
    if values.dtype.is_integer() or values.dtype == pl.Boolean:
        return values.cast(pl.Float64)
    found = as_text(values).str.strip_chars().cast(pl.Float64, strict=False) + 0.0  # −0.0 is 0.0
    return _strictly(values, found.set(~found.is_finite().fill_null(True), None), "a number", name, rows)


def _dates(values: pl.Series, name: str, rows: np.ndarray) -> pl.Series:
    from paravent.table.cells import date_format

    if values.dtype.is_temporal():
        return values
    text = as_text(values)
    form = date_format(text.drop_nulls().head(1000).to_list())
    if form is None:
        raise TableError(
            f"column {name!r} is not in a form of dates that we know. "
            f"Say the form, as in kinds={{{name!r}: '%d/%m/%Y'}}."
        )
    return _strictly(values, parse_dates(text, form.pattern), f"a date of the form {form.pattern}", name, rows)


def _own_order(values: pl.Series, column: Column) -> Sequence[str]:
    if column.order is not None:
        return column.order
    distinct = values.drop_nulls().unique()
    if values.dtype.is_numeric() or values.dtype.is_temporal() or values.dtype == pl.Boolean:
        return as_text(distinct.sort()).to_list()
    known = known_order(as_text(distinct).to_list())
    if known is None:
        raise TableError(
            f"column {column.name!r}: the order of its {len(distinct)} values is not known. "
            f"Give them from lowest to highest, as in kinds={{{column.name!r}: ('low', 'high')}}."
        )
    return known[0]


def _ordinal(values: pl.Series, column: Column, order: Sequence[str], rows: np.ndarray) -> Column:
    name, texts = column.name, tuple(str(value) for value in order)
    if len(set(texts)) < len(texts):
        twice = next(text for i, text in enumerate(texts) if text in texts[:i])
        raise TableError(f"column {name!r}: {quote(twice)} appears twice in its order. Name every value once.")
    known = pl.Series(texts, dtype=pl.String).implode()
    strange = (~as_text(values).is_in(known)).fill_null(False).arg_true()
    if len(strange):
        first = int(strange[0])
        value = values.slice(first, 1).cast(pl.String).item()
        raise TableError(
            f"column {name!r}, row {int(rows[first]) + 1}: {quote(value)} is not in the order given. "
            "Add it where it belongs, or name it in na=[…] if it means that the value is missing."
        )
    return replace(column.as_kind(Kind.ORDINAL, texts), missing=values.null_count())
