"""Files whose lines are not all in one encoding: parts of several origins, put one after the other.

Read as one encoding, such a file has no wrong byte anywhere: only its accents are wrong. Here they are found, and read
line by line where somebody asks for `encoding="mixed"`.
"""

from __future__ import annotations

import mmap
import re
from collections.abc import Iterator
from dataclasses import dataclass

from paravent.errors import Note

MIXED = "mixed"
"""Each line in the encoding that it is written in: UTF-8, else cp1252."""
SINGLE = ("cp1252", "latin-1")
"""Encodings in which every text of another one can be read, wrongly."""
_SURE = re.compile(
    rb"[\xc2\xc3][\x80-\xbf]|[\xc4\xc5][\x80-\x84\x86-\x91\x95\x98-\x9f\xa1-\xaa\xac-\xaf\xb1-\xb3\xb5-\xba\xbc-\xbf]"
    rb"|\xe1[\xb8-\xbb][\x80-\xbf]|\xe2[\x80-\x84][\x80-\xbf]|[\xf0-\xf4][\x80-\xbf]{3}"
    rb"|(?:[\xc4-\xdf][\x80-\xbf]){2,}|(?:[\xe0-\xef][\x80-\xbf]{2}){2,}"
)
"""Bytes that are UTF-8 on purpose: accents of Latin letters, quotation marks, and words of other letters. A letter with
an accent before a closing quote in cp1252 (`É»`) looks like one letter of UTF-8, too: by itself it proves nothing."""
_BEYOND = re.compile(rb"[\x80-\xff]")
_CP1252 = {byte: bytes([byte]).decode("cp1252", errors="ignore") or chr(byte) for byte in range(0x80, 0xA0)}
"""What latin-1 has as signs of control, as letters; the five that cp1252 leaves out stay as they are."""


@dataclass(frozen=True)
class Parts:
    """How many lines beyond ASCII are UTF-8, and how many are not; of each the number of the first, 0 for none."""

    fitting: int = 0
    first: int = 0
    others: int = 0
    other: int = 0


def parts_of(data: bytes | mmap.mmap) -> Parts:
    r"""
    >>> parts_of("a\nMüller\n".encode() + "Müller\nKrüger\n".encode("cp1252"))
    Parts(fitting=1, first=2, others=2, other=3)
    """
    fitting = first = others = other = 0
    for number, line in _lines_beyond_ascii(data):
        if _is_utf8(line):
            fitting, first = fitting + 1, first or number
        else:
            others, other = others + 1, other or number
    return Parts(fitting, first, others, other)


def is_suspicious(data: bytes | mmap.mmap) -> bool:
    """Whether a text that is read as one of `SINGLE` has UTF-8 in it: one quick look, before any line is counted."""
    return _SURE.search(data) is not None


def misread(path: object, data: bytes | mmap.mmap, encoding: str) -> Note | None:
    """What to say of lines in UTF-8 in a file that is read as one of `SINGLE`."""
    if not is_suspicious(data):
        return None
    found = parts_of(data)
    if not found.fitting:
        return None
    if not found.others:
        return Note(
            f"{path} is read as {encoding}, and its {found.fitting} lines with letters beyond ASCII (the first is line "
            f"{found.first}) are UTF-8: those letters come out wrong. Pass encoding='utf-8'."
        )
    both = found.fitting + found.others
    return Note(
        f"{path} mixes encodings: it is read as {encoding}, and {found.fitting} of {both} lines with letters "
        f"beyond ASCII (the first is line {found.first}) are UTF-8, whose letters come out wrong. Pass "
        f"encoding='{MIXED}' to read each line as it is written, or save the whole file as UTF-8."
    )


def as_utf8(data: bytes | mmap.mmap) -> bytes:
    r"""The text in UTF-8: lines that are stay as they are; in others, what is not UTF-8 on purpose is cp1252.

    >>> as_utf8("Müller\n".encode() + "Krüger; ".encode("cp1252") + "Łódź\n".encode()).decode()
    'Müller\nKrüger; Łódź\n'
    """
    raw, found, done = bytes(data), [], 0
    for begin, end in _spans(raw):
        line = raw[begin:end]
        if not _is_valid(line):
            found += [raw[done:begin], _of_both(line)]
            done = end
    return b"".join((*found, raw[done:]))


def _of_both(line: bytes) -> bytes:
    found, done = [], 0
    for sure in _SURE.finditer(line):
        found += [_letters(line[done : sure.start()]), sure[0]]
        done = sure.end()
    return b"".join((*found, _letters(line[done:])))


def _letters(single: bytes) -> bytes:
    return single.decode("latin-1").translate(_CP1252).encode()


def _is_utf8(line: bytes) -> bool:
    return _is_valid(line) and _SURE.search(line) is not None


def _is_valid(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def _lines_beyond_ascii(data: bytes | mmap.mmap) -> Iterator[tuple[int, bytes]]:
    """Each line that holds a byte beyond ASCII, with its number."""
    number, counted = 1, 0
    for begin, end in _spans(data):
        number += bytes(data[counted:begin]).count(b"\n")
        counted = begin
        yield number, bytes(data[begin:end])


def _spans(data: bytes | mmap.mmap) -> Iterator[tuple[int, int]]:
    place = 0
    while (found := _BEYOND.search(data, place)) is not None:
        begin = data.rfind(b"\n", place, found.start()) + 1 or place
        end = data.find(b"\n", found.start())
        place = len(data) if end < 0 else end
        yield begin, place
