"""Short columns that are plainly numbers or words.

A table may have thousands of them, and asking polars costs more than looking. What is not plain is left to `cells`,
which would give the same answer here.
"""

from __future__ import annotations

import re

import polars as pl

SHORT = 1_000
"""Columns of so many rows are looked at here."""
MARKERS = frozenset(
    {
        "?", "NA", "N/A", "n/a", "na", "#N/A", "NULL", "null", "Null", "None", "none", "NaN", "nan",
        "-", "--", ".", "missing",
    }
)  # fmt: skip
"""Texts that people write for a missing value. They are told, never taken."""
_LONG = 1_000
_INTEGERS = re.compile(r"(?:(?:0|-?[1-9][0-9]{0,17})\n)+")
_NUMBERS = re.compile(r"(?:-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,17})?\n)+")
_TYPED = re.compile(r"(?:^|\n)[-+.\d]")


def parse_short(values: pl.Series, decimal: str, numbers: bool) -> pl.Series | None:
    """The column as whole numbers, floats or words where nobody could doubt it; else None.

    >>> parse_short(pl.Series(["1", None, "-20"]), ".", True).to_list()
    [1, None, -20]
    >>> [parse_short(pl.Series(texts), ".", True) is None for texts in (["1", "01"], ["a", "?"])]
    [True, False]
    """
    texts = [text for text in values.to_list() if text is not None]
    joined = "\n".join(texts) + "\n"
    if not texts or len(joined) > _LONG * len(texts):
        return None
    if numbers and _INTEGERS.fullmatch(joined) is not None:
        return values.cast(pl.Int64)
    if numbers and decimal == "." and _NUMBERS.fullmatch(joined) is not None:
        return values.cast(pl.Float64) + 0.0  # −0.0 is 0.0
    return values if _TYPED.search(joined) is None and joined.strip("\n") else None
