"""From text cells to typed columns. A column changes its type only if every value does and nothing is lost by it.

So `01234` stays text (a code), `?` and `NA` stay values (only an empty field is missing), `1,234` stays text. Whatever
was held back is told in a note, with the argument that says otherwise.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import polars as pl

from paravent.errors import Note, TableError, quote
from paravent.table.convert import parse_dates
from paravent.table.infer import sample
from paravent.table.marked import Marked, missing_as
from paravent.table.short import MARKERS, SHORT, parse_short

LONGEST_CELL = 16 << 20
_INTEGER = re.compile(r"[+-]?\d+")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_COMMA = re.compile(r"[+-]?\d+,\d+(?:[eE][+-]?\d+)?")
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:([,.' \u00a0\u202f])\d{3})(?:\1\d{3})*(?:[.,]\d+)?")


@dataclass(frozen=True)
class DateForm:
    """A way to write dates. `unsure` says what else it might be."""

    pattern: str
    unsure: str = ""


@dataclass(frozen=True)
class Parsed:
    values: pl.Series
    reason: str = ""
    notes: tuple[Note, ...] = ()
    marked: tuple[Marked, ...] = ()


_FORMS: tuple[tuple[str, str], ...] = (
    (r"\d{4}-\d{1,2}-\d{1,2}", "%Y-%m-%d"),
    (r"\d{4}/\d{1,2}/\d{1,2}", "%Y/%m/%d"),
    (r"\d{4}\.\d{1,2}\.\d{1,2}", "%Y.%m.%d"),
    (r"\d{4}-\d\d-\d\d \d\d:\d\d", "%Y-%m-%d %H:%M"),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d", "%Y-%m-%dT%H:%M"),
    (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?", "%Y-%m-%d %H:%M:%S%.f"),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?", "%Y-%m-%dT%H:%M:%S%.f"),
    (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)", "%Y-%m-%d %H:%M:%S%.f%#z"),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)", "%Y-%m-%dT%H:%M:%S%.f%#z"),
    (r"\d{1,2}\.\d{1,2}\.\d{4}", "%d.%m.%Y"),
    (r"\d\d:\d\d", "%H:%M"),
    (r"\d\d:\d\d:\d\d(?:\.\d+)?", "%H:%M:%S%.f"),
)
_ISO_FORMS = tuple((re.compile(shape), form) for shape, form in _FORMS)
_DAY_MONTH = re.compile(r"(\d{1,2})([/-])(\d{1,2})\2\d{4}")


def date_format(values: Collection[str]) -> DateForm | None:
    """The format that all these texts share.

    >>> date_format(["03/04/2001", "25/12/1999"]).pattern
    '%d/%m/%Y'
    >>> date_format(["03/04/2001"]).unsure
    'month/day/year fits as well'
    """
    if not values:
        return None
    for shape, form in _ISO_FORMS:
        if all(shape.fullmatch(value) for value in values):
            return DateForm(form)
    found = [_DAY_MONTH.fullmatch(value) for value in values]
    parts = [(int(match[1]), match[2], int(match[3])) for match in found if match is not None]
    signs = {sign for _, sign, _ in parts}
    if len(parts) < len(found) or len(signs) != 1:
        return None
    sign = signs.pop()
    day_first = f"%d{sign}%m{sign}%Y"
    if all(second <= 12 for _, _, second in parts):
        sure = any(first > 12 for first, _, _ in parts)
        return DateForm(day_first, "" if sure else f"month{sign}day{sign}year fits as well")
    return DateForm(f"%m{sign}%d{sign}%Y") if all(first <= 12 for first, _, _ in parts) else None


def parse_columns(columns: Collection[pl.Series], decimal: str = ".", numbers: bool = True) -> list[Parsed]:
    """Text columns with the types their values have. Columns are independent: one thread each."""

    def work(values: pl.Series) -> Parsed:
        plain = parse_short(values, decimal, numbers) if len(values) <= SHORT else None
        if plain is None:
            return _parse(values, decimal, numbers)
        return _held_back(plain) if plain.dtype == pl.String else Parsed(plain)

    if all(len(values) <= SHORT for values in columns):
        return list(map(work, columns))
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        return list(threads.map(work, columns))


def _parse(values: pl.Series, decimal: str, numbers: bool) -> Parsed:
    check_lengths(values)
    seen = [text for text in sample(values, 2000).to_list() if text and text not in MARKERS]
    if not seen:
        return _held_back(values)
    likely: list[Callable[[], Parsed | None]] = []
    if numbers and _share(_NUMBER, seen) >= 0.8:
        likely.append(lambda: _as_integer(values))
        likely.append(lambda: _as_float(values))
    if numbers and decimal == "," and _share(_COMMA, seen) + _share(_INTEGER, seen) >= 0.8:
        likely = [likely[0]] if likely else []
        likely.append(lambda: _as_float(values, comma=True))
    form = date_format(seen)
    if form is not None:
        likely.append(lambda: _as_date(values, form))
    for attempt in likely:
        found = attempt()
        if found is not None and found.values.dtype != pl.String:
            return found
        if found is not None:
            return found if found.marked else replace(found, marked=_held_back(values).marked)
    held = _held_back(values)
    if numbers and not likely and _share(_THOUSANDS, seen) == 1:
        return replace(held, notes=(_thousands_note(values.name, seen[0], decimal),))
    return held


def _share(pattern: re.Pattern[str], texts: list[str]) -> float:
    return sum(pattern.fullmatch(text) is not None for text in texts) / len(texts)


def check_lengths(values: pl.Series) -> None:
    """Refuse cells so long that they must be an accident, such as the rest of the file behind an open quote."""
    if values.estimated_size() <= LONGEST_CELL:
        return
    lengths = values.str.len_bytes()
    longest = lengths.arg_max()
    if longest is not None and (size := int(lengths[longest])) > LONGEST_CELL:
        raise TableError(
            f"column {values.name!r}, row {longest + 1}: the value is {size / 2**20:.0f} MiB long, the most is "
            f"{LONGEST_CELL >> 20} MiB. Look for a quote that is never closed."
        )


def _held_back(values: pl.Series) -> Parsed:
    """The column as text, with the cells that may mean a missing value."""
    return Parsed(values, marked=tuple(Marked(values.name, marker, cells) for marker, cells in _markers(values)))


def _markers(values: pl.Series) -> list[tuple[str, int]]:
    """The words for missing that the column holds, the most frequent first."""
    if len(values) <= SHORT:
        counts = Counter(text for text in values.to_list() if text in MARKERS or text == "")
        return sorted(counts.items(), key=lambda found: (-found[1], found[0]))
    marked = values.alias("marker").filter(values.is_in(pl.Series([*sorted(MARKERS), ""]).implode()).fill_null(False))
    return marked.value_counts(name="n").sort(["n", "marker"], descending=[True, False]).rows()


def _lost(values: pl.Series, found: pl.Series) -> pl.Series | None:
    """Which cells hold something that was not understood, or None. An empty text in quotes holds nothing."""
    if found.null_count() == values.null_count():
        return None
    lost = found.is_null() & (values != "").fill_null(False)
    return lost if lost.any() else None


def _as_integer(values: pl.Series) -> Parsed | None:
    found = values.cast(pl.Int64, strict=False)
    lost = _lost(values, found)
    if lost is not None:
        text = values.filter(lost)
        if not text.str.contains(r"^[+-]?\d{19,}$").all():
            return None
        note = Note(f"column {values.name!r} stays text: row {_row(lost)} holds {quote(text[0])}, too big for 64 bits.")
        return Parsed(values, "numbers too big for 64 bits stay text", (note,))
    return _as_codes(values, fraction=False) or Parsed(found)


def _as_codes(values: pl.Series, *, fraction: bool) -> Parsed | None:
    """The column as text, if a value begins with a zero or a plus that a number would lose."""
    zero = values.str.starts_with("0")
    if zero.any():
        zero = zero & (values.str.len_bytes() > 1)
        if fraction:
            zero = zero & values.str.contains(r"^0\d")
    coded = zero | values.str.starts_with("+")
    signed = values.str.starts_with("-0")
    if signed.any():
        coded = coded | (values.str.contains(r"^-0\d") if fraction else signed)
    if not coded.any():
        return None
    return Parsed(values, f"leading zeros or plus signs are kept (first in row {_row(coded)})")


def _as_float(values: pl.Series, comma: bool = False) -> Parsed | None:
    text = values.str.replace(",", ".", literal=True) if comma else values
    found = text.cast(pl.Float64, strict=False)
    if not found.is_finite().all():
        found = found.set(~found.is_finite().fill_null(True), None)
    if comma and (pointed := values.str.contains(".", literal=True)).any():
        found = found.set(pointed.fill_null(False), None)
    lost = _lost(values, found)
    if lost is not None:
        return _strays(values, lost, "a number")
    kept = _as_codes(values, fraction=True)
    if kept is not None:
        return kept
    notes: tuple[Note, ...] = ()
    powers = values.filter(values.str.contains("e", literal=True) | values.str.contains("E", literal=True))
    powers = powers.filter(powers.str.contains(r"^\d+[eE]\+?\d+$"))
    if len(powers):
        notes = (
            Note(
                f"column {values.name!r}: {len(powers)} values such as {quote(powers[0])} are read as powers of ten. "
                f"Pass kinds={{{values.name!r}: 'nominal'}} if they are codes."
            ),
        )
    return Parsed(found + 0.0, "decimal comma" if comma else "", notes)  # + 0.0: −0.0 is 0.0


def _strays(values: pl.Series, strays: pl.Series, wanted: str) -> Parsed | None:
    """A column that is nearly all numbers or dates stays text, and the first value that forbids it is named."""
    words = values.filter(strays)
    reason = f"nearly all are {wanted[2:]}s, but not all"
    if words.is_in(pl.Series(sorted(MARKERS)).implode()).all():
        held = _held_back(values)
        return replace(held, reason=reason, marked=tuple(replace(one, wanted=wanted) for one in held.marked))
    if len(words) > 0.05 * (len(values) - values.null_count()):
        return None
    remedy = words.unique(maintain_order=True).head(3).to_list()
    others = f" and {len(words) - 1} more" if len(words) > 1 else ""
    note = Note(
        f"column {values.name!r} stays text: row {_row(strays)} holds {quote(words[0])}{others}, which is not {wanted} "
        f"as all the rest. Correct it, or pass {missing_as(remedy)} if it means missing."
    )
    return Parsed(values, reason, (note,))


def _as_date(values: pl.Series, form: DateForm) -> Parsed | None:
    found = parse_dates(values, form.pattern)
    lost = _lost(values, found)
    if lost is not None and form.unsure:
        sign = form.pattern[2]
        other = parse_dates(values, f"%m{sign}%d{sign}%Y")
        if _lost(values, other) is None:
            return Parsed(other, f"written as %m{sign}%d{sign}%Y")
    if lost is not None:
        return _strays(values, lost, "a date")
    unsure = form.unsure
    if unsure and not (found.dt.day() <= 12).all():
        unsure = ""
    notes: tuple[Note, ...] = ()
    if unsure:
        remedy = "%m" + form.pattern[2] + "%d" + form.pattern[5:]
        notes = (
            Note(
                f"column {values.name!r}: dates are read as day before month, but {unsure}. "
                f"Pass kinds={{{values.name!r}: '{remedy}'}} for month before day."
            ),
        )
    return Parsed(found, f"written as {form.pattern}", notes)


def _thousands_note(name: str, example: str, decimal: str) -> Note:
    remedy = "Remove the separators in the source"
    if decimal != "," and re.fullmatch(r"[+-]?\d+,\d+", example):
        remedy = "Pass decimal=',' if it is a decimal comma, or remove the separators in the source"
    looks = f"{quote(example)} looks like a number with thousands separators"
    return Note(f"column {name!r} stays text: {looks}. {remedy}.")


def _row(mask: pl.Series) -> int:
    return int(mask.arg_true()[0]) + 1
