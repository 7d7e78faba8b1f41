"""Truth: a released cell must stand to its original as its kind of cells promises.

A label covers the value that it replaces. A number lies among the numbers that it replaces, or, stretched to keep a
variance, keeps the mean of its column. A pick is one of the values that it replaces, or lies between them in the order
of the column. Everything is read from the finished frame and compared with the original.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from paravent.errors import UnsafeReleaseError
from paravent.hierarchy.axis import MISSING_LABEL
from paravent.methods.cells import Averages, Labels, Published
from paravent.methods.method import Axis
from paravent.plan.coverage import check_coverage
from paravent.table.line import to_line
from paravent.table.text import as_text

_MOMENT = 1e-10
"""Times are rounded to microseconds, in days."""
_MEANS = 1e-9


def check_truth(cells: Published, axis: Axis, released: pl.Series, rows: np.ndarray, marked: np.ndarray) -> None:
    """Raise when a cell says something else than its kind promises. `rows` are the original rows of the released ones.

    A missing cell says nothing; that it may be missing is checked elsewhere.
    """
    if isinstance(cells, Labels):
        check_coverage(axis, released, rows, marked)
        return
    codes = axis.codes[rows]
    known = ~marked if axis.unknown is None else ~marked & ~axis.unknown[rows]
    if isinstance(cells, Averages):
        _check_numbers(cells, axis, released.alias("cells"), codes, known)
    else:
        _check_picks(axis, released.alias("cells"), codes, known)


def _check_numbers(cells: Averages, axis: Axis, released: pl.Series, codes: np.ndarray, known: np.ndarray) -> None:
    after = to_line(released, axis.kind)
    assert axis.positions is not None
    assert after is not None
    before = axis.positions[codes]
    known = known & np.isfinite(before) & np.isfinite(after)
    before, after = before[known], after[known]
    if not len(before):
        return
    if not cells.within:
        rounded = 0.5 if cells.whole or released.dtype == pl.Date else _MOMENT if released.dtype.is_temporal() else 0.0
        allowed = _MEANS * max(float(np.abs(before).max()), 1.0) + rounded
        if abs(float(np.mean(before) - np.mean(after))) > allowed:
            raise UnsafeReleaseError(f"column {axis.name!r}: its mean has moved. Nothing is released.")
        return
    low, high, number = _ends(before, after)
    room = _MOMENT if released.dtype.is_temporal() and released.dtype != pl.Date else 0.0
    if cells.whole:  # the nearest whole number may lie beside a single one that is not whole
        low, high = np.floor(low), np.ceil(high)
    if np.any(number < low - room) or np.any(number > high + room):
        raise UnsafeReleaseError(
            f"column {axis.name!r}: an average does not lie among the values that it replaces. Nothing is released."
        )


def _ends(before: np.ndarray, after: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The lowest and the highest original of each distinct released number, and the number."""
    order = np.argsort(after, kind="stable")
    numbers = after[order]
    starts = np.flatnonzero(np.diff(numbers, prepend=np.nan) != 0)
    found = before[order]
    return np.minimum.reduceat(found, starts), np.maximum.reduceat(found, starts), numbers[starts]


def _check_picks(axis: Axis, released: pl.Series, codes: np.ndarray, known: np.ndarray) -> None:
    rank = {value: i for i, value in enumerate(axis.categories)}
    texts = as_text(released).fill_null(MISSING_LABEL)
    labels = texts.unique(maintain_order=True)
    ranks = pl.Series([rank.get(label, -1) for label in labels.to_list()], dtype=pl.Int64)
    shown = texts.replace_strict(labels, ranks, return_dtype=pl.Int64).to_numpy()[known]
    codes = axis.category[codes[known]]
    if np.any(shown < 0):
        raise UnsafeReleaseError(f"column {axis.name!r}: a cell is no value of the column. Nothing is released.")
    if not len(codes):
        return
    low, high, number = _ends(codes, shown)
    found = np.zeros(len(rank), dtype=bool)
    found[shown[shown == codes]] = True
    between = (low <= number) & (number <= high) if axis.kind.is_ordered else np.zeros(len(number), dtype=bool)
    if not np.all(found[number] | between):
        raise UnsafeReleaseError(
            f"column {axis.name!r}: a value stands for others that it does not lie among. Nothing is released."
        )
