"""Files of SPSS and Stata, by pyreadstat (extra `stats`): what the format cannot hold is refused, never bent.

Whole numbers, dates and times stay what they are; true and false become 1 and 0 with these words as labels; a missing
text becomes an empty one. What was written is read again before it counts as written.
"""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl

from paravent.errors import TableError
from paravent.table.formats import Format
from paravent.table.statistical import pyreadstat
from paravent.table.text import is_text

_WHOLE = 1 << 53
_SPSS_NAME = re.compile(r"[^\W\d_][\w.$#@]*(?<!\.)")
_STATA_NAME = re.compile(r"[^\W\d]\w*")
_SPSS_WORDS = frozenset(["all", "and", "by", "eq", "ge", "gt", "le", "lt", "ne", "not", "or", "to", "with"])
_STATA_WORDS = frozenset(
    {
        "_all", "_b", "byte", "_coef", "_cons", "double", "float", "if", "in", "int", "long", "_n", "_N", "_pi",
        "_pred", "_rc", "_skip", "strL", "using", "with",
    }
)  # fmt: skip
_SPSS_TIME, _STATA_TIME = b"01 Jan 7000:00:00", b"01 Jan 1970 00:00"


def write_statistical(frame: pl.DataFrame, part: Path, found: Format, *, packed: bool = False) -> None:
    library = pyreadstat()
    _check_names(frame.columns, found)
    plain = pl.DataFrame([_plain(values, found) for values in frame.get_columns()])
    truths = {name: {0: "false", 1: "true"} for name, dtype in frame.schema.items() if dtype == pl.Boolean}
    if found is Format.SPSS:
        library.write_sav(plain, part, compress=packed, variable_value_labels=truths or None)
        _set_time(part, b"", 92, _SPSS_TIME)
        again, _ = library.read_sav(part, output_format="polars")
    else:
        library.write_dta(plain, part, variable_value_labels=truths or None)
        _set_time(part, b"<timestamp>\x11", 12, _STATA_TIME)
        again, _ = library.read_dta(part, output_format="polars")
    for before, after in zip(plain.get_columns(), again.get_columns(), strict=True):
        _check_same(before, after, found)


def _check_names(names: list[str], found: Format) -> None:
    seen: dict[str, str] = {}
    for name in names:
        if found is Format.SPSS:
            fits = _SPSS_NAME.fullmatch(name) and len(name.encode()) <= 64 and name.lower() not in _SPSS_WORDS
            rule = "a letter, then letters, digits and . _ $ # @, at most 64 bytes, no word of its language"
        else:
            fits = _STATA_NAME.fullmatch(name) and len(name) <= 32
            fits = fits and name not in _STATA_WORDS and not re.fullmatch(r"str\d+", name)
            rule = "letters, digits and _, not a digit first, at most 32, no word of its language"
        if not fits:
            raise TableError(f"column {name!r} cannot be called so in {found.called} ({rule}). Rename it.")
        if found is Format.SPSS and name.lower() in seen:
            raise TableError(
                f"columns {seen[name.lower()]!r} and {name!r} have the same name in SPSS, for which capitals are small "
                "letters. Rename one."
            )
        seen[name.lower()] = name


def _plain(values: pl.Series, found: Format) -> pl.Series:
    """The column in a type that the format has, or a sentence that says why not."""
    name, dtype = values.name, values.dtype
    if is_text(dtype) or dtype == pl.Null:
        texts = values.cast(pl.String)
        if texts.null_count() and bool((texts == "").any()):
            raise TableError(
                f"column {name!r} holds missing cells and empty texts, which {found.called} cannot tell apart. "
                "Give one of them a word."
            )
        return texts.fill_null("")
    if dtype == pl.Boolean:
        return values.cast(pl.Float64)
    if dtype.is_integer():
        low, high = values.min(), values.max()
        if low is not None and (int(str(low)) < -_WHOLE or int(str(high)) > _WHOLE):
            raise TableError(
                f"column {name!r} holds whole numbers beyond 2^53, which {found.called} would round. "
                "Turn it into text first."
            )
        return values.cast(pl.Float64)
    if dtype.is_numeric():
        numbers = values.cast(pl.Float64).fill_nan(None)
        if bool(numbers.is_infinite().any()):
            raise TableError(f"column {name!r} holds infinite numbers, which {found.called} does not have.")
        return numbers
    if isinstance(dtype, pl.Datetime) and dtype.time_zone is None:
        return values.cast(pl.Datetime("us"))
    if dtype in (pl.Date, pl.Time):
        return values
    raise TableError(f"column {name!r} holds {dtype}, which {found.called} does not have. Turn it into text first.")


def _set_time(part: Path, mark: bytes, offset: int, time: bytes) -> None:
    """The same table gives the same bytes, whenever it is written."""
    with part.open("r+b") as file:
        place = file.read(4096).find(mark)
        if place >= 0:
            file.seek(place + offset)
            file.write(time)


def _check_same(before: pl.Series, after: pl.Series, found: Format) -> None:
    if after.dtype == pl.Null and before.dtype != pl.String:
        same = before.null_count() == len(before)
    else:
        same = before.equals(after.cast(before.dtype), null_equal=True)
    if not same:
        raise TableError(
            f"column {before.name!r} holds values that {found.called} cannot hold as they are, such as texts with "
            "blanks at their ends. Change them, or write another format."
        )
