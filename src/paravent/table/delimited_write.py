"""Writing delimited text, plain or gzipped."""

from __future__ import annotations

import codecs
import gzip
import io
import shutil
from pathlib import Path

import polars as pl

from paravent.errors import TableError, quote
from paravent.table.dialect import Dialect
from paravent.table.text import is_text


def write_delimited(frame: pl.DataFrame, part: Path, dialect: Dialect) -> None:
    """Write the cells. Floats have the decimal sign of the dialect; labels are texts and stay as they are."""
    # Values with blanks at their ends are quoted, so that no reader takes the blanks for padding.
    padded = any(_is_padded(values) for values in frame.iter_columns())
    lone = frame.width == 1 and frame.height > 0
    frame.write_csv(
        part,
        separator=dialect.delimiter,
        decimal_comma=dialect.decimal == ",",
        quote_style="non_numeric" if padded or lone else "necessary",
        check_extension=False,
    )
    if codecs.lookup(dialect.encoding).name != "utf-8":
        _encode(frame, part, dialect.encoding)


def can_say(frame: pl.DataFrame, encoding: str) -> bool:
    """Whether an encoding has all letters of a frame."""
    return codecs.lookup(encoding).name.startswith("utf") or _unsayable(frame, encoding) is None


def pack(part: Path) -> None:
    """Gzip a file in its place; the same bytes give the same bytes."""
    plain = part.read_bytes()
    with (
        part.open("wb") as file,
        gzip.GzipFile(filename="", mode="wb", fileobj=file, compresslevel=6, mtime=0) as packed,
    ):
        shutil.copyfileobj(io.BytesIO(plain), packed, 1 << 20)


def _encode(frame: pl.DataFrame, part: Path, encoding: str) -> None:
    text = part.read_bytes().decode("utf-8")
    try:
        part.write_bytes(text.encode(encoding))
    except UnicodeError:
        place = _unsayable(frame, encoding) or "the table"
        raise TableError(f"{place} holds a letter that {encoding} lacks. Write it with encoding='utf-8'.") from None


def _unsayable(frame: pl.DataFrame, encoding: str) -> str | None:
    """The first place whose letters an encoding lacks."""
    for column in frame.iter_columns():
        if not _has(column.name, encoding):
            return f"the name of column {column.name!r}"
        if is_text(column.dtype):
            texts = column.alias("cells").cast(pl.String)
            for value in texts.unique(maintain_order=True).to_list():
                if value is not None and not _has(value, encoding):
                    row = int((texts == value).fill_null(False).arg_true()[0])
                    return f"column {column.name!r}, row {row + 1}: {quote(value)}"
    return None


def _has(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeError:
        return False
    return True


def _is_padded(values: pl.Series) -> bool:
    if isinstance(values.dtype, pl.Categorical | pl.Enum):
        values = values.unique().cast(pl.String)
    if values.dtype != pl.String:
        return False
    edges = values.str.starts_with(" ") | values.str.ends_with(" ") | values.str.contains("\r", literal=True)
    return bool(edges.any())
