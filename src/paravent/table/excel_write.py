"""Excel workbooks, by XlsxWriter (extra `excel`), cell by cell so that every text stays the text it is."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from paravent.errors import TableError, quote
from paravent.table.text import as_text

_MOST_ROWS, _MOST_COLUMNS, _LONGEST = 1_048_575, 16_384, 32_767
_EXACT = 10**15
"""Excel keeps 15 digits of a number."""
_FIRST_DAY = dt.date(1900, 3, 1)
"""Excel counts a 29 February 1900 that never was; days before it are off by one."""


def write_excel(frame: pl.DataFrame, path: Path, sheet: str) -> None:
    try:
        import xlsxwriter
    except ImportError:
        raise TableError("Excel files need one more package: pip install 'paravent[excel]'.") from None
    if frame.height > _MOST_ROWS or frame.width > _MOST_COLUMNS:
        raise TableError(
            f"Excel holds {_MOST_ROWS} rows and {_MOST_COLUMNS} columns, the frame has {frame.height} "
            f"and {frame.width}. Write Parquet or CSV instead."
        )
    options = {
        "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False,
        "constant_memory": True, "in_memory": False, "remove_timezone": True,
    }  # fmt: skip
    with path.open("wb") as file:
        book = xlsxwriter.Workbook(file, options)
        book.set_properties({"created": dt.datetime(1980, 1, 1)})  # the same table gives the same bytes at any time
        try:
            page = book.add_worksheet(sheet)
        except xlsxwriter.exceptions.XlsxWriterException:
            raise TableError(
                f"sheet={sheet!r} is not a name that Excel allows: 1 to 31 characters, none of []:*?/\\."
            ) from None
        forms = {
            dt.datetime: book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss.000"}),
            dt.date: book.add_format({"num_format": "yyyy-mm-dd"}),
        }
        for place, name in enumerate(frame.columns):
            page.write_string(0, place, name)
        plain = frame.with_columns(map(_sayable, frame.iter_columns()))
        for row, values in enumerate(plain.iter_rows(), start=1):
            for place, value in enumerate(values):
                if value is not None:
                    _write_cell(page, row, place, value, forms, frame.columns[place])
        page.freeze_panes(1, 0)
        book.close()


def _sayable(values: pl.Series) -> pl.Series:
    """The column as it is where Excel can say all of its values, else as text, where they stay what they are."""
    dtype = values.dtype
    if isinstance(dtype, pl.Categorical | pl.Enum) or dtype == pl.Time:
        return as_text(values)
    if dtype.is_integer() and not (values.cast(pl.Float64).abs() < _EXACT).all():
        return values.cast(pl.String)
    if dtype == pl.Date and not (values >= _FIRST_DAY).all():
        return values.cast(pl.String)
    if dtype == pl.Datetime and not (values.dt.date() >= _FIRST_DAY).all():
        return values.dt.to_string("iso:strict")
    return values


def _write_cell(page: Any, row: int, place: int, value: Any, forms: Mapping[type[dt.date], Any], name: str) -> None:
    if isinstance(value, str):
        if len(value) > _LONGEST:
            raise TableError(
                f"column {name!r}, row {row}: {quote(value)} is longer than the {_LONGEST} characters of an Excel cell."
            )
        page.write_string(row, place, value)
    elif isinstance(value, bool):
        page.write_boolean(row, place, value)
    elif isinstance(value, float) and not math.isfinite(value):
        if not math.isnan(value):
            page.write_string(row, place, str(value))
    elif isinstance(value, dt.date):
        page.write_datetime(row, place, value, forms[type(value)])
    else:
        page.write_number(row, place, value)
