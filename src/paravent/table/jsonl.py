"""JSON lines: one object a line, its keys the columns."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from paravent.errors import TableError
from paravent.table.fingerprint import FileStamp
from paravent.table.raw import Raw, reading


def read_json_lines(path: Path, format_choice: str, *, exact: bool = False) -> Raw:
    stamp = FileStamp.of(path)
    with reading(str(path)):
        with path.open("rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
        data = (gzip.decompress(path.read_bytes()) if packed else path.read_bytes()).removeprefix(b"\xef\xbb\xbf")
    if not data.strip():
        raise TableError(f"{path} is empty. A table needs at least one line with a JSON object.")
    frame = None
    with contextlib.suppress(pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError):
        # Every line helps to find the types: a column of numbers may hold its first word on the last line.
        frame = pl.read_ndjson(data, infer_schema_length=None)
    if frame is None:
        _refuse_bad_line(path, data)
        with reading(str(path)):
            frame = pl.read_ndjson(data, infer_schema_length=None)
    cells = _exact(path, data, frame.columns) if exact else None
    return Raw(frame, str(path), {"format": format_choice}, source=stamp, dates=True, exact=cells)


@dataclass(frozen=True)
class _Literal:
    """A number, true or false, letter by letter."""

    text: str


def _exact(path: Path, data: bytes, names: Sequence[str]) -> pl.DataFrame:
    """Every cell as it stands; where a column mixes texts with anything else, the texts stand in quotes."""
    decoder = json.JSONDecoder(
        object_pairs_hook=list, parse_int=_Literal, parse_float=_Literal, parse_constant=_no_constant
    )
    columns: dict[str, list[Any]] = {name: [] for name in names}
    for number, line in enumerate(io.BytesIO(data), start=1):
        if not line.strip():
            continue
        try:
            pairs = decoder.decode(line.decode())
            cells = dict(pairs)
        except (ValueError, RecursionError):
            raise TableError(f"{path}, line {number}: not valid JSON in UTF-8. Correct it.") from None
        if len(cells) < len(pairs):
            raise TableError(f"{path}, line {number}: a key appears twice. Leave one of them.")
        for name in names:
            if name not in cells:
                raise TableError(
                    f"{path}, line {number}: there is no {name!r}, as in other lines, which tells this row from one "
                    "with null. Write null."
                )
            columns[name].append(cells[name])
    return pl.DataFrame([_texts(name, values) for name, values in columns.items()])


def _texts(name: str, values: list[Any]) -> pl.Series:
    kinds = {type(value) for value in values} - {type(None)}
    return pl.Series(name, [_text(value, quoted=kinds != {str}) for value in values], dtype=pl.String)


def _text(value: Any, *, quoted: bool) -> str | None:
    if isinstance(value, str):
        return json.dumps(value) if quoted else value
    if isinstance(value, _Literal):
        return value.text
    return None if value is None else json.dumps(value)


def _refuse_bad_line(path: Path, data: bytes) -> None:
    for number, line in enumerate(io.BytesIO(data), start=1):
        if not line.strip():
            continue
        try:
            found = json.loads(line, parse_constant=_no_constant)
        except (ValueError, RecursionError):
            raise TableError(
                f'{path}, line {number}: not valid JSON. Every line must hold one object, such as {{"age": 34}}.'
            ) from None
        if not isinstance(found, dict):
            raise TableError(
                f'{path}, line {number}: a {type(found).__name__} where an object such as {{"age": 34}} must stand.'
            )
        nested = next((key for key, value in found.items() if isinstance(value, dict | list)), None)
        if nested is not None:
            raise TableError(
                f"{path}, line {number}: column {nested!r} holds lists or objects. Flatten them to plain values first."
            )


def _no_constant(name: str) -> None:
    raise ValueError(name)
