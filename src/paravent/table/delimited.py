"""CSV and its kin: polars reads the cells as text, at its own speed; the rest makes sure of what it read."""

from __future__ import annotations

import contextlib
import gzip
import io
import mmap
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from paravent.errors import Note, TableError, quote
from paravent.table import sniff
from paravent.table.cells import LONGEST_CELL
from paravent.table.dialect import Dialect, text_encoding
from paravent.table.fingerprint import FileStamp
from paravent.table.layout import Layout, LayoutOptions, layout_of
from paravent.table.letters import Quoting, check_line_ends, exact_cells, has_inner_mark, quoting_of
from paravent.table.mixed import MIXED, SINGLE, as_utf8, misread
from paravent.table.raw import Raw, reading
from paravent.table.scan import Scan, count_delimiters, first_bad_byte, line_of, scan
from paravent.table.sniff import Guess

_UTF8 = ("utf-8", "utf-8-sig", "ascii")


def read_delimited(path: Path, options: LayoutOptions, format_choice: str, *, exact: bool = False) -> Raw:
    """Read a CSV, TSV or other delimited text file, plain or gzipped."""
    stamp = FileStamp.of(path)
    with reading(str(path)):
        data = _bytes_of(path)
    if _is_blank(data):
        raise TableError(f"{path} is empty. A table needs at least a line with its column names.")
    code = _encoding(data, options.encoding)
    found = _read(path, data, code, options, exact)
    if isinstance(found, _BadByte):
        where = f"byte {data[found.place]:#x} in line {line_of(data, found.place)} is not {code.value.upper()}"
        if options.encoding is None and bytes(data[: sniff.SAMPLE_BYTES]).isascii():
            code = sniff.legacy_encoding(bytes(data), where)
            found = _read(path, data, code, options, exact)
        if isinstance(found, _BadByte):
            raise TableError(
                f"{path}: {where}. Pass the right encoding, such as encoding='cp1252', or encoding='{MIXED}' where "
                "some lines are in UTF-8 and others in cp1252."
            )
    return replace(found, choices={"format": format_choice, **found.choices}, source=stamp)


@dataclass(frozen=True)
class _BadByte:
    """Where the bytes of a file stop being UTF-8."""

    place: int


def _bytes_of(path: Path) -> bytes | mmap.mmap:
    """The file's bytes, unpacked; big plain files are looked at in place."""
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
        if not packed and file.seek(0, io.SEEK_END) > 1 << 20:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return gzip.decompress(path.read_bytes()) if packed else path.read_bytes()


def _is_blank(data: bytes | mmap.mmap) -> bool:
    nothing = b"\r\n\t \xef\xbb\xbf"
    return not data[:4096].strip(nothing) and not bytes(data).strip(nothing)


def _encoding(data: bytes | mmap.mmap, forced: str | None) -> Guess:
    if forced is None:
        return sniff.sniff_encoding(bytes(data[: sniff.SAMPLE_BYTES]))
    return Guess(MIXED if forced == MIXED else text_encoding(forced), "as you said")


