"""Excel workbooks, by fastexcel (extra `excel`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from paravent.errors import TableError, quote
from paravent.table.excel_cells import exact_sheet
from paravent.table.fingerprint import FileStamp
from paravent.table.names import Header, check_names, remedy, repaired
from paravent.table.raw import Raw, reading
from paravent.table.whole import whole_numbers


def read_excel(
    path: Path,
    sheet: str | int | None,
    header: Header,
    format_choice: str,
    *,
    exact: bool = False,
) -> Raw:
    """One sheet of a workbook: by name, by number from 1, or the first one. Its first row names the columns."""
    try:
        import fastexcel
    except ImportError:
        raise TableError("Excel files need one more package: pip install 'paravent[excel]'.") from None
    stamp = FileStamp.of(path)
    with reading(str(path)):
        book = fastexcel.read_excel(path.read_bytes())
        names = list(book.sheet_names)
    chosen, why = _choose(path, names, sheet)
    what = f"{path}, sheet {chosen!r}"
    with reading(what):
        frame = _load(book, chosen, what, header)
        cells = _exact(path, chosen, what, frame, header) if exact else None
    choices = {"format": format_choice, "sheet": why, "header": "yes (as usual)" if header is None else "as you said"}
    return Raw(frame, what, choices, source=stamp, dates=True, exact=cells)


def _exact(path: Path, sheet: str, what: str, frame: pl.DataFrame, header: Header) -> pl.DataFrame:
    """The cells as they stand, beside what the reader made of them. Both must have found the same rows."""
    cells = exact_sheet(path, sheet)
    if header is not False:
        cells = cells.tail(-1)
    if cells.shape != frame.shape:
        raise TableError(
            f"{what}: {cells.height} rows and {cells.width} columns hold something, {frame.height} and {frame.width} "
            "of them values. Remove what else stands on the sheet."
        )
    cells.columns = frame.columns
    return cells


def _load(book: Any, sheet: str, what: str, header: Header) -> pl.DataFrame:
    # fastexcel renames columns of the same name without a word, so the names are read as a row of their own.
    first = book.load_sheet(sheet, header_row=None, n_rows=1, dtypes="string").to_polars()
    if first.width == 0 or first.height == 0:
        raise TableError(f"{what} is empty. A table needs at least a row with its column names.")
    skip = 0 if header is False else 1
    frame = book.load_sheet(sheet, header_row=None, skip_rows=skip, schema_sample_rows=None).to_polars()
    names = [f"column_{i + 1}" for i in range(frame.width)] if skip == 0 else [cell or "" for cell in first.row(0)]
    if header == "repair":
        names = list(repaired(names))
    elif header is not None and not isinstance(header, bool):
        if len(header) != len(names):
            raise TableError(f"header= names {len(header)} columns, but {what} has {len(names)}. Name them all.")
        names = [str(name) for name in header]
    check_names(names, what, remedy("first row"))
    if frame.width > len(names):
        raise TableError(
            f"{what}: {frame.width} columns hold values, but only {len(names)} have a name. Name them all."
        )
    absent = {name: pl.Series(name, [None] * frame.height, dtype=pl.String) for name in names[frame.width :]}
    frame = frame.with_columns(map(whole_numbers, frame.iter_columns()))
    return pl.DataFrame([*(v.alias(n) for v, n in zip(frame.iter_columns(), names, strict=False)), *absent.values()])


def _choose(path: Path, names: list[str], sheet: str | int | None) -> tuple[str, str]:
    if not names:
        raise TableError(f"{path} has no sheets.")
    if sheet is None:
        why = "the only one" if len(names) == 1 else f"the first of {len(names)}"
        return names[0], f"{names[0]!r} ({why})"
    if isinstance(sheet, str) and sheet not in names and sheet.isdecimal():
        sheet = int(sheet)  # From the command line everything comes as text.
    if isinstance(sheet, int) and 1 <= sheet <= len(names):
        return names[sheet - 1], f"{names[sheet - 1]!r} (as you said)"
    if isinstance(sheet, str) and sheet in names:
        return sheet, f"{sheet!r} (as you said)"
    raise TableError(f"{path} has no sheet {quote(sheet)}. Its sheets are {', '.join(map(repr, names))}.")
