"""Excel workbooks, by fastexcel (extra `excel`)."""

from __future__ import annotations

from pathlib import Path

from paravent.errors import TableError, quote
from paravent.table.fingerprint import FileStamp
from paravent.table.names import check_names
from paravent.table.raw import Raw, reading


def read_excel(path: Path, sheet: str | int | None, header: bool | None, format_choice: str) -> Raw:
    """One sheet of a workbook: by name, by number from 1, or the first one."""
    try:
        import fastexcel
    except ImportError:
        raise TableError("Excel files need one more package: pip install 'paravent[excel]'.") from None
    stamp = FileStamp.of(path)
    with reading(str(path)):
        book = fastexcel.read_excel(path.read_bytes())
        names = list(book.sheet_names)
    chosen, why = _choose(path, names, sheet)
    has_header = header is not False
    with reading(f"{path}, sheet {chosen!r}"):
        if has_header:
            # fastexcel renames columns of the same name without a word, so the names are read as a row of their own.
            first = book.load_sheet(chosen, header_row=None, n_rows=1, dtypes="string").to_polars()
            found = ["" if cell is None else str(cell) for cell in first.row(0)] if first.height else []
            if not found:
                raise TableError(f"{path}, sheet {chosen!r} is empty. A table needs at least a row with its column names.")
            frame = book.load_sheet(chosen, header_row=None, skip_rows=1, schema_sample_rows=None).to_polars()
            found = found[: frame.width] if not any(found[frame.width :]) else found
            check_names(found, f"{path}, sheet {chosen!r}", "Name it in the first row.")
            frame = _as_wide(frame, found)
        else:
            frame = book.load_sheet(chosen, header_row=None, schema_sample_rows=None).to_polars()
            if frame.width == 0:
                raise TableError(f"{path}, sheet {chosen!r} is empty.")
            frame.columns = [f"column_{i + 1}" for i in range(frame.width)]
    choices = {"format": format_choice, "sheet": why, "header": "yes (as usual)" if header is None else "as you said"}
    return Raw(frame, f"{path}, sheet {chosen!r}", choices, source=stamp, dates=True)


def _as_wide(frame, names):  # type: ignore[no-untyped-def]
    import polars as pl

    if frame.width < len(names):
        empty = [pl.lit(None, dtype=pl.String).alias(f"__missing_{i}") for i in range(frame.width, len(names))]
        frame = frame.with_columns(empty) if frame.width else pl.DataFrame({name: [] for name in names}, schema=dict.fromkeys(names, pl.String))
    frame.columns = names
    return frame


def _choose(path: Path, names: list[str], sheet: str | int | None) -> tuple[str, str]:
    if not names:
        raise TableError(f"{path} has no sheets.")
    if sheet is None:
        why = "the only one" if len(names) == 1 else f"the first of {len(names)}"
        return names[0], f"{names[0]!r} ({why})"
    if isinstance(sheet, int) and 1 <= sheet <= len(names):
        return names[sheet - 1], f"{names[sheet - 1]!r} (as you said)"
    if isinstance(sheet, str) and sheet in names:
        return sheet, f"{sheet!r} (as you said)"
    raise TableError(f"{path} has no sheet {quote(sheet)}. Its sheets are {', '.join(map(repr, names))}.")