def _read(path: Path, data: bytes | mmap.mmap, encoding: Guess, options: LayoutOptions, exact: bool) -> Raw | _BadByte:
    # Polars reads a big file from its path, in many threads, but only as UTF-8.
    source: Path | bytes | mmap.mmap = path if isinstance(data, mmap.mmap) else data
    odd = misread(path, data, encoding.value) if encoding.value in SINGLE else None
    if encoding.value not in _UTF8:
        source = data = _as_utf8(path, data, encoding.value)
    zero = data.find(b"\0")
    if zero >= 0:
        raise TableError(
            f"{path}, line {line_of(data, zero)}: a NUL byte. The file is damaged or binary; "
            "if it is UTF-16, pass encoding='utf-16'."
        )
    text, whole = _sample(path, data)
    choices = {"encoding": str(encoding)}
    layout, decimal, rows = layout_of(path, text, whole, options, choices)
    notes: tuple[Note, ...] = () if odd is None else (odd,)
    quoting = Quoting() if layout.blank_before_quote else quoting_of(data, layout.delimiter, layout.quote)
    _refuse_quote(path, data, quoting)
    if layout.blank_before_quote:
        if exact:
            raise TableError(
                f"{path}: blanks stand between delimiters and quotes, so nobody can say whether they belong to the "
                "cells. Write the table without them."
            )
        frame = _tidied(path, data, layout)
        choices["blanks"] = "taken off (blanks stand between delimiters and quotes)"
    elif exact and (has_inner_mark(data) or quoting.inside is not None):
        frame = exact_cells(path, data, layout.delimiter, layout.quote, len(layout.names), header=layout.skip_lines > 0)
    else:
        if exact:
            check_line_ends(path, data, layout.quote)
        found = _cells(path, data, source, layout)
        if isinstance(found, _BadByte):
            return found
        frame = found[0]
        notes += found[1]
    frame.columns = list(layout.names)
    cells = frame if exact else None
    if sniff.blank_after_delimiter(rows) and (stripped := _strip(frame)) is not None:
        frame = stripped
        choices["blanks"] = "taken off (every field but the first of a line begins with a blank)"
    if frame.height == 0:
        notes += (Note(f"{path} holds column names and no rows."),)
    spelled = "utf-8" if encoding.value == MIXED else encoding.value
    dialect = Dialect(layout.delimiter, decimal.value, spelled)
    return Raw(frame, str(path), choices, notes, text=True, decimal=decimal.value, exact=cells, dialect=dialect)


def _as_utf8(path: Path, data: bytes | mmap.mmap, encoding: str) -> bytes:
    if encoding == MIXED:
        return as_utf8(data)
    raw = bytes(data)
    try:
        return raw.decode(encoding).encode()
    except UnicodeError as error:
        place = getattr(error, "start", 0)
        raise TableError(
            f"{path}: byte {place} is not {encoding.upper()}. Pass the right encoding, such as encoding='utf-8'."
        ) from None


def _sample(path: Path, data: bytes | mmap.mmap) -> tuple[str, bool]:
    """The beginning of the text with one whole line at least, and whether it is everything."""
    size = sniff.SAMPLE_BYTES
    head = bytes(data[:size])
    while b"\n" not in head and b"\r" not in head and len(data) > size:
        if size >= LONGEST_CELL:
            raise TableError(
                f"{path}: its first line is longer than {size >> 20} MiB. This is not a table in text form."
            )
        size *= 4
        head = bytes(data[:size])
    text = head.decode("utf-8", errors="replace").removeprefix("\ufeff")
    return text, size >= len(data)


def _cells(
    path: Path, data: bytes | mmap.mmap, source: Path | bytes | mmap.mmap, layout: Layout
) -> tuple[pl.DataFrame, tuple[Note, ...]] | _BadByte:
    frame = None
    with contextlib.suppress(pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError):
        frame = _by_polars(source, layout)
    if frame is not None:
        return _checked(path, data, frame, layout)
    bad = first_bad_byte(data)
    return _BadByte(bad) if bad is not None else (_tidied(path, data, layout), ())


def _by_polars(source: Path | bytes | mmap.mmap, layout: Layout) -> pl.DataFrame:
    # Numbers for names: the real ones are given when the cells have passed every check.
    schema = {f"{i}": pl.String for i in range(len(layout.names))}
    return pl.read_csv(
        source if isinstance(source, Path) else io.BytesIO(source),
        has_header=False,
        skip_lines=layout.skip_lines,
        separator=layout.delimiter,
        quote_char=layout.quote or None,
        eol_char=layout.eol,
        schema=schema,
        glob=False,
        raise_if_empty=False,
    )


