"""The letters of a delimited file that readers pass over without a word: odd quotes, odd line ends, byte order marks.

A look at the bytes finds them, at a few seconds a gigabyte; only a file that has some is read letter by letter.
"""

from __future__ import annotations

import codecs
import mmap
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from paravent.errors import TableError
from paravent.table.scan import line_of

_CHUNK = 4 << 20
_CR, _LF = 13, 10
_END_NAMES = {"\r\n": r"\r\n", "\n": r"\n", "\r": r"\r"}


@dataclass(frozen=True)
class Quoting:
    """The first quote that is out of place: where it stands.

    `inside` stands in the midst of a cell that did not begin with one, `open_at` is never closed, and after `closed_at`
    more text follows in the same cell.
    """

    inside: int | None = None
    open_at: int | None = None
    closed_at: int | None = None

    @property
    def is_even(self) -> bool:
        return self.inside is None and self.open_at is None and self.closed_at is None


def quoting_of(data: bytes | mmap.mmap, delimiter: str, quote: str) -> Quoting:
    """Every quote in turn opens and closes, at the ends of cells only; a doubled one closes and opens again.

    >>> quoting_of(b"1;'a ''b'''", ";", "'").is_even, quoting_of(b"1;'a;2", ";", "'").open_at
    (True, 2)
    """
    if not quote or data.find(quote.encode()) < 0:
        return Quoting()
    mark, ends = ord(quote), np.zeros(256, dtype=bool)
    ends[[ord(delimiter), _CR, _LF, mark]] = True
    start = len(codecs.BOM_UTF8) if data[:3] == codecs.BOM_UTF8 else 0
    whole = np.frombuffer(data, dtype=np.uint8)
    seen, last = 0, -1
    for begin in range(start, len(data), _CHUNK):
        places = np.flatnonzero(whole[begin : begin + _CHUNK] == mark) + begin
        if not len(places):
            continue
        opening, closing = places[seen % 2 :: 2], places[1 - seen % 2 :: 2]
        odd_opening = _first(opening, ~(ends[whole[opening - 1]] | (opening == start)))
        odd_closing = _first(closing, ~ends[whole[np.minimum(closing + 1, len(data) - 1)]])
        if odd_opening is not None and (odd_closing is None or odd_opening < odd_closing):
            return Quoting(inside=odd_opening)
        if odd_closing is not None:
            before = opening[opening < odd_closing]
            opened = int(before[-1]) if len(before) else last
            return Quoting(open_at=opened) if b"\n" in data[opened:odd_closing] else Quoting(closed_at=odd_closing)
        seen, last = seen + len(places), int(places[-1])
    return Quoting(open_at=last) if seen % 2 else Quoting()


def _first(places: np.ndarray, odd: np.ndarray) -> int | None:
    found = int(np.argmax(odd)) if len(odd) else 0
    return int(places[found]) if len(odd) and odd[found] else None


def has_inner_mark(data: bytes | mmap.mmap) -> bool:
    """Whether a byte order mark stands inside of the text, where it is a letter that nobody sees."""
    return data.find(codecs.BOM_UTF8, 1) >= 0


def check_line_ends(path: Path, data: bytes | mmap.mmap, quote: str) -> None:
    """Refuse a file whose lines end in several ways: its last column would tell rows apart that look the same."""
    if data.find(b"\r") < 0:
        return
    first: dict[str, int] = {}
    seen, before = 0, 0
    for begin in range(0, len(data), _CHUNK):
        end = min(begin + _CHUNK, len(data))
        letters = np.frombuffer(data, dtype=np.uint8, count=end - begin, offset=begin)
        outside = np.ones(len(letters), dtype=bool)
        if quote:
            counted = np.cumsum(letters == ord(quote), dtype=np.int64) + seen
            outside, seen = counted % 2 == 0, int(counted[-1])
        after_return = np.concatenate(([before], letters[:-1])) == _CR
        before_feed = np.concatenate((letters[1:], [data[end] if end < len(data) else 0])) == _LF
        feeds = (letters == _LF) & outside
        kinds = {
            "\r\n": feeds & after_return,
            "\n": feeds & ~after_return,
            "\r": (letters == _CR) & outside & ~before_feed,
        }
        for kind, where in kinds.items():
            if kind not in first and where.any():
                first[kind] = begin + int(np.argmax(where))
        before = int(letters[-1])
    if len(first) > 1:
        (usual, _), *_, (odd, place) = sorted(first.items(), key=lambda found: found[1])
        raise TableError(_two_ends(path, line_of(data, place), odd, usual))


def _two_ends(path: Path, line: int, odd: str, usual: str) -> str:
    return (
        f"{path}, line {line}: a {_END_NAMES[odd]} where the lines before end with {_END_NAMES[usual]}, which tells "
        "rows apart. End all lines alike."
    )


def exact_cells(
    path: Path, data: bytes | mmap.mmap, delimiter: str, quote: str, width: int, *, header: bool
) -> pl.DataFrame:
    """All cells of all lines, letter by letter: what stands in quotes is a text, however short; what is empty without
    them is missing. The header and blank lines before it are left out."""
    columns: list[list[str | None]] = [[] for _ in range(width)]
    passed = not header
    for number, record in enumerate(_records(path, data, delimiter, quote, width), start=1):
        if len(record) != width:
            raise TableError(
                f"{path}, record {number}: {len(record)} fields where the first line has {width}. Mend the row."
            )
        if not passed:
            passed = record != [None]
            continue
        for column, cell in zip(columns, record, strict=True):
            column.append(cell)
    return pl.DataFrame([pl.Series(f"{i}", cells, dtype=pl.String) for i, cells in enumerate(columns)])


def _records(path: Path, data: bytes | mmap.mmap, delimiter: str, quote: str, width: int) -> Iterator[list[str | None]]:
    text = bytes(data).decode("utf-8-sig")
    cut, mark = re.escape(delimiter), re.escape(quote or "\0")
    cell = re.compile(rf"(?:{mark}((?:[^{mark}]|{mark}{mark})*){mark}|([^{cut}\r\n]*))({cut}|\r\n|\n|\r|\Z)")
    place, ending = 0, ""
    record: list[str | None] = []
    while place < len(text):
        found = cell.match(text, place)
        if found is None or (quote and found[1] is None and found[2].startswith(quote)):
            raise TableError(
                f"{path}, line {text.count(chr(_LF), 0, place) + 1}: text follows a closing quote, or a quote is never "
                "closed. Double the quotes inside of values, or pass quote='' to take quotes as plain characters."
            )
        record.append(found[2] or None if found[1] is None else found[1].replace(quote * 2, quote))
        place = found.end()
        if found[3] == delimiter:
            if place == len(text):
                record.append(None)
            continue
        if found[3] and ending and found[3] != ending:
            raise TableError(_two_ends(path, text.count("\n", 0, found.start(3)) + 1, found[3], ending))
        ending = found[3] or ending
        if record != [None] or width == 1:  # a blank line is no row of several cells
            yield record
        record = []
    if record:
        yield record
