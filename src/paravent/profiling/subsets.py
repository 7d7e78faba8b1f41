"""Column sets: which of them tell people apart, and how many they single out.

A set Q of columns is quasi-identifying for a table when some combination of its values occurs in exactly one row,
that is when `SELECT Q FROM T GROUP BY Q HAVING COUNT(*) = 1` returns something. Two shares say how far it goes
(Motwani and Xu 2007): *distinction*, the number of different combinations a row, and *separation*, the share of all
pairs of rows that differ somewhere in Q. As in SQL's GROUP BY, missing values are equal to each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np

from paravent.errors import TableError
from paravent.near import suggest
from paravent.table.domain import Coded
from paravent.table.table import Table

MOST_SUBSETS = 2_000
MOST_SUBSETS_ASKED = 100_000
MOST_WORK = 400_000_000


@dataclass(frozen=True)
class SubsetProfile:
    """How far one set of columns tells the rows of a table apart."""

    columns: tuple[str, ...]
    rows: int
    distinct: int
    singled_out: int
    equal_pairs: int

    @property
    def is_quasi_identifier(self) -> bool:
        """Whether at least one row is alone with its combination of values."""
        return self.singled_out > 0

    @property
    def singled_out_share(self) -> float:
        return self.singled_out / self.rows if self.rows else 0.0

    @property
    def distinction(self) -> float:
        """Different combinations, divided by the rows."""
        return self.distinct / self.rows if self.rows else 0.0

    @property
    def separation(self) -> float:
        """The share of pairs of rows that differ in at least one of the columns."""
        pairs = self.rows * (self.rows - 1) // 2
        return (pairs - self.equal_pairs) / pairs if pairs else 0.0


def profile_subsets(
    table: Table,
    columns: Sequence[str] | None = None,
    *,
    max_subset: int | None = None,
    coded: Mapping[str, Coded] | None = None,
) -> tuple[SubsetProfile, ...]:
    """Every set of up to `max_subset` of the columns, and the set of all of them; by size, then in column order.

    Without `max_subset` sizes are added as long as the work stays within a few seconds. `coded` holds columns that
    were coded before.

    >>> import paravent as pv, polars as pl
    >>> table = pv.read(pl.DataFrame({"zip": [1, 1, 2], "sex": ["m", "f", "f"]}))
    >>> for found in profile_subsets(table):
    ...     print(found.columns, found.singled_out, found.distinction, found.separation)
    ('zip',) 1 0.6666666666666666 0.6666666666666666
    ('sex',) 1 0.6666666666666666 0.6666666666666666
    ('zip', 'sex') 3 1.0 1.0
    """
    names = list(table.names if columns is None else columns)
    for name in names:
        if name not in table.columns:
            raise TableError(f"there is no column {name!r}. {suggest(name, table.names)}")
    if len(set(names)) < len(names):
        raise TableError("a column is named twice in the set to profile. Name each column once.")
    if max_subset is not None and max_subset < 1:
        raise TableError(f"max_subset must be at least 1, not {max_subset}.")
    if not names:
        return ()
    if max_subset is not None:
        asked = sum(comb(len(names), size) for size in range(1, min(max_subset, len(names)) + 1))
        if asked > MOST_SUBSETS_ASKED:
            raise TableError(
                f"max_subset={max_subset} of {len(names)} columns asks for {asked} sets, more than "
                f"{MOST_SUBSETS_ASKED}. Lower it, or name fewer columns."
            )
    codes = {name: row_codes((coded or {}).get(name) or Coded.of(table, name)) for name in names}
    return tuple(count_subsets(codes, len(table), max_subset))


def row_codes(column: Coded) -> tuple[np.ndarray, int]:
    """Each row's value as a number from 0, missing ones alike, and how many numbers there are. All occur."""
    missing, distinct = column.missing, len(column.domain)
    if not missing.any():
        return column.codes, distinct
    return np.where(missing, distinct, column.codes), distinct + 1


def _dense(keys: np.ndarray, bound: int) -> tuple[np.ndarray, int]:
    """Keys below `bound`, renumbered without gaps in the same order."""
    occurs = np.zeros(bound, dtype=bool)
    occurs[keys] = True
    number = np.cumsum(occurs, dtype=np.int64) - 1
    return number[keys], int(number[-1]) + 1 if bound else 0


@dataclass(frozen=True, eq=False)
class _Groups:
    """A grouping of the tuples: the group of each (dense, None where nobody will refine it) and the groups' sizes."""

    of_tuple: np.ndarray | None
    sizes: np.ndarray


