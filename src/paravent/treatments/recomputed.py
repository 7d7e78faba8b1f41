"""What coding must give, worked out anew from what a plan says: it shares nothing with how treatments do it.

Published cells are compared with their originals label by label: the lowest and the highest value behind a label decide
whether it is the one that the plan's limits, widths or names say. Numbers are read from labels as decimals.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import polars as pl

from paravent.hierarchy.cells import read_interval
from paravent.published.by_row import missing_cells
from paravent.published.coding import same_cells
from paravent.table.kinds import Kind
from paravent.table.line import to_line
from paravent.table.table import Table
from paravent.table.text import as_text
from paravent.treatments.values import on_line, order_of

_NEAR = 1e-9
_INTERVAL = re.compile(r"\[(.+), (.+)([\[\]])")


def is_capped(
    table: Table,
    name: str,
    shown: pl.Series,
    *,
    side: Literal["above", "below"],
    limit: Any,
    share: float | None,
    becomes: Literal["label", "limit", "mean"],
    label: str | None,
) -> bool:
    """Whether what lies beyond the limit, or that of a share, is published as asked, and all else as it was."""
    column, cells = table.columns[name], table.frame[name].alias("cells")
    there = ~missing_cells(cells)
    if not (missing_cells(shown) == ~there).all():
        return False
    if limit is None:
        limit = _limit_of_share(on_line(column, cells, None)[0].drop_nulls(), side, Fraction(str(share)))
        limit = order_of(column)[int(limit)] if column.kind is Kind.ORDINAL else limit
    line, place = on_line(column, cells, limit)
    beyond = (line > place if side == "above" else line < place).fill_null(False).to_numpy()
    coded = shown.filter(pl.Series(beyond)).unique()
    if len(coded) > 1 or not same_cells(cells, shown, there & ~beyond):
        return False
    if not len(coded):
        return True
    if becomes == "label":
        text, sign = str(coded.item()), ">" if side == "above" else "<"
        return text == label if label is not None else text[:1] == sign and _writes(text[1:], limit, cells.dtype)
    if becomes == "limit":
        return _writes(str(as_text(coded).item()), limit, cells.dtype)
    before, after = to_line(cells.filter(pl.Series(beyond)), column.kind), to_line(coded, column.kind)
    assert before is not None
    assert after is not None
    mean = float(before.mean())
    rounded = 0.5 if cells.dtype == pl.Date else 1e-8 if cells.dtype.is_temporal() else 0.0
    return abs(mean - float(after[0])) <= _NEAR * max(abs(mean), 1.0) + rounded or bool(np.isnan(mean))


def _limit_of_share(line: pl.Series, side: str, share: Fraction) -> Any:
    """The value nearest to the coded end beyond which at most this share of the values lies."""
    counts = line.alias("value").value_counts().sort("value", descending=side == "above")
    behind = 0
    limit = None
    for value, count in counts.iter_rows():
        if behind > share * len(line):
            break
        limit, behind = value, behind + count
    return limit


def is_masked(cells: pl.Series, shown: pl.Series, first: int, last: int, sign: str) -> bool:
    """Whether each text has so many signs masked at its beginning and its end, and no others."""
    for before, after in _pairs(as_text(cells), shown):
        start = min(first, len(before))
        end = max(len(before) - last, start)
        if after != sign * start + before[start:end] + sign * (len(before) - end):
            return False
    return True


def is_mapped(cells: pl.Series, shown: pl.Series, label_of: Any) -> bool:
    """Whether each value has the label that a function gives to its text."""
    return all(label_of(before) == after for before, after in _pairs(as_text(cells), shown))


def is_between(table: Table, name: str, shown: pl.Series, limits: Sequence[Any], labels: Sequence[str] | None) -> bool:
    """Whether each value has the label of the two limits it lies between, the last one included, or beyond which."""
    dtype, last = table.frame.schema[name], len(limits)
    for label, low, high in _ends(table, name, shown):
        at, upto = (last if end > limits[-1] else bisect_right(limits[:-1], end) for end in (low, high))
        if at != upto:
            return False
        if labels is not None and 0 < at < last:
            if label != labels[at - 1]:
                return False
        elif at in (0, last):
            if label[:1] != ("<" if at == 0 else ">") or not _writes(label[1:], limits[0 if at == 0 else -1], dtype):
                return False
        else:
            found = _INTERVAL.fullmatch(label)
            if found is None or found[3] != ("]" if at == last - 1 else "["):
                return False
            if not _writes(found[1], limits[at - 1], dtype) or not _writes(found[2], limits[at], dtype):
                return False
    return True


def is_wide(table: Table, name: str, shown: pl.Series, width: float | None, groups: int | None) -> bool:
    """Whether each number has the label of its interval of this width from a multiple of it; or, of so many groups, of
    the least width of 1, 2, 2.5 or 5 times a power of ten by which they reach from the lowest number to the highest."""
    wide: Decimal | None = None if width is None else Decimal(str(width))
    ends = list(_ends(table, name, shown))
    for label, low, high in ends:
        found = _INTERVAL.fullmatch(label)
        start, end = (None, None) if found is None else (_decimal(found[1]), _decimal(found[2]))
        if start is None or end is None or found is None or found[3] != "[":
            return False
        wide = end - start if wide is None else wide
        if end - start != wide or start % wide != 0:
            return False
        whole = isinstance(low, int)
        if not (start if whole else float(start)) <= low or not high < (end if whole else float(end)):
            return False
    if groups is None or wide is None:
        return True
    least = (float(max(high for _, _, high in ends)) - float(min(low for _, low, _ in ends))) / groups
    if not 0 < least < float("inf"):
        return wide == 1
    digits = "".join(map(str, wide.normalize().as_tuple().digits))
    below = {"1": "0.5", "2": "0.5", "25": "0.8", "5": "0.5"}.get(digits)
    return below is not None and float(wide) >= least > float(wide * Decimal(below)) * (1 - _NEAR)


def is_parted(table: Table, name: str, shown: pl.Series, groups: int) -> bool:
    """Whether there are so many labels at most, each of neighbours, and of numbers and dates one that covers them."""
    ends = sorted(_ends(table, name, shown), key=lambda each: each[1])
    if len(ends) > groups or any(one[2] >= other[1] for one, other in pairwise(ends)):
        return False
    kind, dtype = table.columns[name].kind, table.frame.schema[name]
    for label, low, high in ends if kind is not Kind.ORDINAL else ():
        if low == high and _writes(label, low, dtype):
            continue
        interval, line = read_interval(label), to_line(pl.Series([low, high], dtype=dtype, strict=False), kind)
        if interval is None or line is None:
            return False
        first, last = map(float, line)
        if not interval.low <= first or not last <= interval.high:
            return False
        if (interval.open_low and first == interval.low) or (interval.open_high and last == interval.high):
            return False
    return True


def _ends(table: Table, name: str, shown: pl.Series) -> Iterator[tuple[str, Any, Any]]:
    """Each label with the lowest and the highest value behind it, on the line of the column."""
    line, _ = on_line(table.columns[name], table.frame[name].alias("cells"), None)
    rows = pl.DataFrame({"label": as_text(shown.alias("cells")), "value": line}).drop_nulls("value")
    for label, low, high in rows.group_by("label").agg(low=pl.col("value").min(), high=pl.col("value").max()).rows():
        yield label or "", low, high


def _pairs(before: pl.Series, after: pl.Series) -> list[tuple[str, str]]:
    """The different pairs of a value and its cell, without missing values."""
    pairs = pl.DataFrame({"before": before.alias("cells"), "after": as_text(after.alias("cells"))})
    return pairs.drop_nulls("before").unique().rows()


def _decimal(text: str) -> Decimal | None:
    try:
        return Decimal(text)
    except InvalidOperation:
        return None


def _writes(text: str, value: Any, dtype: pl.DataType) -> bool:
    """Whether a text writes a value: a number as any decimal of it, all else as the column does."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _decimal(text) == Decimal(str(value))
    return text == (value if isinstance(value, str) else str(as_text(pl.Series([value], dtype=dtype)).item()))
