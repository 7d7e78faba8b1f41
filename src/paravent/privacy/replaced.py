"""Identifiers that were replaced, as a stranger sees them: do they have the form that a plan promises?

That a number or a pseudonym hides the value behind it cannot be seen in a finished table; that a name or a social
security number is still there can.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from paravent.table.text import as_text

NOTE = (
    "Replaced identifiers have the form that the plan asks for; that nobody can undo the replacement cannot be seen in "
    "a table."
)


def faults_of_form(frame: pl.DataFrame, replaced: Mapping[str, int | None]) -> Iterator[str]:
    """What is wrong with the replaced identifiers of a frame. A column that is not there gives nothing away.

    `replaced` holds the number of hexadecimal digits where a column holds pseudonyms, None where it holds numbers.

    >>> frame = pl.DataFrame({"id": [2, 1, 2, None], "name": ["a1a4ef11", "547a685d", "Ana", None]})
    >>> list(faults_of_form(frame, {"id": None, "name": 8}))
    ["column 'name' must hold pseudonyms of 8 hexadecimal digits, and 1 cell does not"]
    """
    for name, digits in replaced.items():
        if name not in frame.columns:
            continue
        cells = frame[name].alias("cells")
        cells = (cells.fill_nan(None) if cells.dtype.is_float() else cells).drop_nulls()
        if digits is None:
            fault = _faults_of_numbers(cells)
        else:
            wrong = int((~as_text(cells).str.contains(f"^[0-9a-f]{{{digits}}}$")).sum())
            fault = f"pseudonyms of {digits} hexadecimal digits, and {_cells(wrong)} not" if wrong else ""
        if fault:
            yield f"column {name!r} must hold {fault}"


def _faults_of_numbers(cells: pl.Series) -> str:
    """Random numbers are those from 1 to as many as there are different ones."""
    if cells.dtype.is_integer():
        numbers = cells.cast(pl.Int64, strict=False)
    elif cells.dtype.is_float():
        numbers = cells.filter(cells == cells.round(0)).cast(pl.Int64, strict=False)
    else:
        text = as_text(cells)
        numbers = text.filter(text.str.contains(r"^[1-9][0-9]*$")).cast(pl.Int64, strict=False)
    numbers = numbers.drop_nulls()
    distinct = numbers.n_unique()
    wrong = len(cells) - int(numbers.is_between(1, distinct).sum()) if len(cells) else 0
    return f"the numbers from 1 to how many there are, in random order, and {_cells(wrong)} not" if wrong else ""


def _cells(count: int) -> str:
    return f"{count} cell{' does' if count == 1 else 's do'}"
