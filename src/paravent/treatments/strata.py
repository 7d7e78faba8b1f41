"""Groups of rows that treatments never mix, and what every treatment by groups asks of a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import polars as pl

from paravent.errors import PlanError
from paravent.privacy.grouping import cell_codes, dense_codes, group_rows
from paravent.table.domain import Coded
from paravent.table.kinds import Kind
from paravent.table.line import to_line
from paravent.table.table import Table
from paravent.treatments.treatment import Treatment, Work


def groups_of(frame: pl.DataFrame, columns: Sequence[str]) -> np.ndarray:
    """The group of each row, numbered from 0: rows are together where they are equal in the columns, and all where none
    is named. Missing cells are equal to one another."""
    codes = [dense_codes(cell_codes(frame[name].alias("cells")))[0] for name in columns]
    return group_rows(codes, frame.height)[0].astype(np.int64)


def slices(groups: np.ndarray) -> Iterable[np.ndarray]:
    """The rows of each group, ascending."""
    if len(groups):
        order = np.argsort(groups, kind="stable")
        yield from np.split(order, np.flatnonzero(np.diff(groups[order])) + 1)


def places_of(table: Table, columns: Sequence[str]) -> np.ndarray:
    """Columns on their lines: numbers, dates in days, ordinal values by their rank; nan where a cell is missing. A
    matrix whose columns are contiguous."""
    return np.array([_places(table, name) for name in columns]).reshape(len(columns), len(table)).T


def _places(table: Table, name: str) -> np.ndarray:
    kind = table.columns[name].kind
    found = to_line(table.frame[name].alias("cells"), kind)
    if found is not None:
        return found
    codes = Coded.of(table, name).codes
    return np.where(codes < 0, np.nan, codes.astype(np.float64))


def names(given: str | Iterable[str]) -> tuple[str, ...]:
    """One name or several."""
    return (given,) if isinstance(given, str) else tuple(given)


def check_apart(treatment: Treatment, **options: Sequence[str]) -> None:
    """Raise PlanError when a column that is only read is one that changes."""
    for option, columns in options.items():
        for name in columns:
            if name in treatment.columns:
                raise PlanError(
                    f"{type(treatment).__name__}: column {name!r} is named in {option} and is treated itself. "
                    "Name it once."
                )


def check_numbers(treatment: Treatment, table: Table, why: str, columns: Sequence[str]) -> None:
    """Raise PlanError unless columns hold finite numbers or dates."""
    for name in columns:
        kind = table.columns[name].kind
        if not kind.is_numeric and kind is not Kind.DATE:
            raise PlanError(f"{type(treatment).__name__}: column {name!r} is {kind}, and {why} needs numbers or dates.")
        places = to_line(table.frame[name].alias("cells"), kind)
        if places is not None and np.isinf(places).any():
            raise PlanError(
                f"{type(treatment).__name__}: column {name!r} holds infinite numbers. Replace them by a number, or "
                "leave them out."
            )


def check_ordered(treatment: Treatment, table: Table, why: str, columns: Sequence[str]) -> None:
    """Raise PlanError unless the values of columns have an order."""
    for name in columns:
        if not table.columns[name].kind.is_ordered:
            raise PlanError(
                f"{type(treatment).__name__}: column {name!r} is {table.columns[name].kind}, and {why} needs numbers, "
                "dates or ordinal values. Say its order when it is read (kinds)."
            )


def check_share(treatment: Treatment, **options: float | Mapping[str, float] | None) -> None:
    """Raise PlanError unless shares lie between 0 and 1. Percent are a mistake that costs protection or data."""
    for option, value in options.items():
        found = value.values() if isinstance(value, Mapping) else () if value is None else (value,)
        for share in found:
            if not 0 < share <= 1:
                raise PlanError(
                    f"{type(treatment).__name__}: {option} must be a share above 0 and at most 1, not {share!r}. "
                    "Write 5 % as 0.05."
                )


def check_one_row_each(treatment: Treatment, work: Work) -> None:
    """Raise PlanError where people have several rows: drawn row by row, one would tell about the others."""
    if work.persons is not None and len(np.unique(work.persons)) < len(work.persons):
        raise PlanError(
            f"{type(treatment).__name__}: people have several rows here, and each row would be changed by itself: the "
            "rows of a person together would give away what each alone hides. Treat a table with one row a person, or "
            "take PRAM or additive noise, which are drawn by person."
        )
