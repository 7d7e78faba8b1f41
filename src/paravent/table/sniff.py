"""What a delimited file looks like: encoding, delimiter, header, decimal comma, blanks. Every guess has a reason."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from paravent.table.cells import date_format
from paravent.table.short import MARKERS

SAMPLE_BYTES = 256 << 10
DELIMITERS = {"\t": "tab", ";": "semicolon", "|": "bar", ",": "comma"}
SEPARATORS = {**DELIMITERS, ":": "colon", "^": "caret", "~": "tilde", "\x1f": "unit separator", " ": "blank"}
"""Signs that are used between columns. Those that are not delimiters too often stand in values to be sniffed."""
_NUMBER = re.compile(r"[+-]?(?:\d+[.,]?\d*|[.,]\d+)(?:[eE][+-]?\d+)?")
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True)
class Guess:
    value: str
    reason: str

    def __str__(self) -> str:
        return f"{self.value} ({self.reason})"


def name_of(delimiter: str) -> str:
    return SEPARATORS.get(delimiter, repr(delimiter))


def sniff_encoding(head: bytes) -> Guess:
    """The encoding of a text by its first bytes.

    >>> str(sniff_encoding("Müller".encode("cp1252")))
    'cp1252 (byte 1 is not UTF-8)'
    """
    for bom, encoding in _BOMS:
        if head.startswith(bom):
            return Guess(encoding, "byte order mark")
    if len(head) >= 4:
        even, odd = head[0::2].count(0) / len(head[0::2]), head[1::2].count(0) / len(head[1::2])
        if odd > 0.4 and even < 0.1:
            return Guess("utf-16-le", "every other byte is zero")
        if even > 0.4 and odd < 0.1:
            return Guess("utf-16-be", "every other byte is zero")
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError as error:
        if not head[: error.start].isascii():
            return Guess("utf-8", "its first letters beyond ASCII are UTF-8")
        return legacy_encoding(head, f"byte {error.start} is not UTF-8")
    return Guess("utf-8", "its bytes are ASCII" if head.isascii() else "its bytes are valid UTF-8")


def legacy_encoding(data: bytes, reason: str) -> Guess:
    """cp1252 leaves five bytes undefined; where one of them occurs, only latin-1 can be meant."""
    undefined = any(byte in data for byte in (0x81, 0x8D, 0x8F, 0x90, 0x9D))
    return Guess("latin-1" if undefined else "cp1252", reason)


def csv_reader(
    lines: Iterable[str], delimiter: str, quote: str, *, strict: bool = False, skip_blank: bool = False
) -> Any:
    """Python's reader of records; an empty `quote` takes quotes for plain characters."""
    if not quote:
        return csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE, skipinitialspace=skip_blank)
    return csv.reader(lines, delimiter=delimiter, quotechar=quote, strict=strict, skipinitialspace=skip_blank)


def records_of(text: str, delimiter: str, quote: str, *, whole: bool, skip_blank: bool = False) -> list[list[str]]:
    """The records of a sample; without its last one, which may be cut, unless the sample is the whole text."""
    found: list[list[str]] = []
    try:
        found.extend(csv_reader(io.StringIO(text, newline=""), delimiter, quote, skip_blank=skip_blank))
    except csv.Error:
        return found[:1000]
    if not whole and len(found) > 1:
        found.pop()
    return [record for record in found if record]


def sniff_delimiter(text: str, quote: str, *, whole: bool, suffix: str) -> Guess:
    """The sign that cuts the records most evenly. At a tie, the one that is rarest inside of values.

    >>> str(sniff_delimiter("a;b\\n1,5;2\\n2,5;3\\n", '"', whole=True, suffix=".csv"))
    '; (all 3 sampled lines have 2 fields)'
    """
    best, best_rank = Guess(",", "no delimiter found: one column"), (0.5, 0)
    for delimiter in DELIMITERS:
        if delimiter not in text:
            continue
        records = records_of(text, delimiter, quote, whole=whole)
        if not records:
            continue
        n_fields, n_even = Counter(map(len, records)).most_common(1)[0]
        n_header = len(records[0])
        # Lines may be ragged at the front or the back, but the header shows the intended width.
        if n_fields < 2 and n_header < 2:
            continue
        share = n_even / len(records) if n_fields > 1 else 0.51
        rank = (round(share, 2), 1 if suffix == ".tsv" and delimiter == "\t" else 0)
        if rank > best_rank:
            amount = f"all {len(records)}" if n_even == len(records) else f"{n_even} of {len(records)}"
            best, best_rank = Guess(delimiter, f"{amount} sampled lines have {n_fields} fields"), rank
    return best


def sniff_header(records: Sequence[Sequence[str]]) -> tuple[bool, str]:
    """Whether the first record names the columns.

    >>> sniff_header([["age", "sex"], ["34", "m"], ["51", "f"]])
    (True, "its first line has words where column 'age' has numbers or dates")
    >>> sniff_header([["6", "148"], ["1", "85"]])[0]
    False
    """
    if not records:
        return True, "there is nothing"
    first, rest = [cell.strip() for cell in records[0]], records[1:500]
    if not rest:
        words = not any(_is_typed(cell) for cell in first)
        return words, "its only line holds words" if words else "its only line holds numbers"
    typed_columns = 0
    for place, name in enumerate(first):
        cells = [record[place].strip() for record in rest if place < len(record)]
        cells = [cell for cell in cells if cell and cell not in MARKERS]
        if cells and sum(map(_is_typed, cells)) > 0.9 * len(cells):
            typed_columns += 1
            if name and not _is_typed(name) and name not in MARKERS:
                return True, f"its first line has words where column {name!r} has numbers or dates"
    if typed_columns:
        if any(_is_typed(name) for name in first):
            return False, "its first line has numbers or dates where all lines do"
        return True, "its first line has no numbers"
    for place, name in enumerate(first):
        if name and any(place < len(record) and record[place].strip() == name for record in rest):
            return False, f"its first line's value in column {place + 1} comes again further down"
    return True, "no value of its first line comes again"


def _is_typed(cell: str) -> bool:
    return _NUMBER.fullmatch(cell) is not None or date_format([cell]) is not None


def sniff_decimal(rows: Sequence[Sequence[str]], delimiter: str) -> Guess:
    """Comma or point. `1,234` alone proves nothing: it may be a thousand."""
    commas = points = 0
    example = ""
    for row in rows:
        for cell in row:
            text = cell.strip()
            if re.fullmatch(r"[+-]?\d+,\d+", text):
                if not re.fullmatch(r"[+-]?[1-9]\d{0,2},\d{3}", text):
                    commas, example = commas + 1, example or text
            elif re.fullmatch(r"[+-]?\d+\.\d+", text):
                points += 1
    if commas and delimiter != "," and commas > points:
        return Guess(",", f"{commas} sampled numbers are written with a comma, {points} with a point")
    return Guess(".", f"{points} sampled numbers have a point" if points else "no sampled number has a comma")


def blank_after_delimiter(records: Sequence[Sequence[str]]) -> bool:
    """Whether every sampled field but the first of its line begins with a blank (`39, State-gov, 77516`)."""
    fields = [cell for record in records for cell in record[1:]]
    return len(fields) > 0 and all(cell[:1] == " " for cell in fields)
