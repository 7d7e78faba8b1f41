"""Rows of Python values, as database drivers give them, become typed columns."""

from __future__ import annotations

import datetime as dt
import decimal
import json
import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from paravent.errors import Note, TableError, quote

_AT_ONCE = 50_000
_WHOLE = 1 << 53
"""Whole numbers beyond it have no float of their own."""


@dataclass(frozen=True)
class Fetched:
    """Typed columns, what was noticed, and (where asked for) every cell as the database holds it."""

    frame: pl.DataFrame
    notes: tuple[Note, ...]
    exact: pl.DataFrame | None = None


class Undecodable(bytes):
    """A text that is not in the encoding of its database."""


def frame_of(
    names: Sequence[str], fetched: Iterable[Sequence[Sequence[Any]]], what: str, *, exact: bool = False
) -> Fetched:
    """A frame from batches of rows. Values of a column may differ in type between rows; then the column is text."""
    parts: list[list[pl.Series]] = [[] for _ in names]
    whole: list[list[Any]] = [[] for _ in names]
    done = 0
    for batch in fetched:
        for place, values in enumerate(zip(*batch, strict=True)):
            parts[place].append(column_of(names[place], list(values), done, what))
            if exact:
                whole[place].extend(values)
        done += len(batch)
    notes: list[Note] = []
    columns = [joined(name, series, notes) for name, series in zip(names, parts, strict=True)]
    cells = [exact_texts(name, values, what) for name, values in zip(names, whole, strict=True)] if exact else None
    return Fetched(pl.DataFrame(columns), tuple(notes), None if cells is None else pl.DataFrame(cells))


def exact_texts(name: str, values: Sequence[Any], what: str) -> pl.Series:
    """Every value as its own text: numbers digit by digit, and texts in quotes where a number could be taken for one.

    >>> from decimal import Decimal
    >>> exact_texts("a", [1, "1", 1.0, Decimal("1.00"), None], "a query").to_list()
    ['1', '"1"', '1.0', 'Decimal 1.00', None]
    """
    kinds = {type(value) for value in values} - {type(None)}
    if dt.timedelta in kinds:
        raise TableError(
            f"{what}: column {name!r} holds intervals of time, of which several can look the same here. "
            "Turn them into text in the query."
        )
    mixed = len(kinds) > 1
    return pl.Series(name, [None if value is None else _exact(value, mixed) for value in values], dtype=pl.String)


def _exact(value: Any, mixed: bool) -> str:
    text = _text(value)
    if not mixed or isinstance(value, int | float):
        return text
    return json.dumps(text) if isinstance(value, str) else f"{type(value).__name__} {text}"


def batches(cursor: Any) -> Iterator[Sequence[Sequence[Any]]]:
    while rows := cursor.fetchmany(_AT_ONCE):
        yield rows


def column_of(name: str, values: list[Any], done: int = 0, what: str = "the query") -> pl.Series:
    """Values of one column, typed by what they are; `done` rows came before them."""
    kinds = {type(value) for value in values} - {type(None)}
    if not kinds:
        return pl.Series(name, values, dtype=pl.Null)
    if Undecodable in kinds:
        row = next(i for i, value in enumerate(values) if isinstance(value, Undecodable)) + done + 1
        raise TableError(
            f"{what}: column {name!r}, row {row} holds text that is not UTF-8. Correct it, or leave the column out of "
            "the query."
        )
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
        if any(type(value) is int and abs(value) > _WHOLE for value in values):
            return _texts(name, values)
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
    if any(float(value) != value and abs(value) > _WHOLE for value in present):
        return _texts(name, values)
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


def joined(name: str, series: Sequence[pl.Series], notes: list[Note]) -> pl.Series:
    """The parts of a column in one type; what that is gets a note where they had several."""
    kinds = {part.dtype for part in series} - {pl.Null}
    if not kinds:
        return pl.concat(series).cast(pl.String) if series else pl.Series(name, [], dtype=pl.String)
    if len(kinds) == 1:
        dtype = kinds.pop()
    elif kinds <= {pl.Int64, pl.Float64} and not any(_is_wide(part) for part in series):
        dtype = pl.Float64()
    else:
        dtype = pl.String()
        notes.append(Note(f"column {name!r} mixes types ({', '.join(sorted(map(str, kinds)))}), so it is text."))
    return pl.concat([part.cast(dtype) for part in series]).alias(name)


def _is_wide(part: pl.Series) -> bool:
    return part.dtype == pl.Int64 and bool((part.abs() > _WHOLE).any())


def first_words(error: BaseException) -> str:
    """What the database said, on one line. It may quote values of the table."""
    lines = str(getattr(error, "orig", None) or error).strip().splitlines() or [type(error).__name__]
    return quote(lines[0], longest=200)
