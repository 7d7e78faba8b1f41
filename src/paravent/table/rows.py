"""Rows of Python values, as database drivers give them, become typed columns."""

from __future__ import annotations

import datetime as dt
import decimal
import uuid
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import polars as pl

from paravent.errors import Note, TableError, quote

_AT_ONCE = 50_000


def frame_of(
    names: Sequence[str], fetched: Iterable[Sequence[Sequence[Any]]], what: str
) -> tuple[pl.DataFrame, tuple[Note, ...]]:
    """A frame from batches of rows. Values of a column may differ in type between rows; then the column is text."""
    parts: list[list[pl.Series]] = [[] for _ in names]
    done = 0
    for batch in fetched:
        for place, values in enumerate(zip(*batch, strict=True)):
            parts[place].append(_series(names[place], list(values), done, what))
        done += len(batch)
    notes: list[Note] = []
    columns = [_joined(name, series, notes) for name, series in zip(names, parts, strict=True)]
    return pl.DataFrame(columns), tuple(notes)


def batches(cursor: Any) -> Iterator[Sequence[Sequence[Any]]]:
    while rows := cursor.fetchmany(_AT_ONCE):
        yield rows


def _series(name: str, values: list[Any], done: int, what: str) -> pl.Series:
    kinds = {type(value) for value in values} - {type(None)}
    if not kinds:
        return pl.Series(name, values, dtype=pl.Null)
    for kind in kinds:
        if issubclass(kind, bytes | bytearray | memoryview | list | tuple | dict | set):
            row = next(i for i, value in enumerate(values) if isinstance(value, kind)) + done + 1
            raise TableError(
                f"{what}: column {name!r}, row {row} holds a {kind.__name__}, not a plain value. "
                "Leave it out of the query."
            )
    if kinds == {int}:
        fits = all(value is None or -(1 << 63) <= value < 1 << 63 for value in values)
        return pl.Series(name, values, dtype=pl.Int64) if fits else _texts(name, values)
    if kinds <= {int, float}:
        return pl.Series(name, [None if value is None else float(value) for value in values], dtype=pl.Float64)
    if kinds == {decimal.Decimal}:
        return _decimals(name, values)
    if kinds == {dt.timedelta}:
        return pl.Series(name, [None if value is None else value.total_seconds() for value in values], dtype=pl.Float64)
    if kinds == {dt.datetime}:
        return _datetimes(name, values)
    plain = {str: pl.String, bool: pl.Boolean, dt.date: pl.Date, dt.time: pl.Time}
    if len(kinds) == 1 and (only := next(iter(kinds))) in plain:
        if only is dt.time:
            values = [None if value is None else value.replace(tzinfo=None) for value in values]
        return pl.Series(name, values, dtype=plain[only])
    return _texts(name, values)


def _decimals(name: str, values: list[Any]) -> pl.Series:
    """Whole numbers stay whole; all others become floats, as every later step reckons with them."""
    present = [value for value in values if value is not None]
    if not all(value.is_finite() for value in present):
        return pl.Series(name, [None if value is None else float(value) for value in values], dtype=pl.Float64)
    scale = max(max(-int(value.as_tuple().exponent), 0) for value in present)
    whole = max(len(value.as_tuple().digits) + max(int(value.as_tuple().exponent), 0) for value in present)
    if scale == 0 and whole <= 18:
        return pl.Series(name, [None if value is None else int(value) for value in values], dtype=pl.Int64)
    return pl.Series(name, [None if value is None else float(value) for value in values], dtype=pl.Float64)


def _datetimes(name: str, values: list[Any]) -> pl.Series:
    zoned = any(value is not None and value.tzinfo is not None for value in values)
    if not zoned:
        return pl.Series(name, values, dtype=pl.Datetime("us"))
    aware = [None if value is None else value.astimezone(dt.UTC) for value in values]
    return pl.Series(name, aware, dtype=pl.Datetime("us", "UTC"))


def _texts(name: str, values: list[Any]) -> pl.Series:
    return pl.Series(name, [None if value is None else _text(value) for value in values], dtype=pl.String)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, uuid.UUID | str | int | float | decimal.Decimal):
        return str(value)
    return str(value.isoformat()) if isinstance(value, dt.date | dt.time) else str(value)


def _joined(name: str, series: list[pl.Series], notes: list[Note]) -> pl.Series:
    kinds = {part.dtype for part in series} - {pl.Null}
    if not kinds:
        return pl.concat(series).cast(pl.String) if series else pl.Series(name, [], dtype=pl.String)
    if len(kinds) == 1:
        dtype = kinds.pop()
    elif kinds <= {pl.Int64, pl.Float64}:
        dtype = pl.Float64()
    else:
        dtype = pl.String()
        notes.append(Note(f"column {name!r} mixes types ({', '.join(sorted(map(str, kinds)))}), so it is text."))
    return pl.concat([part.cast(dtype) for part in series]).alias(name)


def first_words(error: BaseException) -> str:
    """What the database said, on one line. It may quote values of the table."""
    lines = str(getattr(error, "orig", None) or error).strip().splitlines() or [type(error).__name__]
    return quote(lines[0], longest=200)
