"""Matching: which of the values that the plan or the analyst lists a cell is.

Words are matched letter by letter, and so are codes with a leading zero or plus, such as `01`. Numbers have no spelling
of their own: 1, 1.0 and a listed `01` are the same. What becomes of a cell depends on that cell alone, never on the
others of its column: a half among whole numbers would otherwise turn everybody's 1 into 1.0, and one word in a file
everybody's number into a text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal, InvalidOperation

import numpy as np
import polars as pl

from paravent.table.text import as_text

_ZERO = re.compile(r"^(-?[0-9]+)\.0$")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_CODE = re.compile(r"\+|-?0[0-9]")


def plain_text(cells: pl.Series) -> pl.Series:
    """Each cell as text, whatever type the other cells gave its column: 1 and 1.0 are alike, NaN is missing.

    >>> plain_text(pl.Series([1.0, 2.5, float("nan")])).to_list(), plain_text(pl.Series([1, None])).to_list()
    (['1', '2.5', None], ['1', None])
    """
    if cells.dtype.is_float():
        cells = cells.fill_nan(None)
    return as_text(cells.alias("cells")).str.replace(_ZERO.pattern, "$1")


def matched(listed: Sequence[str], cells: pl.Series) -> np.ndarray:
    """The place of each cell among the listed values: after the last where it is none of them, and one further where it
    is missing.

    >>> matched(["01", "02", "x"], pl.Series([1.0, 2.0, 3.5, None])).tolist()
    [0, 1, 3, 4]
    >>> matched(["01", "1", "x"], pl.Series(["1", "01", "1.0"])).tolist()
    [1, 0, 1]
    """
    cells = cells.alias("cells") if cells.dtype.is_numeric() else as_text(cells.alias("cells"))
    cells = cells.fill_nan(None) if cells.dtype.is_float() else cells
    kinds = cells.unique().drop_nulls()
    place = _place_among(listed)
    places = pl.Series([place(text) for text in as_text(kinds)], dtype=pl.Int64)
    codes = cells.replace_strict(kinds, places, return_dtype=pl.Int64) if len(kinds) else cells.cast(pl.Int64)
    return np.asarray(codes.fill_null(len(listed) + 1).to_numpy(), dtype=np.int64)


def exact(text: str) -> Decimal | None:
    """The finite number that a text is, if any.

    >>> exact(" 01.50 "), exact("1e400"), exact("nan"), exact("x")
    (Decimal('1.50'), Decimal('1E+400'), None, None)
    """
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _place_among(listed: Sequence[str]) -> Callable[[str], int]:
    """Codes and words by their letters. Numbers by what they are: the first listed number that is the same, else the
    one code that is."""
    as_written = _first_places(listed)
    plain: dict[float, int] = {}
    coded: dict[float, list[int]] = {}
    for at, text in enumerate(listed):
        number = _number(text)
        if number is not None and _is_code(text):
            coded.setdefault(number, []).append(at)
        elif number is not None:
            plain.setdefault(number, at)
    alone = {number: places[0] for number, places in coded.items() if len(places) == 1}

    def place(text: str) -> int:
        number = _number(text)
        if number is None or _is_code(text):
            return as_written.get(text, len(listed))
        return plain.get(number, alone.get(number, len(listed)))

    return place


def _number(text: str) -> float | None:
    """As a column of numbers would hold it: two that are the same there are the same in a column of texts."""
    return float(text) if _NUMBER.fullmatch(text) else None


def _is_code(text: str) -> bool:
    """Whether it begins with a zero or a plus that a number would lose. Where one cell does, readers keep texts."""
    return _CODE.match(text) is not None


def _first_places(texts: Iterable[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for at, text in enumerate(texts):
        found.setdefault(text, at)
    return found
