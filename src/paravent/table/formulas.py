"""Cells that a spreadsheet would run as a formula.

Whoever opens a CSV file or a workbook runs what begins with `=`, `+`, `-` or `@` (OWASP, "CSV injection"), also behind
blanks, quotes and signs that cannot be seen. An apostrophe in front makes it a text. Every such cell gets one, those
that have one already too: two cells that differ still differ, and the apostrophe can be taken off again.
"""

from __future__ import annotations

import polars as pl

from paravent.table.text import is_text

# Blanks, controls, zero-width signs, quotes; then a sign that begins a formula, as it is or in full width. Tabs and
# line ends at the very beginning are dangerous by themselves.
FORMULA = r"""^(?:['"‘’“”`]*[\t\r\n]|[\s\p{Cc}\p{Cf}'"‘’“”`]*[=+\-@＝＋－＠﹣−])"""
HARMLESS = r"^[+-](?:\d+(?:[.,]\d+)?(?:[eE][+-]?\d+)?)?$"
"""A number is a number, and a lone sign nothing at all."""


def begins_formula(texts: pl.Series) -> pl.Series:
    """Which texts a spreadsheet would run.

    >>> begins_formula(pl.Series(["=1+1", "-5", "-", "a=b", " @SUM(A1)", "+49 170", None])).to_list()
    [True, False, False, False, True, True, None]
    """
    return texts.str.contains(FORMULA) & ~texts.str.contains(HARMLESS)


def guarded(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with an apostrophe before every text that begins a formula.

    >>> guarded(pl.DataFrame({"note": ["=1+1", "'=1+1", "fine"], "pay": [-5, 3, 2]})).rows()
    [("'=1+1", -5), ("''=1+1", 3), ('fine', 2)]
    """
    changed = {column.name: _guarded(column) for column in frame.iter_columns() if is_text(column.dtype)}
    return pl.DataFrame([changed.get(column.name, column) for column in frame.iter_columns()])


def unguarded(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame as it was before `guarded`. A column with a formula that has no apostrophe was never guarded, and stays
    as it is.

    >>> unguarded(pl.DataFrame({"a": ["'=1+1", "x"], "b": ["'=1+1", "=1+1"]})).rows()
    [('=1+1', "'=1+1"), ('x', '=1+1')]
    """
    changed = {column.name: _unguarded(column) for column in frame.iter_columns() if is_text(column.dtype)}
    return pl.DataFrame([changed.get(column.name, column) for column in frame.iter_columns()])


def _guarded(column: pl.Series) -> pl.Series:
    texts = column.alias("cells").cast(pl.String)
    found = begins_formula(texts.unique())
    if not found.any():
        return column
    formula = pl.lit(begins_formula(texts).fill_null(False))
    return pl.select(
        pl.when(formula).then(pl.lit("'") + pl.lit(texts)).otherwise(pl.lit(texts)).alias(column.name)
    ).to_series()


def _unguarded(column: pl.Series) -> pl.Series:
    texts = column.alias("cells").cast(pl.String)
    known = texts.drop_nulls().unique()
    found = known.filter(begins_formula(known))
    if not len(found) or not found.str.starts_with("'").all():
        return column
    back = {text: text[1:] for text in found.to_list()}
    return texts.replace(back).alias(column.name)
