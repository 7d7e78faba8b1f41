"""read: any source becomes a Table, or one sentence says why not."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from paravent.arguments import check_call
from paravent.errors import Note, TableError
from paravent.near import suggest
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
from paravent.table.layout import LayoutOptions
from paravent.table.marked import Marked, marker_notes
from paravent.table.missing import marked_in, without_markers
from paravent.table.names import Header, check_names
from paravent.table.options import Address, Missing, Options
from paravent.table.place import Place
from paravent.table.raw import Raw, reading
from paravent.table.statistical import read_statistical
from paravent.table.table import Origin, Table, with_series


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
    header: Header = None,
    quote: str | None = None,
    na: Missing = None,
    kinds: Mapping[str, KindWish] | None = None,
) -> Table:
    """Read a table.

    `source` is the path of a CSV, TSV, Parquet, Arrow, Excel, JSON lines, SQLite, SPSS, Stata or SAS file, the
    SQLAlchemy URL of a database (with `query` or `table`), or a polars, pandas or Arrow frame. What a text file looks
    like is found out and told in `Table.origin.choices`; every argument overrules a finding. `encoding`
    may be "mixed": each line as it is written, in UTF-8 or else in cp1252. `header` says whether its first line names
    the columns, or names them itself; "repair" adds the place to names that are missing or not unique. Only an
    empty field is missing; `na` names texts that mean missing as well, for all columns or by column. `kinds` says what
    columns are.

    >>> table = read(pl.DataFrame({"zip": ["01234", "?"], "age": [34, 51]}), na=["?"], kinds={"age": "float"})
    >>> table.columns["zip"].missing, str(table.kind("age"))
    (1, 'float')
    """
    check_call(read, locals(), TableError)
    if isinstance(source, Table):
        if na is not None:
            raise TableError("na= is said when a source is read. Read it again, or pass table.frame.")
        return source.with_kinds(kinds or {})
    options = Options(query, table, format, sheet, delimiter, encoding, decimal, header, quote)
    address = Address(source, options, na) if isinstance(source, str | os.PathLike) else None
    raw = raw_of(source, options)
    place = None if address is None else Place.of(address.source, raw.choices.get("table"), query)
    return table_of(raw, na, kinds or {}, address, place)


def raw_of(source: Any, options: Options, *, exact: bool = False) -> Raw:
    """What the reader of the source finds. With `exact`, also its cells as they stand, where its values say less."""
    if isinstance(source, str) and "://" in source:
        _only_for(source, "a database", options, "query", "table")
        if source.split("://")[0].lower() in ("http", "https", "ftp", "s3", "gs", "file"):
            raise TableError(
                f"{source.split('://')[0]}:// addresses are not read. Download the file and pass its path."
            )
        return read_url(source, options.query, options.table, exact=exact)
    if isinstance(source, str | os.PathLike):
        return _read_file(Path(source), options, exact)
    if is_frame(source):
        return read_frame(source, exact=exact)
    raise TableError(
        f"a {type(source).__name__} cannot be read as a table. Pass a path, the URL of a database, "
        "or a polars, pandas or Arrow frame."
    )


def _read_file(path: Path, options: Options, exact: bool) -> Raw:
    found, why = format_of(path, options.format)
    what, options = str(path), replace(options, format=None)
    with reading(what):
        match found:
            case Format.DELIMITED:
                _only_for(what, "a text file", options, "delimiter", "encoding", "decimal", "header", "quote")
                said = LayoutOptions(
                    options.delimiter, options.encoding, options.decimal, options.header, options.quote
                )
                return read_delimited(path, said, why, exact=exact)
            case Format.PARQUET:
                _only_for(what, "a Parquet file", options)
                return read_parquet(path, why)
            case Format.ARROW:
                _only_for(what, "an Arrow file", options)
                return read_arrow(path, why)
            case Format.JSON_LINES:
                _only_for(what, "a file of JSON lines", options)
                return read_json_lines(path, why, exact=exact)
            case Format.EXCEL:
                _only_for(what, "a workbook", options, "sheet", "header")
                return read_excel(path, options.sheet, options.header, why, exact=exact)
            case Format.SPSS | Format.STATA | Format.SAS:
                _only_for(what, f"a file of {found.called}", options)
                return read_statistical(path, found, why, exact=exact)
            case Format.SQLITE:
                _only_for(what, "a database", options, "query", "table")
                return read_sqlite(path, options.query, options.table, why, exact=exact)


def _only_for(source: str, what: str, options: Options, *meant: str) -> None:
    """Refuse options that mean nothing for this source, rather than pass over them."""
    for name in options.given():
        if name not in meant:
            raise TableError(f"{source} is {what}, for which {name}= means nothing. Leave it out.")


def table_of(
    raw: Raw,
    na: Missing,
    kinds: Mapping[str, KindWish],
    address: Address | None = None,
    place: Place | None = None,
) -> Table:
    """The table of what a reader found: missing values, types and kinds."""
    frame, notes, reasons = raw.frame, list(raw.notes), dict(raw.reasons)
    check_names(frame.columns, raw.description, "Rename it.")
    known = set(frame.columns)
    for name in kinds:
        if name not in known:
            raise TableError(f"kinds: there is no column {name!r}. {suggest(name, frame.columns)}")
    with reading(raw.description):
        frame = _plain_types(frame, raw.description, notes)
        frame = without_markers(frame, na)
        if raw.text or raw.dates:
            free = [values for values in frame.get_columns() if values.dtype == pl.String and values.name not in kinds]
            changed: list[pl.Series] = []
            marked: list[Marked] = []
            for parsed in parse_columns(free, raw.decimal, numbers=raw.text):
                notes.extend(parsed.notes)
                marked.extend(parsed.marked)
                if parsed.reason:
                    reasons[parsed.values.name] = parsed.reason
                if parsed.values.dtype != pl.String:
                    changed.append(parsed.values)
            frame = with_series(frame, changed)
        else:
            marked = marked_in(frame)
        notes.extend(marker_notes(marked))
        columns = infer_columns(frame, reasons, raw.orders)
    origin = Origin(
        raw.description,
        raw.choices,
        notes=tuple(notes),
        source=raw.source,
        address=address,
        dialect=raw.dialect,
        place=place,
    )
    table = Table(frame, columns, np.arange(frame.height, dtype=np.int64), origin)
    if not kinds:
        return table
    if raw.decimal == ",":
        table = replace(table, frame=_with_points(table.frame, kinds))
    return table.with_kinds(kinds)


def _with_points(frame: pl.DataFrame, kinds: Mapping[str, KindWish]) -> pl.DataFrame:
    wanted = {name for name, wish in kinds.items() if wish == "float"}
    return with_series(
        frame,
        [
            values.str.replace(",", ".", literal=True)
            for values in frame.get_columns()
            if values.name in wanted and values.dtype == pl.String
        ],
    )


def _plain_types(frame: pl.DataFrame, what: str, notes: list[Note]) -> pl.DataFrame:
    """Plain values only. Costs nothing where the types are plain already."""
    changed = []
    for values in frame.get_columns():
        name, dtype = values.name, values.dtype
        if dtype.is_nested() or dtype in (pl.Binary, pl.Object):
            held = "bytes" if dtype == pl.Binary else "lists or objects"
            raise TableError(
                f"{what}: column {name!r} holds {held} ({dtype}). Drop it, or turn it into plain values first."
            )
        if dtype == pl.Null:
            changed.append(values.cast(pl.String))
        elif dtype == pl.Duration:
            changed.append((values.dt.total_microseconds() / 1e6).alias(name))
            notes.append(Note(f"column {name!r} holds durations, read as seconds."))
        elif dtype.is_float():
            finite = math.isfinite(values.sum() or 0.0)
            n_nan = 0 if finite else int(values.is_nan().sum())
            n_infinite = 0 if finite else int(values.is_infinite().sum())
            if n_nan:
                notes.append(Note(f"column {name!r}: {n_nan} cells are NaN (not a number) and count as missing."))
            if n_infinite:
                notes.append(Note(f"column {name!r}: {n_infinite} cells are infinite."))
            if n_nan or bool((values == 0).any()):
                changed.append((values.fill_nan(None) + 0.0).alias(name))  # + 0.0: −0.0 is 0.0
    return with_series(frame, changed)
