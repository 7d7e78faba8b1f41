"""Domain: the distinct values of one column, in the order its kind gives them, and the place of every row in it.

Ten million rows pass here before any method starts, so a column is read once: its cells become small integers the
cheapest way their type allows (dictionary of strings, offset of integers and dates, equal bits for the rest), these are
counted, and one look-up table turns them into places in the sorted domain.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from paravent import kernels
from paravent.errors import TableError, quote
from paravent.table.equal_rows import last_equal
from paravent.table.kinds import Column, Kind
from paravent.table.line import to_line
from paravent.table.narrow import narrow
from paravent.table.table import Table
from paravent.table.text import as_text

_WIDE = 4_000_000  # integers that span less than this, or less than the rows do, are counted in an array
_OFTEN = 20  # strings that occur less often than this on average are compared by their hash
_SOME = 50_000  # of so many rows, evenly spread, the distinct ones often tell enough


@dataclass(frozen=True, eq=False)
class Domain:
    """The values that occur in a column, without the missing ones.

    Numbers and dates ascend, ordinal values follow their order, all others are sorted as text.
    `counts[i]` rows hold `values[i]`. `exact` says that labels may end at these very values.
    """

    name: str
    kind: Kind
    values: pl.Series
    counts: np.ndarray
    exact: bool = False

    @classmethod
    def of(cls, table: Table, name: str) -> Domain:
        return Coded.of(table, name).domain

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def text(self) -> list[str]:
        """The values as they are named in trees and labels."""
        return as_text(self.values).to_list()

    @cached_property
    def positions(self) -> np.ndarray | None:
        """Numbers and dates on a float line (days since 1970 for dates and times); None where there is no distance."""
        return to_line(self.values, self.kind)


@dataclass(frozen=True, eq=False)
class Coded:
    """A column as its domain and codes: row i holds `domain.values[codes[i]]`; −1 where the cell is missing.

    A float that is not a number counts as missing. Row i stands for `times[i]` rows (None: for itself).
    """

    domain: Domain
    codes: np.ndarray
    times: np.ndarray | None = None

    @property
    def missing(self) -> np.ndarray:
        """Which cells are missing."""
        return np.asarray(self.codes < 0)

    @property
    def n_missing(self) -> int:
        """How many cells are missing."""
        return (
            int(len(self.codes) - self.domain.counts.sum())
            if self.times is None
            else int(self.times[self.codes < 0].sum())
        )

    @classmethod
    def counted(cls, column: Column, values: pl.Series, counts: np.ndarray, missing: int = 0) -> Coded:
        """A column that was counted elsewhere: row i is one of its distinct `values` and stands for `counts[i]` rows;
        a last row stands for those whose cell is missing, where there are any.

        >>> coded = Coded.counted(Column("age", Kind.INTEGER, ""), pl.Series([51, 34]), np.array([2, 3]), missing=1)
        >>> coded.domain.values.to_list(), coded.codes.tolist(), coded.n_missing
        ([34, 51], [1, 0, -1], 1)
        """
        found = _plain(values.alias("value"))
        order = _sorting(column, found)
        codes = np.empty(len(found), dtype=np.int32)
        codes[order] = np.arange(len(found), dtype=np.int32)
        domain = Domain(column.name, column.kind, found.gather(order).alias(column.name), counts[order])
        if not missing:
            return cls(domain, codes, counts)
        return cls(domain, np.append(codes, np.int32(-1)), np.append(counts, missing))

    @classmethod
    def of(cls, table: Table, name: str) -> Coded:
        column = table.columns[name]
        # polars reads names such as `^a$` and `*` as patterns in many methods of a Series: work under a harmless one.
        raw, found, counts = distinct(table.frame[name].alias("value"))
        order = _sorting(column, found)
        lookup = np.full(len(found) + 1, -1, dtype=np.int32)  # the last entry is the missing cell
        lookup[order] = np.arange(len(found), dtype=np.int32)
        # mode="clip" skips numpy's bounds check; `distinct` promises codes from 0 to len(found).
        codes = np.take(lookup, raw, mode="clip")
        return cls(Domain(name, column.kind, found.gather(order).alias(name), counts[order]), codes)


def distinct(cells: pl.Series) -> tuple[np.ndarray, pl.Series, np.ndarray]:
    """A code for each row, the value of each code, and its count. Missing cells, and floats that are not numbers, have
    the code after the last.

    >>> codes, values, counts = distinct(pl.Series("value", [2.5, None, 1e9, 2.5]))
    >>> values.gather(codes[[0, 2, 3]]).to_list(), int(codes[1]), sorted(counts.tolist())
    ([2.5, 1000000000.0, 2.5], 2, [1, 2])
    """
    if cells.dtype.is_float():
        cells = cells.fill_nan(None)
    if cells.dtype == pl.String:
        return (_by_bits(cells) if often_differ(cells) else None) or _by_dictionary(cells)
    if cells.dtype == pl.Null:
        return np.zeros(len(cells), dtype=np.int64), pl.Series(cells.name, [], dtype=pl.String), np.zeros(0, np.int64)
    whole = _whole_numbers(cells)
    if whole is None:
        return _by_bits(cells) or _by_join(cells)
    low, high = whole.min(), whole.max()
    if low is None or high is None:
        return np.zeros(len(cells), dtype=np.int64), _plain(cells.clear()), np.zeros(0, np.int64)
    low, high = int(str(low)), int(str(high))
    if high - low >= max(_WIDE, len(cells)) or high >= 2**63 - 1:
        return _by_bits(cells) or _by_join(cells)
    return _by_offset(cells, whole, low, high - low + 1)


def often_differ(cells: pl.Series) -> bool:
    some = cells.gather_every(max(1, len(cells) // _SOME))
    if some.n_unique() <= len(some) // _OFTEN:
        return False
    return int(str(cells.approx_n_unique())) > len(cells) // _OFTEN


def _whole_numbers(cells: pl.Series) -> pl.Series | None:
    """The integers behind a column, where its type has any."""
    if cells.dtype == pl.Boolean:
        return cells.cast(pl.UInt8)
    if cells.dtype.is_integer():
        return cells
    if cells.dtype.is_temporal() or isinstance(cells.dtype, pl.Categorical | pl.Enum):
        return cells.to_physical()
    return None


def _by_dictionary(cells: pl.Series) -> tuple[np.ndarray, pl.Series, np.ndarray]:
    found = kernels.text_codes(cells)
    return narrow(found.codes, len(found.first) + 1), cells.gather(found.first), found.counts


def _by_offset(cells: pl.Series, whole: pl.Series, low: int, span: int) -> tuple[np.ndarray, pl.Series, np.ndarray]:
    filled = whole.cast(pl.Int64).fill_null(low + span) if whole.null_count() else whole
    numbers = filled.to_numpy()
    if low:
        numbers = np.subtract(numbers, low, dtype=np.int64, casting="unsafe")
    counts = np.bincount(numbers, minlength=span + 1)[:span]
    present = np.flatnonzero(counts)
    if isinstance(cells.dtype, pl.Enum):
        values = cells.dtype.categories.gather(present + low).rename(cells.name)
    elif isinstance(cells.dtype, pl.Categorical):
        values = cells.dtype.categories.to_series().gather(present + low).cast(pl.String).rename(cells.name)
    else:
        values = pl.Series(cells.name, (present + low).tolist(), dtype=whole.dtype).cast(cells.dtype)
    if len(present) < span:  # close the gaps
        close = np.full(span + 1, len(present), dtype=np.int32)
        close[present] = np.arange(len(present), dtype=np.int32)
        numbers = np.take(close, numbers, mode="clip")
    return numbers, values, counts[present].astype(np.int64)


def _by_bits(cells: pl.Series) -> tuple[np.ndarray, pl.Series, np.ndarray] | None:
    """Numbers, dates and strings that often differ, by their bits or those of their hash; None where that cannot be."""
    here = cells.drop_nulls()
    bits = _bits(here)
    if bits is None:
        return None
    last = last_equal(bits)
    if here.dtype == pl.String and not here.equals(here.gather(last)):  # two strings with one hash
        return None
    found = np.flatnonzero(last == np.arange(len(last)))
    number = np.empty(len(last), dtype=np.int32)
    number[found] = np.arange(len(found), dtype=np.int32)
    codes = number[last]
    counts = np.bincount(codes, minlength=len(found)).astype(np.int64)
    if len(here) < len(cells):
        every = np.full(len(cells), len(found), dtype=np.int32)
        every[cells.is_not_null().to_numpy()] = codes
        codes = every
    return codes, _plain(here.gather(found)), counts


def _bits(cells: pl.Series) -> np.ndarray | None:
    """64 bits for each cell, equal for equal ones, where its type has them."""
    if cells.dtype == pl.String:
        return cells.hash(0).to_numpy()
    if cells.dtype.is_float():
        return cells.cast(pl.Float64).to_numpy() + 0.0  # −0.0 is 0.0
    if cells.dtype in (pl.Int128, pl.Decimal):
        return None
    whole = _whole_numbers(cells)
    return None if whole is None else whole.cast(pl.UInt64 if whole.dtype == pl.UInt64 else pl.Int64).to_numpy()


def _by_join(cells: pl.Series) -> tuple[np.ndarray, pl.Series, np.ndarray]:
    frame = pl.DataFrame({"value": cells})
    counted = frame.drop_nulls().group_by("value", maintain_order=True).len("count").with_row_index("code")
    joined = frame.join(counted, on="value", how="left", maintain_order="left")
    codes = joined["code"].fill_null(counted.height).to_numpy()
    return codes, _plain(counted["value"].rename(cells.name)), counted["count"].to_numpy().astype(np.int64)


def _plain(values: pl.Series) -> pl.Series:
    """The few distinct values as trees and labels name them: no dictionary types, and −0.0 is 0.0."""
    if isinstance(values.dtype, pl.Categorical | pl.Enum):
        return values.cast(pl.String)
    return values.replace(-0.0, 0.0) if values.dtype.is_float() else values


def _sorting(column: Column, values: pl.Series) -> np.ndarray:
    """The permutation that sorts the values as the kind of their column asks."""
    if column.kind is Kind.ORDINAL and column.order is not None:
        rank = {value: i for i, value in enumerate(column.order)}
        ranks = [rank.get(text) for text in as_text(values)]
        if None in ranks:
            raise TableError(
                f"column {column.name!r}: value {quote(values[ranks.index(None)])} is not in its order. "
                "Add it to the order."
            )
        return np.argsort(np.array(ranks, dtype=np.int64), kind="stable")
    if column.kind in (Kind.NOMINAL, Kind.TEXT):
        values = as_text(values)
    return values.arg_sort().to_numpy().astype(np.int64)
