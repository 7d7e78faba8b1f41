"""Matching: which of the values that the plan or the analyst lists a cell is.

As in trees, texts are matched letter by letter, and numbers have no spelling of their own: in a column of numbers 1,
1.0 and a listed `01` are the same. What becomes of a cell depends on that cell alone, never on how the others of its
column are spelled: a half among whole numbers would otherwise turn everybody's 1 into 1.0.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal, InvalidOperation

import numpy as np
import polars as pl

from paravent.table.text import as_text

_ZERO = re.compile(r"^(-?[0-9]+)\.0$")


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
    is missing. A number that no value is written as is the one listed value that is the same number.

    >>> matched(["01", "02", "x"], pl.Series([1.0, 2.0, 3.5, None])).tolist()
    [0, 1, 3, 4]
    >>> matched(["01", "x"], pl.Series(["1", "01"])).tolist()
    [2, 0]
    """
    cells = cells.fill_nan(None) if cells.dtype.is_float() else cells
    texts = as_text(cells.alias("cells"))
    of_text = _of_number(listed) if cells.dtype.is_numeric() else _of_text(listed)
    places = {text: of_text(text) for text in texts.unique().drop_nulls()}
    old, new = pl.Series(list(places), dtype=pl.String), pl.Series(list(places.values()), dtype=pl.Int64)
    codes = texts.replace_strict(old, new, return_dtype=pl.Int64)
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


def _of_text(listed: Sequence[str]) -> Callable[[str], int]:
    """By the letters; `1.0` is `1` where nothing is listed as `1.0`."""
    as_written, plain = _first_places(listed), _first_places(map(_plain, listed))
    return lambda text: as_written.get(text, plain.get(_plain(text), len(listed)))


def _of_number(listed: Sequence[str]) -> Callable[[str], int]:
    """By the plain spelling of the number, else by the number where one listed value alone is the same."""
    plain = _first_places(map(_plain, listed))
    twins: dict[Decimal, list[int]] = {}
    for at, text in enumerate(listed):
        number = exact(text)
        if number is not None:
            twins.setdefault(number, []).append(at)
    alone = {number: places[0] for number, places in twins.items() if len(places) == 1}

    def place(text: str) -> int:
        number = exact(text)
        other = len(listed) if number is None else alone.get(number, len(listed))
        return plain.get(_plain(text), other)

    return place


def _plain(text: str) -> str:
    return _ZERO.sub(r"\1", text)


def _first_places(texts: Iterable[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for at, text in enumerate(texts):
        found.setdefault(text, at)
    return found