def _refine(
    groups: np.ndarray | None, n_groups: int, codes: np.ndarray, radix: int, weights: np.ndarray | None, keep: bool
) -> _Groups:
    """Split every group by one more column. Counting by key beats sorting while the keys are not many."""
    if groups is None:  # the first column: its codes are groups already
        sizes = np.bincount(codes, weights=weights, minlength=radix).astype(np.int64)
        return _Groups(codes.astype(np.int64) if keep else None, sizes)
    keys = groups * radix + codes
    bound = n_groups * radix
    if bound <= 4 * len(keys) + 65_536:
        sizes = np.bincount(keys, weights=weights, minlength=bound).astype(np.int64)
        return _Groups(_dense(keys, bound)[0] if keep else None, sizes[sizes > 0])
    if weights is None and not keep:
        keys = np.sort(keys)
        starts = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]])
        return _Groups(None, np.diff(np.r_[starts, len(keys)]))
    order = np.argsort(keys)
    ordered = keys[order]
    begins = np.r_[True, ordered[1:] != ordered[:-1]]
    starts = np.flatnonzero(begins)
    sizes = np.diff(np.r_[starts, len(keys)]) if weights is None else np.add.reduceat(weights[order], starts)
    of_tuple = None
    if keep:
        of_tuple = np.empty(len(keys), dtype=np.int64)
        of_tuple[order] = np.cumsum(begins) - 1
    return _Groups(of_tuple, sizes.astype(np.int64))


def count_subsets(
    codes: Mapping[str, tuple[np.ndarray, int]], n_rows: int, max_subset: int | None
) -> Iterator[SubsetProfile]:
    """The statistics of the subsets of coded columns, all of one length, in the order of `profile_subsets`."""
    names = list(codes)
    if n_rows == 0:
        yield from (SubsetProfile((name,), 0, 0, 0, 0) for name in names)
        return
    # Few values first: the keys of most subsets then stay small enough to be counted without sorting.
    order = sorted(range(len(names)), key=lambda i: codes[names[i]][1])
    arrays = [codes[names[i]][0] for i in order]
    radices = [codes[names[i]][1] for i in order]
    whole, first_rows = _fold(arrays, radices)
    n_whole = len(whole)
    weights: np.ndarray | None = None
    if n_whole < 0.8 * n_rows:  # equal rows are worked on once
        arrays, weights = [array[first_rows] for array in arrays], whole
    deepest = _largest_size(len(names), len(arrays[0])) if max_subset is None else min(max_subset, len(names))
    found: dict[tuple[int, ...], SubsetProfile] = {}

    def record(members: tuple[int, ...], sizes: np.ndarray) -> None:
        positions = tuple(sorted(order[i] for i in members))
        equal_pairs = int((sizes * (sizes - 1) // 2).sum())
        columns = tuple(names[i] for i in positions)
        found[positions] = SubsetProfile(columns, n_rows, len(sizes), int((sizes == 1).sum()), equal_pairs)

    def grow(members: tuple[int, ...], groups: np.ndarray | None, n_groups: int) -> None:
        for column in range(members[-1] + 1 if members else 0, len(arrays)):
            grown = (*members, column)
            if n_groups == n_whole:  # these members tell all tuples apart already; more columns change nothing
                split = _Groups(groups, whole)
            else:
                last = len(grown) == deepest or column == len(arrays) - 1
                split = _refine(groups, n_groups, arrays[column], radices[column], weights, keep=not last)
            record(grown, split.sizes)
            if len(grown) < deepest:
                grow(grown, split.of_tuple, len(split.sizes))

    grow((), None, 1)
    record(tuple(range(len(arrays))), whole)
    yield from (found[key] for key in sorted(found, key=lambda key: (len(key), key)))


def _fold(arrays: list[np.ndarray], radices: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """The different tuples of all columns: how many rows hold each, and the first of these rows."""
    groups, n_groups = arrays[0].astype(np.int64), radices[0]
    for array, radix in zip(arrays[1:], radices[1:], strict=True):
        split = _refine(groups, n_groups, array, radix, None, keep=True)
        assert split.of_tuple is not None
        groups, n_groups = split.of_tuple, len(split.sizes)
    first_rows = np.empty(n_groups, dtype=np.int64)
    first_rows[groups[::-1]] = np.arange(len(groups) - 1, -1, -1)
    return np.bincount(groups, minlength=n_groups), first_rows


def _largest_size(n_columns: int, n_tuples: int) -> int:
    """The largest subset size whose work is affordable. From 3 on sizes mostly need sorting, five times dearer."""
    subsets, work = 0, 0
    for size in range(1, n_columns + 1):
        subsets += comb(n_columns, size)
        work += comb(n_columns, size) * n_tuples * (1 if size <= 2 else 5)
        if size > 1 and (subsets > MOST_SUBSETS or work > MOST_WORK):
            return size - 1
    return n_columns
