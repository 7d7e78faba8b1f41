"""Suppression: cells are left empty."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from paravent.errors import PlanError
from paravent.hierarchy.spec import as_tuple
from paravent.methods.method import RoleName
from paravent.published import Blanked
from paravent.published.published import without
from paravent.table.table import Table
from paravent.table.text import as_text
from paravent.treatments.treatment import OnColumns, Reach, Treated, Work
from paravent.treatments.values import on_line, strata_of, value_of


@dataclass(frozen=True, repr=False)
class Suppress(OnColumns):
    """Cells of a column become missing: all of them, or those that meet every condition that is given.

    Conditions on the cell: its value is one of `values` (as they are written), lies `above` or `below` a limit, or is
    held by fewer than `rarer` people. Conditions on its row: other columns have values as in `where`; or, by `risk`,
    whoever knows the quasi-identifiers finds the row with a probability above it (1 over the people that share them).

    What is blank says that the condition holds, and the plan may be read by others: blank what many values have in
    common. A column that is blank as a whole is better left out (`pv.Drop`).

    >>> import paravent as pv
    >>> rows = pl.DataFrame({"job": ["nurse", "nurse", "judge", "nurse"], "sex": ["f", "f", "m", "m"]})
    >>> plan = pv.Plan({"sex": pv.Quasi()}, pv.KAnonymity(2), treat=[Suppress("job", rarer=2)], order="source")
    >>> pv.anonymize(rows, plan).frame["job"].to_list()
    ['nurse', 'nurse', None, 'nurse']
    """

    _: KW_ONLY
    values: tuple[str, ...] | None = None
    above: float | str | None = None
    below: float | str | None = None
    rarer: int | None = None
    where: Mapping[str, str | tuple[str, ...]] | None = None
    risk: float | None = None

    title: ClassVar[str] = "Suppression of cells"
    source: ClassVar[str] = "Hundepool et al. 2012"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.values is not None:
            object.__setattr__(self, "values", as_tuple(self.values))
        if self.where is not None:
            tidy = {name: as_tuple(given) for name, given in self.where.items()}
            object.__setattr__(self, "where", tidy)
        if self.rarer is not None and self.rarer < 2:
            raise PlanError(f"Suppress: rarer must be at least 2, not {self.rarer!r}.")
        if self.risk is not None and not 0 < self.risk < 1:
            raise PlanError(f"Suppress: risk must lie between 0 and 1, not be {self.risk!r}.")

    @property
    def coarsens(self) -> bool:
        return True

    @property
    def reads(self) -> tuple[str, ...]:
        return tuple(self.where or ())

    @property
    def reach(self) -> Reach:
        return "rows" if self.rarer is None and self.risk is None else "table"

    def by_row(self, table: Table) -> bool:  # noqa: ARG002
        return self.rarer is None and self.risk is None

    def check(self, table: Table, roles: Mapping[str, RoleName]) -> None:
        for name in self.columns:
            for limit in (self.above, self.below):
                if limit is not None:
                    value_of("Suppress", table, name, limit)
        if self.risk is not None and "quasi" not in roles.values():
            raise PlanError("Suppress: risk is that of quasi-identifiers, and the plan names none. Name them.")

    def run(self, work: Work) -> Treated:
        rows = self._rows(work)
        cells, trace = {}, []
        figures: dict[str, float] = {}
        for name in self.columns:
            blank = rows & self._cells(work, name)
            column = work.cells(name)
            cells[name] = Blanked(without(column, blank).alias("cells"))
            count = int((blank & column.is_not_null().to_numpy()).sum())
            trace.append(f"Suppress: {count} of {len(column)} cells of {name!r} are left empty.")
            figures[f"suppressed.{name}"] = count
        return Treated(cells, trace=tuple(trace), figures=figures)

    def _rows(self, work: Work) -> np.ndarray:
        """The rows that meet the conditions on rows."""
        found = np.ones(len(work.table), dtype=bool)
        for name, given in (self.where or {}).items():
            found &= _one_of(work.cells(name), as_tuple(given))
        if self.risk is not None:
            groups, _ = strata_of(work.table, [name for name, role in work.roles.items() if role == "quasi"])
            found &= 1 / _people(groups, work.persons) > self.risk
        return found

    def _cells(self, work: Work, name: str) -> np.ndarray:
        """The cells that meet the conditions on cells."""
        column = work.cells(name)
        found = np.ones(len(column), dtype=bool)
        if self.values is not None:
            found &= _one_of(column, self.values)
        asked = (self.above, self.below)
        limits = [None if limit is None else value_of("Suppress", work.table, name, limit) for limit in asked]
        line, above, below = on_line(work.table.columns[name], column, *limits)
        if above is not None:
            found &= (line > above).fill_null(False).to_numpy()
        if below is not None:
            found &= (line < below).fill_null(False).to_numpy()
        if self.rarer is not None:
            groups, _ = strata_of(work.table, [name])
            found &= _people(groups, work.persons) < self.rarer
        return found


def _one_of(column: pl.Series, values: tuple[str, ...]) -> np.ndarray:
    return np.asarray(as_text(column).is_in(list(values)).fill_null(False).to_numpy())


def _people(groups: np.ndarray, persons: np.ndarray | None) -> np.ndarray:
    """For each row, how many people its group has; rows, where every row is another person."""
    if persons is None:
        return np.asarray(np.bincount(groups)[groups])
    pairs = pl.DataFrame({"group": groups, "person": persons})
    return pairs.select(pl.col("person").n_unique().over("group")).to_series().to_numpy()
