"""A second look at a delimited file, record by record, to say what is wrong and where. Only taken when something is."""

from __future__ import annotations

import codecs
import csv
import io
import mmap
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from paravent.table.cells import LONGEST_CELL
from paravent.table.sniff import csv_reader

_CHUNK = 16 << 20


@dataclass
class Scan:
    """What was seen: the widths of records that differ, blank lines, quotes left open, and maybe a plain copy."""

    blank: list[int] = field(default_factory=list)
    blank_line: int = 0
    open_quote: int | None = None
    stray_quote: int | None = None
    runs: list[tuple[int, int, int]] = field(default_factory=list)
    _copy: io.StringIO | None = None
    _copy_start: int = 0

    def ragged(self, width: int) -> Iterator[tuple[int, int, int]]:
        """(record, line, number of fields) of records with another width, the first of each run."""
        return (run for run in self.runs if run[2] != width)

    def copied(self, *, skip_first: bool) -> bytes:
        text = self._copy.getvalue() if self._copy is not None else ""
        return (text[self._copy_start :] if skip_first else text).encode()


def scan(data: bytes | mmap.mmap, delimiter: str, quote: str, *, skip_blank: bool = False, copy: bool = False) -> Scan:
    """Read every record with Python's reader, which follows RFC 4180 to the letter."""
    found = Scan(_copy=io.StringIO() if copy else None)
    writer = csv.writer(found._copy, lineterminator="\n") if found._copy is not None else None
    lines = csv_reader(_lines(data), delimiter, quote, strict=True, skip_blank=skip_blank)
    limit = csv.field_size_limit(LONGEST_CELL)
    begin, row, width = 1, 0, -1
    try:
        while True:
            begin = lines.line_num + 1
            record = next(lines, None)
            if record is None:
                return found
            if not record and row == 0:
                continue
            if not record:
                found.blank.append(row)
                found.blank_line = found.blank_line or begin
            elif len(record) != width:
                width = len(record)
                found.runs.append((row, begin, width))
            if writer is not None and record:
                writer.writerow(record)
                if row == 0:
                    found._copy_start = found._copy.tell()  # type: ignore[union-attr]
            row += 1
    except csv.Error as error:
        if "end of data" in str(error) or "limit" in str(error):
            found.open_quote = begin
        else:
            found.stray_quote = lines.line_num
        return found
    finally:
        csv.field_size_limit(limit)


class _Window(io.RawIOBase):
    """A stream over bytes that stay where they are."""

    def __init__(self, data: bytes | mmap.mmap) -> None:
        self._data, self._place = data, 0

    def readable(self) -> bool:
        return True

    def readinto(self, into: Any) -> int:
        part = self._data[self._place : self._place + len(into)]
        into[: len(part)] = part
        self._place += len(part)
        return len(part)


def _lines(data: bytes | mmap.mmap) -> io.TextIOWrapper:
    stream = io.BufferedReader(_Window(data), 1 << 20)
    return io.TextIOWrapper(stream, encoding="utf-8-sig", errors="replace", newline="")


def first_bad_byte(data: bytes | mmap.mmap) -> int | None:
    """Where the bytes stop being UTF-8."""
    decoder, done = codecs.getincrementaldecoder("utf-8")(), 0
    for begin in range(0, len(data), _CHUNK):
        chunk = bytes(data[begin : begin + _CHUNK])
        held = len(decoder.getstate()[0])
        try:
            decoder.decode(chunk, final=begin + _CHUNK >= len(data))
        except UnicodeDecodeError as error:
            return done - held + error.start
        done += len(chunk)
    return None


def line_of(data: bytes | mmap.mmap, place: int) -> int:
    return bytes(data[:place]).count(b"\n") + 1


def count_delimiters(data: bytes | mmap.mmap, delimiter: str, quote: str) -> int:
    """The delimiters outside of quotes. A doubled quote opens and closes again, so counting quotes is enough."""
    total, inside = 0, 0
    for begin in range(0, len(data), _CHUNK):
        chunk = np.frombuffer(data, dtype=np.uint8, count=min(_CHUNK, len(data) - begin), offset=begin)
        cuts = chunk == ord(delimiter)
        quotes = chunk == ord(quote) if quote else np.zeros(0, dtype=bool)
        if quote and (inside or quotes.any()):
            depth = (np.cumsum(quotes, dtype=np.uint32) + inside) & 1
            cuts &= depth == 0
            inside = int(depth[-1])
        total += int(np.count_nonzero(cuts))
    return total
