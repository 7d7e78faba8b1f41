"""read: any source becomes a Table, or one sentence says why not."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from paravent.errors import Note, TableError
from paravent.table.cells import parse_columns
from paravent.table.columnar import read_arrow, read_parquet
from paravent.table.database import read_sqlite, read_url
from paravent.table.delimited import read_delimited
from paravent.table.excel import read_excel
from paravent.table.formats import Format, format_of
from paravent.table.frames import is_frame, read_frame
from paravent.table.infer import infer_columns
from paravent.table.jsonl import read_json_lines
from paravent.table.kinds import KindWish
from paravent.table.layout import Wishes
from paravent.table.missing import Missing, marker_notes, without_markers
from paravent.table.names import check_names
from paravent.table.raw import Raw, reading
from paravent.table.table import Origin, Table


def read(
    source: Any,
    *,
    query: str | None = None,
    table: str | None = None,
    format: str | None = None,
    sheet: str | int | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    header: bool | Sequence[str] | None = None,
    quote: str | None = None,
    na: Missing = None,
    kinds: Mapping[str, KindWish] | None = None,
) -> Table:
    """Read a table.

    `source` is the path of a CSV, TSV, Parquet, Arrow, Excel, JSON lines or SQLite file, the SQLAlchemy URL of a
    database (with `query` or `table`), or a polars, pandas or Arrow frame. What a text file looks like is found out
    and told in `Table.origin.choices`; every argument overrules a finding. Only an empty field is missing; `na` names
    texts that mean missing as well, for all columns or by column. `kinds` says what columns are.

    >>> table = read(pl.DataFrame({"zip": ["01234", "?"], "age": [34, 51]}), na=["?"], kinds={"age": "float"})
    >>> table.columns["zip"].missing, str(table.kind("age"))
    (1, 'float')
    """
    if isinstance(source, Table):
        if na is not None:
            raise TableError("na= is said when a source is read. Read it again, or pass table.frame.")
        return source.with_kinds(kinds or {})
    if isinstance(source, str) and "://" in source:
        _only_for(source, "a database", format=format, sheet=sheet, delimiter=delimiter, encoding=encoding)
        if source.split("://")[0].lower() in ("http", "https", "ftp", "s3", "gs", "file"):
            raise TableError(
                f"{source.split('://')[0]}:// addresses are not read. Download the file and pass its path."
            )
        raw = read_url(source, query, table)
    elif isinstance(source, str | os.PathLike):
        raw = _read_file(Path(source), query, table, format, sheet, delimiter, encoding, decimal, header, quote)
    elif is_frame(source):
        raw = read_frame(source)
    else:
        raise TableError(
            f"a {type(source).__name__} cannot be read as a table. Pass a path, the URL of a database, "
            "or a polars, pandas or Arrow frame."
        )
    return _table(raw, na, kinds or {})


def _read_file(
    path: Path,
    query: str | None,
    table: str | None,
    format: str | None,
    sheet: str | int | None,
    delimiter: str | None,
    encoding: str | None,
    decimal: str | None,
    header: bool | Sequence[str] | None,
    quote: str | None,
) -> Raw:
    found, why = format_of(path, format)
    text = {"delimiter": delimiter, "encoding": encoding, "decimal": decimal, "quote": quote}
    database = {"query": query, "table": table}
    with reading(str(path)):
        match found:
            case Format.DELIMITED:
                _only_for(str(path), "a text file", sheet=sheet, **database)
                return read_delimited(path, Wishes(delimiter, encoding, decimal, header, quote), why)
            case Format.PARQUET:
                _only_for(str(path), "a Parquet file", sheet=sheet, header=header, **text, **database)
                return read_parquet(path, why)
            case Format.ARROW:
                _only_for(str(path), "an Arrow file", sheet=sheet, header=header, **text, **database)
                return read_arrow(path, why)
            case Format.JSON_LINES:
                _only_for(str(path), "a file of JSON lines", sheet=sheet, header=header, **text, **database)
                return read_json_lines(path, why)
            case Format.EXCEL:
                _only_for(str(path), "a workbook", **text, **database)
                return read_excel(path, sheet, header, why)
            case Format.SQLITE:
                _only_for(str(path), "a database", sheet=sheet, header=header, **text)
                return read_sqlite(path, query, table, why)


def _only_for(source: str, what: str, **arguments: object) -> None:
    """Refuse arguments that mean nothing for this source, rather than pass over them."""
    for name, value in arguments.items():
        if value is not None:
            raise TableError(f"{source} is {what}, for which {name}= means nothing. Leave it out.")


def _table(raw: Raw, na: Missing, kinds: Mapping[str, KindWish]) -> Table:
    frame, notes, reasons = raw.frame, list(raw.notes), dict(raw.reasons)
    check_names(frame.columns, raw.description, "Rename it.")
    for name in kinds:
        if name not in frame.columns:
            raise TableError(f"kinds: there is no column {name!r}. The columns are {', '.join(frame.columns)}.")
    with reading(raw.description):
        frame = _plain_types(frame, raw.description, notes)
        frame = without_markers(frame, na)
        free = [name for name in frame.columns if frame.schema[name] == pl.String and name not in kinds]
        if raw.text or raw.dates:
            for name, parsed in zip(free, parse_columns(frame, free, raw.decimal, numbers=raw.text), strict=True):
                notes.extend(parsed.notes)
                if parsed.reason:
                    reasons[name] = parsed.reason
                if parsed.values.dtype != pl.String:
                    frame = frame.with_columns(parsed.values)
        else:
            notes.extend(marker_notes(frame))
        columns = infer_columns(frame, reasons, raw.orders)
    origin = Origin(raw.description, raw.choices, notes=tuple(notes), source=raw.source)
    table = Table(frame, columns, np.arange(frame.height, dtype=np.int64), origin)
    if not kinds:
        return table
    if raw.decimal == ",":
        table = replace(table, frame=_with_points(table.frame, kinds))
    return table.with_kinds(kinds)


def _with_points(frame: pl.DataFrame, kinds: Mapping[str, KindWish]) -> pl.DataFrame:
    wanted = [name for name, wish in kinds.items() if wish == "float" and frame.schema[name] == pl.String]
    return frame.with_columns(pl.col(wanted).str.replace(",", ".", literal=True)) if wanted else frame


def _plain_types(frame: pl.DataFrame, what: str, notes: list[Note]) -> pl.DataFrame:
    """Plain values only. Costs nothing where the types are plain already."""
    changes = []
    for name, dtype in frame.schema.items():
        if dtype.is_nested() or dtype in (pl.Binary, pl.Object):
            held = "bytes" if dtype == pl.Binary else "lists or objects"
            raise TableError(
                f"{what}: column {name!r} holds {held} ({dtype}). Drop it, or turn it into plain values first."
            )
        if dtype == pl.Null:
            changes.append(pl.col(name).cast(pl.String))
        elif dtype == pl.Duration:
            changes.append(pl.col(name).dt.total_microseconds() / 1e6)
            notes.append(Note(f"column {name!r} holds durations, read as seconds."))
        elif dtype.is_float():
            if n_nan := int(frame[name].is_nan().sum()):
                changes.append(pl.col(name).fill_nan(None))
                notes.append(Note(f"column {name!r}: {n_nan} cells are NaN (not a number) and count as missing."))
            if n_infinite := int(frame[name].is_infinite().sum()):
                notes.append(Note(f"column {name!r}: {n_infinite} cells are infinite."))
    return frame.with_columns(changes) if changes else frame
