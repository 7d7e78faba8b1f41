"""Swapping of rows at risk and of households: columns of a table become codes, and partners exchange their columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from paravent import kernels
from paravent.errors import PlanError
from paravent.privacy.grouping import cell_codes, dense_codes
from paravent.published.by_row import missing_cells
from paravent.treatments.moved import moved, with_pattern
from paravent.treatments.strata import groups_of
from paravent.treatments.swapping.households import Households, swap_households
from paravent.treatments.treatment import Treated, Work


@dataclass(frozen=True, eq=False)
class Units:
    """Which rows are swapped together: the unit of each row, the rows unit by unit, where each unit starts in them."""

    of_row: np.ndarray
    rows: np.ndarray
    start: np.ndarray

    @classmethod
    def of(cls, work: Work, household: str | None) -> Units:
        if household is None:
            rows = np.arange(len(work.table))
            return cls(rows, rows, rows)
        if missing_cells(work.cells(household)).any():
            raise PlanError(f"Swap: column {household!r} names households and has missing values. Fill or drop these.")
        of_row = dense_codes(cell_codes(work.cells(household)))[0].astype(np.int64)
        rows = np.argsort(of_row, kind="stable")
        return cls(of_row, rows, np.flatnonzero(np.diff(of_row[rows], prepend=-1)))

    @property
    def first(self) -> np.ndarray:
        """A row of each unit."""
        return np.asarray(self.rows[self.start])

    @property
    def size(self) -> np.ndarray:
        return np.diff(self.start, append=len(self.rows))

    def fewest(self, counts: np.ndarray) -> np.ndarray:
        """The least count of a row in each unit."""
        return np.asarray(np.minimum.reduceat(counts[self.rows], self.start)) if len(self.rows) else counts

    def check_same(self, work: Work, columns: Sequence[str], what: str) -> None:
        """Raise PlanError where rows of a household differ in a column that is the household's."""
        for name in columns:
            codes = cell_codes(work.cells(name))
            if (codes != codes[self.first][self.of_row]).any():
                raise PlanError(
                    f"Swap: column {name!r} differs between people of one household, and {what} must not. Name a "
                    "column about households."
                )


def swap_rows(
    work: Work,
    columns: Sequence[str],
    *,
    risk: Sequence[str],
    k: int,
    profiles: Sequence[Sequence[str]],
    within: Sequence[str],
) -> Treated:
    """Rows that fewer than k rows are like in the risk columns get the columns of another row that differs in them."""
    groups = groups_of(work.frame, within)
    counts = _counts([groups_of(work.frame, risk)])
    place = groups_of(work.frame, columns).astype(np.int32)
    alike = _alike(work, with_pattern(work, columns, groups), np.arange(len(work.table)), profiles)
    swaps = swap_households(Households([place], [counts], alike), [k], 0.0, work.rng)
    words = f"Swap: {swaps.risky} rows are at risk, {swaps.stranded} of them found nobody alike"
    return moved(work, dict.fromkeys(columns, swaps.received), groups, words)


def swap_records(
    work: Work,
    columns: Sequence[str],
    geography: Sequence[str],
    *,
    household: str | None,
    risk: Sequence[str],
    least: Sequence[int],
    profiles: Sequence[Sequence[str]],
    share: float,
) -> Treated:
    """Households get the columns of another of the same size that lives elsewhere, those at risk and a share of all."""
    units = Units.of(work, household)
    units.check_same(work, columns, "what is swapped")
    units.check_same(work, [name for each in profiles for name in each], "what partners share")
    if work.persons is not None:
        _check_persons(work.persons, units)
    people = groups_of(work.frame, risk)
    areas = [groups_of(work.frame, geography[: level + 1]) for level in range(len(geography))]
    fewest = [units.fewest(_counts([area, people])) for area in areas]
    alike = _alike(work, with_pattern(work, columns, units.size[units.of_row]), units.first, profiles)
    swaps = swap_households(
        Households([area[units.first].astype(np.int32) for area in areas], fewest, alike), least, share, work.rng
    )
    source = np.where(
        swaps.received[units.of_row] == units.of_row,
        np.arange(len(work.table)),
        units.first[swaps.received][units.of_row],
    )
    words = (
        f"Swap: {swaps.swapped} of {len(units.start)} households are swapped; {swaps.risky} were at risk, "
        f"{swaps.stranded} of them found nobody alike elsewhere"
    )
    found = moved(work, dict.fromkeys(columns, source), np.zeros(len(work.table), dtype=np.int64), words)
    figures = {"households": len(units.start), "swapped": swaps.swapped, "risky": swaps.risky}
    return Treated(
        found.cells, trace=found.trace, figures={**found.figures, **figures, "stranded": float(swaps.stranded)}
    )


def _counts(codes: Sequence[np.ndarray]) -> np.ndarray:
    """How many rows share the codes of each row."""
    small = [each.astype(np.int32) for each in codes]
    folded = kernels.fold(small, [int(each.max(initial=0)) + 1 for each in small])
    return np.asarray(folded.weight[folded.tuple_of_row], dtype=np.int64)


def _alike(work: Work, groups: np.ndarray, rows: np.ndarray, profiles: Sequence[Sequence[str]]) -> list[np.ndarray]:
    """For each profile a code of the unit of each of the rows, equal where units may be partners."""
    found = []
    for profile in profiles:
        codes = [groups[rows], *(cell_codes(work.cells(name))[rows] for name in profile)]
        small = [dense_codes(each)[0] for each in codes]
        found.append(kernels.fold(small, [int(each.max(initial=0)) + 1 for each in small]).tuple_of_row)
    return found


def _check_persons(persons: np.ndarray, units: Units) -> None:
    """Raise PlanError where rows of a person would go different ways."""
    first = np.zeros(int(persons.max(initial=-1)) + 1, dtype=np.int64)
    first[persons] = units.of_row
    if (first[persons] != units.of_row).any():
        raise PlanError(
            "Swap: rows of one person are in different households, and would be swapped apart. Name as household a "
            "column that keeps a person's rows together."
        )
