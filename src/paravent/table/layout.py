"""How the cells lie in a delimited file: sniffed where the user is silent, as the user says where not."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from paravent.errors import TableError, quote
from paravent.table import sniff
from paravent.table.dialect import one_sign
from paravent.table.names import Header, check_names, remedy, repaired
from paravent.table.sniff import Guess

_MOST_COLUMNS = 20_000


@dataclass(frozen=True)
class Layout:
    """How the cells lie in the file."""

    delimiter: str
    quote: str
    names: tuple[str, ...]
    skip_lines: int
    eol: str = "\n"
    blank_before_quote: bool = False


@dataclass(frozen=True)
class LayoutOptions:
    """What the user says about a delimited file; None is left to the sniffer."""

    delimiter: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    header: Header = None
    quote: str | None = None


def layout_of(
    path: Path,
    text: str,
    whole: bool,
    options: LayoutOptions,
    choices: dict[str, str],
) -> tuple[Layout, Guess, list[list[str]]]:
    """The layout, the decimal sign and the sampled rows; every choice is written down in `choices`."""
    cut = _forced_sign(options.delimiter, "delimiter")
    sign = '"' if options.quote is None else options.quote
    _forced_sign(sign or None, "quote")
    if options.decimal not in (None, ".", ","):
        raise TableError(f"decimal={options.decimal!r} is not a decimal sign. Use '.' or ','.")
    suffix = path.with_suffix("").suffix.lower() if path.suffix.lower() == ".gz" else path.suffix.lower()
    guess = sniff.sniff_delimiter(text, sign, whole=whole, suffix=suffix) if cut is None else Guess(cut, "as you said")
    choices["delimiter"] = f"{sniff.name_of(guess.value)} ({guess.reason})"
    records = sniff.records_of(text, guess.value, sign, whole=whole)
    skipped = sniff.records_of(text, guess.value, sign, whole=whole, skip_blank=True)
    # `1, "a, b"` only makes sense if the blank is passed over: then the lines are even. The blank in `"{x, ""a, b""}"`
    # is inside a cell.
    opens = bool(sign) and f"{guess.value} {sign}" in text
    opens = opens and any(cell.startswith(f" {sign}") for record in records for cell in record)
    odd = opens and len(set(map(len, skipped))) == 1
    records = skipped if odd else records
    if not records:
        raise TableError(f"{path}: its first line cannot be split into fields. Look for a quote that is never closed.")
    if len(records[0]) > _MOST_COLUMNS:
        raise TableError(
            f"{path} has {len(records[0])} columns, the most is {_MOST_COLUMNS}. Is delimiter={guess.value!r} right?"
        )
    names, has_header, why = _header(path, records, options.header)
    if len(names) == 1 and has_header and names == tuple(records[0]) and not (sign and text.lstrip().startswith(sign)):
        _refuse_hidden_columns(path, names[0], [record[0] for record in records[1:] if len(record) == 1])
    choices["header"] = f"{'yes' if has_header else 'no'} ({why})"
    rows = records[1:] if has_header else records
    number = (
        sniff.sniff_decimal(rows, guess.value) if options.decimal is None else Guess(options.decimal, "as you said")
    )
    choices["decimal"] = f"{'comma' if number.value == ',' else 'point'} ({number.reason})"
    if sniff.blank_after_delimiter(rows):
        names = tuple(name.strip() for name in names)
    if options.header == "repair":
        names = repaired(names)
    check_names(names, str(path), remedy("first line"))
    eol = "\r" if "\r" in text and "\n" not in text else "\n"
    skip = _lines_before_data(text, guess.value, sign) if has_header else 0
    return Layout(guess.value, sign, names, skip, eol, odd), number, rows


def _refuse_hidden_columns(path: Path, name: str, cells: Sequence[str]) -> None:
    """Refuse a column whose name holds separators: they are those of columns, cut by another sign."""
    for sign in sniff.SEPARATORS:
        held = name.strip(sign).count(sign)
        even = held > 0 and len(cells) > 0 and all(cell.count(sign) == held for cell in cells)
        if even or (held > 1 and sign in sniff.DELIMITERS):
            times = "once" if held == 1 else f"{held} times"
            raise TableError(
                f"{path}: its only column is called {quote(name)}, which holds {sniff.name_of(sign)} {times}. "
                f"Pass delimiter={sign!r} if that separates columns, or put the name in quotes if it is one."
            )


def _forced_sign(sign: str | None, name: str) -> str | None:
    if sign is None:
        return None
    return one_sign(sign, name, never="\r\n\0")


def _header(path: Path, records: list[list[str]], header: Header) -> tuple[tuple[str, ...], bool, str]:
    width = max(map(len, records[:1]))
    if header == "repair":
        return tuple(records[0]), True, "names that are missing or not unique have their place added, as you said"
    if isinstance(header, str):
        raise TableError(f"header={header!r} is neither yes nor no, 'repair', nor a list of column names.")
    if header is not None and not isinstance(header, bool):
        names = tuple(map(str, header))
        if len(names) != width:
            raise TableError(f"header= names {len(names)} columns, but {path} has {width}. Name them all.")
        found, why = sniff.sniff_header(records)
        return names, found, f"its names are replaced as you said; {why}"
    found, why = sniff.sniff_header(records) if header is None else (header, "as you said")
    if not found:
        return tuple(f"column_{i + 1}" for i in range(width)), False, why
    return tuple(records[0]), True, why


def _lines_before_data(text: str, delimiter: str, sign: str) -> int:
    lines = sniff.csv_reader(io.StringIO(text, newline=""), delimiter, sign)
    for record in lines:
        if record:
            break
    return int(lines.line_num)
