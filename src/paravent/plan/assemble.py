"""Assembling the finished frame: classes become cells, suppressed rows go, everything else passes untouched."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from paravent.errors import UnsafeReleaseError
from paravent.hierarchy.tree import ROOT_LABEL
from paravent.methods.method import Axis, Cells, Recoding
from paravent.plan.plan import Plan
from paravent.plan.pseudonym import replaced
from paravent.plan.roles import WILDCARD, Identifier, Quasi
from paravent.table.table import Table


@dataclass(frozen=True, eq=False)
class Finished:
    """A frame ready to be verified. `rows[i]` is the row of the table that row i comes from, `marked[i]` tells whether
    it only stands for a suppressed one."""

    frame: pl.DataFrame
    rows: np.ndarray
    marked: np.ndarray


def check_recoding(recoding: Recoding, n_rows: int, axes: tuple[Axis, ...]) -> None:
    """Refuse what is not even the shape of an answer, before it is used as an index."""
    of_row, n_classes = np.asarray(recoding.of_row), recoding.n_classes
    sound = of_row.shape == (n_rows,) and np.issubdtype(of_row.dtype, np.integer)
    sound = sound and n_rows > 0 and int(of_row.min()) >= -1 and int(of_row.max()) < n_classes
    for axis in axes:
        cells = recoding.cells.get(axis.name)
        sound = sound and cells is not None and np.shape(cells.codes) == (n_classes,)
        if sound and cells is not None and n_classes:
            sound = int(np.min(cells.codes)) >= 0 and int(np.max(cells.codes)) < len(cells.labels)
    if not sound:
        raise UnsafeReleaseError(
            "the method gave back classes or cells that do not fit the table. Nothing is released."
        )


def assemble(table: Table, plan: Plan, axes: tuple[Axis, ...], recoding: Recoding) -> Finished:
    """The finished frame, rows and columns in the order of the table."""
    suppressed = recoding.of_row < 0
    mark = plan.suppressed == "mark"
    rows = np.arange(len(table)) if mark else np.flatnonzero(~suppressed)
    everything = len(rows) == len(table)
    source = table.frame if everything else table.frame[rows]
    of_row = recoding.of_row if everything else recoding.of_row[rows]
    marked = suppressed if mark else np.zeros(len(rows), dtype=bool)
    blanks = bool(marked.any())
    axis_of = {axis.name: axis for axis in axes}
    columns = []
    for name in table.names:
        role, cells = plan.role(name), source[name]
        if isinstance(role, Identifier):
            if role.replace == "drop":
                continue
            cells = replaced(_without(cells, marked) if blanks else cells, role, plan.seed)
        elif isinstance(role, Quasi):
            open_cells = cells.is_null() if plan.meaning_of_missing(name) == WILDCARD else None
            if open_cells is not None and cells.dtype.is_float():
                open_cells |= cells.is_nan().fill_null(False)
            columns.append(_labelled(axis_of[name].name, recoding.cells[name], of_row, open_cells, marked))
            continue
        elif blanks:
            cells = _without(cells, marked)
        columns.append(cells)
    return Finished(pl.DataFrame(columns), rows, marked)


def _labelled(
    name: str, cells: Cells, of_row: np.ndarray, open_cells: pl.Series | None, marked: np.ndarray
) -> pl.Series:
    """A released quasi-identifier as an Enum of the labels in use. Class −1 is published as `*`."""
    number: dict[str, int] = {}
    in_use = np.zeros(len(cells.labels), dtype=bool)
    in_use[np.asarray(cells.codes)] = True
    renumber = np.array(
        [
            number.setdefault(label, len(number)) if used else 0
            for label, used in zip(cells.labels, in_use.tolist(), strict=True)
        ],
        dtype=np.int64,
    )
    if marked.any():
        number.setdefault(ROOT_LABEL, len(number))
    of_class = np.append(renumber[cells.codes] if len(cells.codes) else [], number.get(ROOT_LABEL, 0))
    small = np.min_scalar_type(max(len(number) - 1, 0))
    codes = of_class.astype(small)[of_row]  # class −1 picks the last entry
    column = pl.Series(name, codes).cat.to(pl.Enum(list(number)))
    if open_cells is not None and open_cells.any():
        column = _without(column, open_cells.to_numpy() & ~marked)
    return column


def _without(cells: pl.Series, blank: np.ndarray) -> pl.Series:
    """The column with some cells emptied. Its name stays out of the expression: `*` and `^…$` are names of columns."""
    emptied = pl.select(pl.when(~pl.Series(blank)).then(cells.rename("cells"))).to_series()
    return emptied.rename(cells.name)
