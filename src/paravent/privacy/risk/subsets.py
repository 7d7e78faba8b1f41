"""Quasi-identifier search: which sets of columns single out how many people.

A set of columns is quasi-identifying when some combination of its values occurs in exactly one row. It is minimal
when no part of it is: those are the sets to ask about first, since every set around them is quasi-identifying too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
import polars as pl

from paravent.errors import TableError
from paravent.kernels import fold
from paravent.kernels.subsets import MOST_COLUMNS, count_subsets
from paravent.measures import as_percent
from paravent.near import suggest
from paravent.privacy.grouping import cell_codes, dense_codes
from paravent.profiling.subsets import MOST_SUBSETS_ASKED, SubsetProfile


@dataclass(frozen=True)
class QuasiIdentifiers:
    """Every set of up to `max_size` columns with how far it tells the rows apart; by size, then in column order."""

    subsets: tuple[SubsetProfile, ...]
    max_size: int

    @property
    def minimal(self) -> tuple[SubsetProfile, ...]:
        """The quasi-identifying sets of which no part is one."""
        found: list[frozenset[str]] = []
        kept: list[SubsetProfile] = []
        for subset in self.subsets:
            columns = frozenset(subset.columns)
            if subset.is_quasi_identifier and not any(smaller <= columns for smaller in found):
                found.append(columns)
                kept.append(subset)
        return tuple(kept)

    def strongest(self, most: int = 10) -> tuple[SubsetProfile, ...]:
        """Those that single out most rows; of equals the one with fewer columns, then the one that comes first."""
        return tuple(sorted(self.subsets, key=lambda s: (-s.singled_out, len(s.columns)))[:most])

    def __getitem__(self, columns: str | Sequence[str]) -> SubsetProfile:
        wanted = {columns} if isinstance(columns, str) else set(columns)
        for subset in self.subsets:
            if set(subset.columns) == wanted:
                return subset
        raise KeyError(columns)

    def __contains__(self, columns: object) -> bool:
        wanted = {columns} if isinstance(columns, str) else set(columns) if isinstance(columns, Iterable) else None
        return any(set(subset.columns) == wanted for subset in self.subsets)

    def __iter__(self) -> Iterator[SubsetProfile]:
        return iter(self.subsets)

    def __len__(self) -> int:
        return len(self.subsets)

    def to_dict(self) -> dict[str, object]:
        return {
            "max_size": self.max_size,
            "sets": [
                {
                    "columns": list(subset.columns),
                    "singled_out": subset.singled_out,
                    "share": subset.singled_out_share,
                    "distinction": subset.distinction,
                    "separation": subset.separation,
                }
                for subset in self.subsets
            ],
            "minimal": [list(subset.columns) for subset in self.minimal],
        }

    def __str__(self) -> str:
        shown = [s for s in self.strongest() if s.is_quasi_identifier]
        if not shown:
            return f"No set of up to {self.max_size} columns singles anybody out."
        lines = [
            f"Of {len(self.subsets)} sets of columns, {len(self.minimal)} smallest ones single somebody out. Most do:"
        ]
        lines += [f"  {as_percent(s.singled_out_share):>8}  {', '.join(s.columns)}" for s in shown]
        return "\n".join(lines)


def quasi_identifiers(
    frame: pl.DataFrame, columns: Sequence[str] | None = None, *, max_size: int = 3
) -> QuasiIdentifiers:
    """All sets of up to `max_size` of the columns (of all columns by default), and the set of all of them.

    Missing cells are equal to one another.

    >>> frame = pl.DataFrame({"zip": [1, 1, 2, 2], "sex": ["m", "f", "f", "m"], "job": ["a", "a", "a", "b"]})
    >>> found = quasi_identifiers(frame)
    >>> [subset.columns for subset in found.minimal]
    [('job',), ('zip', 'sex')]
    >>> found["zip", "sex"].singled_out
    4
    """
    names = list(frame.columns if columns is None else columns)
    for name in names:
        if name not in frame.columns:
            raise TableError(f"there is no column {name!r}. {suggest(name, frame.columns)}")
    if len(set(names)) < len(names):
        raise TableError("a column is named twice. Name each column once.")
    if max_size < 1:
        raise TableError(f"max_size must be at least 1, not {max_size}.")
    size = min(max_size, len(names))
    asked = sum(comb(len(names), k) for k in range(1, size + 1))
    if asked > MOST_SUBSETS_ASKED:
        raise TableError(
            f"sets of up to {max_size} of {len(names)} columns are {asked}, more than {MOST_SUBSETS_ASKED}. Lower the "
            "size, or name fewer columns."
        )
    if len(names) > MOST_COLUMNS:
        raise TableError(f"{len(names)} columns are too many to search. Name at most {MOST_COLUMNS}.")
    if not names:
        return QuasiIdentifiers((), 0)
    return QuasiIdentifiers(tuple(_profiles(frame, names, size)), size)


def _profiles(frame: pl.DataFrame, names: list[str], size: int) -> list[SubsetProfile]:
    """The sets of up to `size` columns and the set of all, by size, then in column order."""
    cells = [dense_codes(cell_codes(frame[name])) for name in names]
    # The search starts from the last columns: those with most values part most people at once.
    order = sorted(range(len(names)), key=lambda j: cells[j][1])
    radices = [cells[j][1] for j in order]
    folded = fold([cells[j][0] for j in order], radices)
    tuples = [np.ascontiguousarray(cells[j][0][folded.representative]) for j in order]
    found: dict[tuple[int, ...], SubsetProfile] = {}
    counted = count_subsets(tuples, radices, folded.weight, max_size=size)
    for mask, distinct, alone, pairs in zip(*(column.tolist() for column in counted), strict=True):
        places = tuple(sorted(order[at] for at in range(len(names)) if mask >> at & 1))
        found[places] = SubsetProfile(tuple(names[j] for j in places), frame.height, distinct, alone, pairs)
    rows = folded.weight.astype(np.int64)
    whole = len(rows), int((rows == 1).sum()), int((rows * (rows - 1) // 2).sum())
    found[tuple(range(len(names)))] = SubsetProfile(tuple(names), frame.height, *whole)
    return [found[places] for places in sorted(found, key=lambda places: (len(places), places))]
