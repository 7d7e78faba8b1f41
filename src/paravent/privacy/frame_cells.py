"""The cells of a finished frame as a stranger reads them: which are equal, which say nothing.

Nothing here is shared with methods or with their encoding.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import polars as pl

from paravent.errors import TableError
from paravent.table.domain import Domain
from paravent.table.exact import exactly
from paravent.table.kinds import Kind
from paravent.table.text import is_text

ANYTHING = "*"
WIDEST = 2**62
"""Keys of rows stay below it."""


def cells_of(frame: pl.DataFrame, name: str) -> pl.Series:
    """A column under a harmless name: polars reads `*` and `^…$` as patterns."""
    return frame[name].alias("cells")


def check_columns(frame: pl.DataFrame, names: Iterable[str]) -> None:
    schema = frame.schema
    for name in names:
        if name not in schema:
            raise TableError(f"the release has no column {name!r}, which its plan speaks of. Is it the right file?")
        dtype = schema[name]
        if dtype.is_nested() or dtype in (pl.Object, pl.Binary, pl.Unknown):
            raise TableError(
                f"the release: column {name!r} holds {dtype}, not plain values, so nobody can say which are equal. "
                "Turn it into text."
            )


def suppressed_cells(frame: pl.DataFrame, quasi: Sequence[str]) -> float:
    """The share of quasi-identifier cells that are `*`."""
    starred = 0
    for name in quasi:
        cells = frame[name]
        if is_text(cells.dtype) and _has_label(cells, ANYTHING):
            starred += int(_anything(cells).sum())
    return starred / max(frame.height * len(quasi), 1)


def without_stars(frame: pl.DataFrame, quasi: Sequence[str]) -> pl.DataFrame:
    """The frame with nothing in place of every `*` among the quasi-identifiers."""
    columns = []
    for name in frame.columns:
        cells = frame[name]
        if name in quasi and is_text(cells.dtype) and _has_label(cells, ANYTHING):
            text = cells_of(frame, name).cast(pl.String)
            cells = text.set(text == ANYTHING, None).alias(name)
        columns.append(cells)
    return pl.DataFrame(columns)


def blank_rows(frame: pl.DataFrame, quasi: Sequence[str]) -> np.ndarray:
    """Rows that say nothing: `*` in every quasi-identifier (numbers: nothing), nothing in every other column."""
    blank = np.ones(frame.height, dtype=bool)
    for name in frame.columns:
        cells = cells_of(frame, name)
        if name in quasi:
            if not is_text(cells.dtype):  # numbers that stayed numbers: nothing is written as nothing
                blank &= cells.is_null().to_numpy()
            else:
                blank &= _anything(cells).fill_null(False).to_numpy() if _has_label(cells, ANYTHING) else False
        else:
            blank &= cells.is_null().to_numpy()
        if not blank.any():
            break
    return blank


def _anything(cells: pl.Series) -> pl.Series:
    """Which cells are `*`; a dictionary of its own cannot be compared with a text."""
    return (cells.cast(pl.String) if isinstance(cells.dtype, pl.Categorical) else cells) == ANYTHING


def _has_label(cells: pl.Series, label: str) -> bool:
    if isinstance(cells.dtype, pl.Categorical):
        return label in cells.unique().cast(pl.String)
    return not isinstance(cells.dtype, pl.Enum) or label in cells.dtype.categories


def cell_codes(cells: pl.Series) -> tuple[np.ndarray, int]:
    """Integers from 0, equal exactly where cells are equal (missing ones equal each other), and how many there are."""
    if cells.dtype == pl.Null:
        return np.zeros(len(cells), dtype=np.int64), 1
    if isinstance(cells.dtype, pl.Enum):
        categories = cells.dtype.categories
        if categories.n_unique() != len(categories):  # codes stand for strings only while these are unique
            cells = cells.cast(pl.String)
    if cells.dtype == pl.String:
        cells = cells.cast(pl.Categorical(pl.Categories.random("paravent")))
    if isinstance(cells.dtype, pl.Enum | pl.Categorical):
        physical = cells.to_physical()
    else:
        physical = _ranked(exactly(cells))
    highest = physical.max()
    width = int(str(highest)) + 1 if highest is not None else 0
    if physical.null_count():
        physical = physical.cast(pl.Int64).fill_null(width)
        width += 1
    return physical.to_numpy(), max(width, 1)


def _ranked(cells: pl.Series) -> pl.Series:
    """Integers that are equal where cells are; those of a narrow range by their distance to the lowest."""
    if cells.dtype == pl.Boolean:
        return cells.cast(pl.UInt8)
    if cells.dtype.is_integer() and len(cells) > cells.null_count():
        low, high = int(str(cells.min())), int(str(cells.max()))
        if high - low <= len(cells) and high < 2**62 and low > -(2**62):
            return cells.cast(pl.Int64) - low
    return cells.rank("dense")


def key_of_rows(columns: Sequence[pl.Series], height: int) -> np.ndarray:
    """One integer a row, equal exactly where all cells are: the codes of the cells in mixed radix."""
    key, span = np.zeros(height, dtype=np.int64), 1
    for cells in columns:
        codes, width = cell_codes(cells)
        if span * width >= WIDEST:  # renumber the keys that occur
            key = pl.Series(key).rank("dense").to_numpy().astype(np.int64)
            span = int(key.max(initial=0)) + 1
        key *= width
        np.add(key, codes, out=key, casting="unsafe")
        span *= width
    return key


def runs(numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct numbers, ascending, and how often each occurs."""
    ordered = np.sort(numbers)
    begins = np.ones(len(ordered), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=begins[1:])
    first = np.flatnonzero(begins)
    return ordered[first], np.diff(first, append=len(ordered)).astype(np.int64)


def coded_values(cells: pl.Series, name: str) -> tuple[np.ndarray, int, Domain]:
    """Codes in the order of the values, and the values. A missing cell has the code after the last."""
    if cells.dtype.is_float() and cells.is_nan().any():
        if cells.null_count():
            raise TableError(
                f"the release: column {name!r} holds missing cells and cells that are not a number (NaN), which the "
                "models of its plan cannot tell apart. Write them alike."
            )
        cells = cells.fill_nan(None)
    codes, width = cell_codes(cells)
    some_row = np.full(width, -1, dtype=np.int64)
    some_row[codes] = np.arange(len(codes))
    values = cells.gather(some_row[some_row >= 0])
    if isinstance(cells.dtype, pl.Enum | pl.Categorical):
        values = values.cast(pl.String)
    order = values.arg_sort(nulls_last=True).to_numpy()
    rank = np.zeros(width, dtype=np.int64)
    rank[np.flatnonzero(some_row >= 0)[order]] = np.arange(len(order))
    codes = rank[codes]
    present = len(values) - values.null_count()
    kind = Kind.FLOAT if cells.dtype.is_numeric() else Kind.DATE if cells.dtype.is_temporal() else Kind.NOMINAL
    counts = np.bincount(codes, minlength=present)[:present]
    return codes, len(values), Domain(name, kind, values.gather(order[:present]), counts)
