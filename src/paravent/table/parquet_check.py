"""Are the sizes that a Parquet file states possible? Asked before polars reads it.

Polars believes them: where a damaged page claims a negative number of values, it asks for exabytes of memory and ends
the process. So every header is looked at first; the pages themselves are not unpacked.
"""

from __future__ import annotations

from typing import Any, BinaryIO, Final

from paravent.table.memory import check_room
from paravent.table.thrift import Struct, read_struct

_TAIL: Final = 8  # the length of the footer and "PAR1"
_HEADER: Final = 512
"""How much is read for the header of a page. It holds the least and greatest value, so it may be longer."""

_PAGE_KINDS: Final = (5, 7, 8)
"""Where the header of a page has what is said of a data page, of a dictionary and of a data page of version 2."""


def check_parquet(file: BinaryIO) -> None:
    """Raise ValueError where a size is impossible, MemoryError where the rows cannot be held."""
    size = file.seek(0, 2)
    footer = _footer(file, size)
    groups = footer.get(4, [])
    cells = 0
    for group in groups:
        rows = _count(group.get(3), "a row group", "rows")
        columns = group.get(1, [])
        cells += rows * len(columns)
        for column in columns:
            if 3 not in column:
                raise ValueError("it keeps its columns in other files")
            _check_column(file, size, column[3])
    check_room(cells)  # a cell takes a byte at least


def _footer(file: BinaryIO, size: int) -> Struct:
    tail = _read(file, max(size - _TAIL, 0), _TAIL)
    if len(tail) < _TAIL or tail[4:] != b"PAR1":
        raise ValueError("it does not end as a Parquet file does")
    length = int.from_bytes(tail[:4], "little")
    if length > size - _TAIL:
        raise ValueError(f"its footer claims {length} bytes, the file has {size}")
    try:
        return read_struct(_read(file, size - _TAIL - length, length))[0]
    except IndexError:
        raise ValueError("its footer ends early") from None


def _check_column(file: BinaryIO, size: int, column: Struct) -> None:
    name = b".".join(column.get(3, [])).decode(errors="replace")
    what = f"column {name!r}"
    values = _count(column.get(5), what, "values")
    length = _count(column.get(7), what, "bytes")
    start = _count(column.get(11) or column.get(9), what, "bytes before it")
    if start + length > size:
        raise ValueError(f"{what} claims to end at byte {start + length}, the file has {size}")
    at, end = start, start + length
    while at < end:
        header, body = _page(file, at, end)
        _check_page(header, what, values)
        at = body + _count(header.get(3), f"a page of {what}", "bytes")


def _page(file: BinaryIO, at: int, end: int) -> tuple[Struct, int]:
    """The header of the page at a place, and where its body begins."""
    length = _HEADER
    while True:
        try:
            header, used = read_struct(_read(file, at, min(length, end - at)))
        except IndexError:
            if length >= end - at:
                raise ValueError("the header of a page ends early") from None
            length *= 8
        else:
            return header, at + used


def _check_page(header: Struct, what: str, values: int) -> None:
    what = f"a page of {what}"
    _count(header.get(2), what, "bytes")
    for kind in _PAGE_KINDS:
        if (page := header.get(kind)) is None:
            continue
        held = _count(page.get(1), what, "values")
        if kind != 7 and held > values:
            raise ValueError(f"{what} claims {held} values, the column has {values}")
        if kind == 8:
            for field, of_what in ((2, "missing values"), (3, "rows"), (5, "bytes of levels"), (6, "bytes of levels")):
                _count(page.get(field), what, of_what)


def _count(found: Any, what: str, of_what: str) -> int:
    if not isinstance(found, int):
        raise ValueError(f"{what} does not say how many {of_what} it has")
    if found < 0:
        raise ValueError(f"{what} claims {found} {of_what}")
    return found


def _read(file: BinaryIO, at: int, length: int) -> bytes:
    file.seek(at)
    return file.read(length)
