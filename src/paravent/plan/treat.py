"""Treating: the table as the treatments of a plan leave it, which classes are then made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import polars as pl

from paravent.errors import InfeasibleError, PlanError, UnsafeReleaseError
from paravent.methods.method import Progress, silent
from paravent.plan.file import resolved
from paravent.plan.persons import persons_in
from paravent.plan.plan import Plan
from paravent.plan.roles import Drop, Identifier
from paravent.published import Source
from paravent.published.by_row import ByRow
from paravent.table.infer import infer_columns
from paravent.table.kinds import Column, Kind
from paravent.table.randomness import generator
from paravent.table.table import Table, with_series
from paravent.table.text import as_text
from paravent.treatments.treatment import Told, Treated, Treatment, Work, check_names


@dataclass(frozen=True, eq=False)
class Base:
    """What classes are made of: the `table` as treatments leave it, row for row the `original`. `rows` are those that
    stay; treated cells of the others are missing."""

    original: Table
    table: Table
    rows: np.ndarray
    trace: tuple[str, ...] = ()
    beside: Mapping[str, Told] = field(default_factory=dict)
    figures: tuple[Mapping[str, float], ...] = ()
    coarsened: frozenset[str] = frozenset()

    @cached_property
    def known(self) -> Table:
        """What somebody can know of the treated table who knows the original and the plan: the cells that follow from
        their originals alone are treated, all others are the original's."""
        frame = with_series(self.original.frame, [self.table.frame[name] for name in self.coarsened])
        columns = {name: self.table.columns[name] for name in self.coarsened}
        return replace(self.original, frame=frame, columns={**self.original.columns, **columns})


def base_of(table: Table, plan: Plan, progress: Progress = silent) -> Base:
    """The table as the treatments of the plan leave it; the table itself where there are none."""
    return _treated(table, plan, progress) if plan.treat else Base(table, table, np.arange(len(table)))


def check_treatments(plan: Plan, table: Table) -> None:
    """Raise PlanError when a treatment does not fit the columns of the table, their roles, or what models promise."""
    judged = {name: model for model in plan.models for name in model.needs}
    population = next((model for model in plan.models if model.people is not None), None)
    for place, treatment in enumerate(plan.treat):
        where, name = f"treat[{place}]", type(treatment).__name__
        try:
            check_names(treatment, table.names)
        except PlanError as error:
            raise PlanError(f"{where}: {error.raw}") from None
        for column in treatment.columns:
            role = plan.role(column)
            if isinstance(role, Drop):
                raise PlanError(f"{where}: {name}: column {column!r} is left out of the release. Leave it untreated.")
            if isinstance(role, Identifier) or column == plan.person:
                raise PlanError(
                    f"{where}: {name}: column {column!r} names people. It is left out or replaced by its role, "
                    "pv.Identifier(replace=…), and not treated."
                )
            if column in judged and not treatment.coarsens:
                raise PlanError(
                    f"{where}: {name}: cells of column {column!r} would no longer be true of their rows, so that "
                    f"{judged[column].describe()} would be judged by values that nobody has. Leave one of them out."
                )
            if population is not None and column in plan.quasi:
                raise PlanError(
                    f"{where}: {name}: {population.describe()} compares column {column!r} with a population, whose "
                    "values are not treated. Give the column a tree instead, or treat both tables beforehand."
                )