def _checked(
    path: Path, data: bytes | mmap.mmap, frame: pl.DataFrame, layout: Layout
) -> tuple[pl.DataFrame, tuple[Note, ...]]:
    """Polars fills short rows and blank lines with missing values; neither may pass for data."""
    if frame.width < 2 or frame.height == 0 or frame[:, -1].null_count() == 0:
        return frame, ()
    trailing = _trailing_blank_lines(data)
    if trailing and all(
        frame.tail(trailing).null_count().row(0)[i] == min(trailing, frame.height) for i in range(frame.width)
    ):
        frame = frame.head(max(frame.height - trailing, 0))
    expected = (frame.height + (1 if layout.skip_lines else 0)) * (frame.width - 1)
    if count_delimiters(data, layout.delimiter, layout.quote) == expected:
        return frame, ()
    with reading(str(path)):
        found = scan(data, layout.delimiter, layout.quote)
    _refuse_ragged(path, layout, found)
    first = 1 if layout.skip_lines else 0
    blank = [row - first for row in found.blank if 0 <= row - first < frame.height]
    if not blank:
        return frame, ()
    note = Note(
        f"{path}: {len(blank)} blank lines (the first is line {found.blank_line}) are no rows and were passed over."
    )
    keep = ~pl.Series(range(frame.height)).is_in(pl.Series(blank).implode())
    return frame.filter(keep), (note,)


def _trailing_blank_lines(data: bytes | mmap.mmap) -> int:
    tail = bytes(data[-4096:])
    return max(len(tail) - len(tail.rstrip(b"\r\n")) - tail[len(tail.rstrip(b"\r\n")) :].count(b"\r") - 1, 0)


def _refuse_quote(path: Path, data: bytes | mmap.mmap, quoting: Quoting) -> None:
    if quoting.open_at is not None:
        raise TableError(_never_closed(path, line_of(data, quoting.open_at)))
    if quoting.closed_at is not None:
        raise TableError(_text_follows(path, line_of(data, quoting.closed_at)))


def _never_closed(path: Path, line: int) -> str:
    return (
        f"{path}, line {line}: a quote is opened and never closed. "
        "Close it, or pass quote='' to take quotes as plain characters."
    )


def _text_follows(path: Path, line: int) -> str:
    return (
        f"{path}, line {line}: text follows a closing quote. "
        "Double the quotes inside of values, or pass quote='' to take quotes as plain characters."
    )


def _refuse_ragged(path: Path, layout: Layout, found: Scan) -> None:
    if found.open_quote is not None:
        raise TableError(_never_closed(path, found.open_quote))
    if found.stray_quote is not None:
        raise TableError(_text_follows(path, found.stray_quote))
    for row, line, n_fields in found.ragged(len(layout.names)):
        more = "the first line" if layout.skip_lines else "line 1"
        held = f"{n_fields} field" + "s" * (n_fields != 1)
        where = f"row {row}" if layout.skip_lines else f"row {row + 1}"
        raise TableError(
            f"{path}, {where} (line {line}): {held} where {more} has {len(layout.names)}. "
            f"Mend the row, or quote values that hold the delimiter {quote(layout.delimiter)}."
        )


def _tidied(path: Path, data: bytes | mmap.mmap, layout: Layout) -> pl.DataFrame:
    """The slow way, for quoting that polars does not follow: Python's own reader writes it down plainly first."""
    with reading(str(path)):
        found = scan(data, layout.delimiter, layout.quote, skip_blank=layout.blank_before_quote, copy=True)
        _refuse_ragged(path, layout, found)
        plain = Layout(",", '"', layout.names, 0)
        return _by_polars(found.copied(skip_first=bool(layout.skip_lines)), plain)


def _strip(frame: pl.DataFrame) -> pl.DataFrame | None:
    """Without the blanks around fields, if every field but the first of its row begins with one; else None."""
    columns = frame.get_columns()
    if not all(values.str.starts_with(" ").all() for values in columns[1:]):
        return None
    stripped = [values.str.strip_chars(" ") for values in columns]
    return pl.DataFrame([values.set(values == "", None) for values in stripped])
