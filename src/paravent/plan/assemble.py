"""Assembling the finished tables: what a method gave becomes columns, suppressed rows go, all other cells pass
untouched, into memory of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import polars as pl

from paravent.errors import PlanError, UnsafeReleaseError
from paravent.methods.method import Axis, Method, Recoding
from paravent.plan.finished import Finished
from paravent.plan.ghosts import emptied, ghosts_of
from paravent.plan.order import in_order, order_of, sorted_by_cells
from paravent.plan.plan import Plan
from paravent.plan.pseudonym import key_of, numbers
from paravent.plan.roles import WILDCARD, Identifier, Quasi
from paravent.published import ByClass, Place, Published, Source, Untouched
from paravent.published.published import without
from paravent.table.fresh import fresh
from paravent.table.side_by_side import side_by_side
from paravent.table.table import Table
from paravent.treatments.pseudonymize import pseudonyms
from paravent.treatments.treatment import Told

FIRST = "release"
"""The name of the first table of a release."""


def check_recoding(recoding: Recoding, table: Table, axes: tuple[Axis, ...], plan: Plan) -> None:
    """Refuse what is not even the shape of an answer, before it is used as an index, and what a method has changed
    without saying so."""
    of_row, n_classes, n_rows = np.asarray(recoding.of_row), recoding.n_classes, len(table)
    sound = of_row.shape == (n_rows,) and np.issubdtype(of_row.dtype, np.integer)
    sound = sound and n_rows > 0 and int(of_row.min()) >= -1 and int(of_row.max()) < n_classes
    sources = sources_of(table, axes)
    for axis in axes:
        sound = sound and (axis.name in recoding.cells or axis.name in recoding.without)
    for name, cells in recoding.cells.items():
        sound = sound and name in sources and cells.fits(sources[name], n_classes)
    for beside in recoding.beside.values():
        rows = beside.rows
        sound = sound and (rows is None or (rows.shape == (beside.frame.height,) and _within(rows, n_rows)))
    sound = sound and FIRST not in recoding.beside
    sound = sound and all(len(cells) == n_rows and name not in sources for name, cells in recoding.added.items())
    if not sound:
        raise UnsafeReleaseError(
            "the method gave back classes or cells that do not fit the table. Nothing is released."
        )
    _check_declared(recoding, plan.method, plan, sources)


def _check_declared(recoding: Recoding, method: Method, plan: Plan, sources: dict[str, Source]) -> None:
    changed = {name for name, cells in recoding.cells.items() if not isinstance(cells, Untouched)} | recoding.without
    released = plan.role_names([name for name in sources if name not in plan.left_out])
    undeclared = sorted((changed - method.changes(released)) | (recoding.added.keys() - set(method.adds)))
    if undeclared:
        raise UnsafeReleaseError(
            f"column {undeclared[0]!r}: {type(method).__name__} has changed it without saying so. Nothing is released."
        )


def _within(rows: np.ndarray, n_rows: int) -> bool:
    return len(rows) == 0 or (int(rows.min()) >= 0 and int(rows.max()) < n_rows)


def sources_of(table: Table, axes: tuple[Axis, ...]) -> dict[str, Source]:
    """The columns as they were. polars reads `*` and `^…$` as patterns, so each works under a harmless name."""
    axis_of = {axis.name: axis for axis in axes}
    return {name: Source(name, table.frame[name].alias("cells"), axis_of.get(name)) for name in table.names}


def assemble(
    table: Table,
    plan: Plan,
    recoding: Recoding,
    axes: tuple[Axis, ...],
    order: np.ndarray | None = None,
    original: pl.DataFrame | None = None,
) -> Finished:
    """The finished tables: columns in the order of the table and then those added, rows in their `order` (None:
    as in the table), or in that of their cells where the plan says so. `original` has the rows of the table as they
    were before treatments; None: as they are."""
    suppressed = recoding.of_row < 0
    if recoding.synthetic is not None:
        frame = fresh(recoding.synthetic)
        return Finished(frame, None, np.zeros(frame.height, dtype=bool), _beside(recoding, order, suppressed))
    mark = plan.suppressed == "mark"
    rows = in_order(np.arange(len(table)) if mark else np.flatnonzero(~suppressed), order)
    marked = suppressed[rows] if mark else np.zeros(len(rows), dtype=bool)
    here = Place(rows, recoding.of_row[rows], marked)
    left_out = frozenset(plan.left_out) | recoding.without
    sources = sources_of(table, axes)

    def released_column(name: str) -> pl.Series:
        source, role = sources[name], plan.role(name)
        published: Published = recoding.cells.get(name, Untouched())
        released = published.column(source, here)
        # A label says nothing of a row whose own cell is missing; cells given row by row have their missing ones.
        if isinstance(role, Quasi) and isinstance(published, ByClass) and plan.meaning_of_missing(name) == WILDCARD:
            cells = source.cells.gather(rows)
            missing = cells.fill_nan(None).is_null() if cells.dtype.is_float() else cells.is_null()
            released = without(released, missing.to_numpy() & ~marked)
        if isinstance(role, Identifier) and role.replace == "pseudonym":
            released = pseudonyms({name: released}, "columns.{}", key_of(name, role), role.length)[name]
        return released

    shown = [name for name in sources if name not in left_out]
    columns = dict(zip(shown, side_by_side(released_column, shown, rows=len(rows)), strict=True))
    for name, cells in recoding.added.items():
        columns[name] = without(cells.alias("cells").gather(rows), marked)
    if ghosts_of(plan):
        columns = emptied(columns, (table.frame if original is None else original)[rows], plan)
    numbered = [name for name, role in plan.identifiers.items() if role.replace == "random" and name in columns]
    if order_of(plan) == "sorted":
        told = [column for name, column in columns.items() if name not in numbered]
        by_cells = sorted_by_cells(told)
        columns = {name: column.gather(by_cells) for name, column in columns.items()}
        rows, marked = rows[by_cells], marked[by_cells]
    for name in numbered:  # last, for the numbers are drawn in the order that the release shows
        columns[name] = numbers(columns[name], name, plan.seed)
    return Finished(
        fresh(pl.DataFrame([column.alias(name) for name, column in columns.items()])),
        rows,
        marked,
        _beside(recoding, order, suppressed),
    )


def _beside(recoding: Recoding, order: np.ndarray | None, suppressed: np.ndarray) -> dict[str, pl.DataFrame]:
    """The further tables, without the rows of suppressed ones, in the order of the first where their rows are rows of
    the original; else as the method gave them."""
    found = {}
    place = None if order is None or not recoding.beside else np.empty(len(order), dtype=np.int64)
    if order is not None and place is not None:
        place[order] = np.arange(len(order))
    for name, beside in recoding.beside.items():
        frame = beside.frame
        if beside.rows is not None:
            here = np.flatnonzero(~suppressed[beside.rows])
            shown = here if place is None else here[np.argsort(place[beside.rows[here]], kind="stable")]
            frame = frame[shown]
        found[name] = fresh(frame)
    return found


def with_told(finished: Finished, of_treatments: Mapping[str, Told]) -> Finished:
    """The finished tables with those that treatments make of the first one, as it will be published."""
    found = dict(finished.beside)
    for name, told in of_treatments.items():
        if name in found or name == FIRST:
            raise PlanError(f"treat: a treatment publishes a table {name!r}, and so does the method. Leave one out.")
        frame = told(finished.frame)
        if frame is not None:
            found[name] = fresh(frame)
    return replace(finished, beside=found)