def _treated(table: Table, plan: Plan, progress: Progress) -> Base:
    rows, now = np.arange(len(table)), table
    trace: list[str] = []
    beside: dict[str, Told] = {}
    figures: list[Mapping[str, float]] = []
    located = resolved(plan)
    trees = {name: role.tree for name, role in located.quasi.items() if role.tree is not None}
    for place, (treatment, said) in enumerate(zip(located.treat, plan.treat, strict=True)):
        roles = plan.role_names(now.names)
        check_treatment_of(place, treatment, now, plan)
        rng = generator(plan.seed, table.order_key, "treatment", place, said)
        work = Work(now, rng, roles, persons_in(now, plan), progress, trees)
        found = treatment.run(work)
        now = changed_by(now, treatment, found)
        if found.kept is not None:
            rows, now = rows[found.kept], now.only_rows(np.asarray(found.kept))
        if len(now) == 0:
            raise InfeasibleError(f"treat[{place}]: {treatment!r} leaves no row. Keep more of them.")
        for name, told in found.beside.items():
            if name in beside:
                raise PlanError(f"treat[{place}]: two treatments publish a table {name!r}. Leave one of them out.")
            beside[name] = told
        trace += found.trace
        figures.append(dict(found.figures))
    treated = {name for treatment in plan.treat for name in treatment.columns}
    moved = {name for treatment in plan.treat for name in treatment.columns if not treatment.coarsens}
    spread = _over_all_rows(now, table, rows, treated)
    return Base(table, spread, rows, tuple(trace), beside, tuple(figures), frozenset(treated - moved))


def check_treatment_of(place: int, treatment: Treatment, now: Table, plan: Plan) -> None:
    """A treatment against the table as those before have left it."""
    try:
        treatment.check(now, plan.role_names(now.names))
    except PlanError as error:
        earlier = [each for each in plan.treat[:place] if set(each.columns) & set(treatment.columns)]
        changed = f" {type(earlier[-1]).__name__} has changed the column before." if earlier else ""
        raise PlanError(f"treat[{place}]: {error.raw}{changed}") from None


def changed_by(table: Table, treatment: Treatment, found: Treated) -> Table:
    """The table with the cells that a treatment gave, each column checked in the sense of its kind."""
    undeclared = sorted(found.cells.keys() - set(treatment.columns))
    if undeclared:
        raise UnsafeReleaseError(
            f"column {undeclared[0]!r}: {type(treatment).__name__} has changed it without saying so. "
            "Nothing is released."
        )
    changed, columns = [], dict(table.columns)
    for name, published in found.cells.items():
        source = Source(name, table.frame[name].alias("cells"))
        if not isinstance(published, ByRow) or not published.fits(source, 1):
            raise UnsafeReleaseError(
                f"column {name!r}: {type(treatment).__name__} gave cells that do not fit the table. "
                "Nothing is released."
            )
        published.check_kind(source)
        if not treatment.is_kept(table, name, published.cells.alias("cells")):
            raise UnsafeReleaseError(
                f"column {name!r}: a cell is not what {type(treatment).__name__} is asked to make of its value. "
                "Nothing is released."
            )
        cells = published.cells.rechunk().alias(name)
        changed.append(cells)
        columns[name] = _column(columns[name], table.frame.schema[name], cells, found.orders.get(name))
    return replace(table, frame=with_series(table.frame, changed), columns=columns)


def _column(before: Column, dtype: pl.DataType, cells: pl.Series, order: tuple[str, ...] | None) -> Column:
    """What is known of a column with new cells."""
    still = cells.dtype == dtype and order is None
    if still and before.kind is Kind.ORDINAL:
        still = set(as_text(cells.alias("cells")).drop_nulls().unique()) <= set(before.order or ())
    if still:
        return replace(before, missing=cells.null_count())
    orders = {} if order is None else {cells.name: order}
    return infer_columns(pl.DataFrame([cells]), orders=orders)[cells.name]


def _over_all_rows(now: Table, table: Table, rows: np.ndarray, treated: set[str]) -> Table:
    """The treated table with a row for each of the original; where a row did not stay, treated cells are missing."""
    if len(rows) == len(table):
        return replace(now, origin=table.origin)
    place = np.full(len(table), -1, dtype=np.int64)
    place[rows] = np.arange(len(rows))
    spread = pl.Series(place).replace(-1, None)
    columns = [now.frame[name].gather(spread) if name in treated else table.frame[name] for name in table.names]
    frame = pl.DataFrame(columns)
    known = {name: replace(column, missing=frame[name].null_count()) for name, column in now.columns.items()}
    return replace(table, frame=frame, columns=known)
