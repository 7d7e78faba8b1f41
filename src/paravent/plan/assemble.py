"""Assembling the finished frame: classes become cells, suppressed rows go, all other cells pass untouched, into memory
of their own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from paravent.errors import UnsafeReleaseError
from paravent.hierarchy.axis import MISSING_LABEL
from paravent.hierarchy.tree import ROOT_LABEL
from paravent.methods.cells import Averages, Labels, Published
from paravent.methods.method import Axis, Recoding
from paravent.plan.order import shuffled, sorted_by_cells
from paravent.plan.plan import Plan
from paravent.plan.pseudonym import numbers, pseudonyms, read_key
from paravent.plan.roles import WILDCARD, Identifier, Quasi
from paravent.table.fresh import fresh
from paravent.table.line import from_line
from paravent.table.table import Table
from paravent.table.text import is_text


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
        sound = sound and cells is not None and cells.fits(axis, n_classes)
    if not sound:
        raise UnsafeReleaseError(
            "the method gave back classes or cells that do not fit the table. Nothing is released."
        )


def assemble(
    table: Table, plan: Plan, recoding: Recoding, axes: tuple[Axis, ...], place: np.ndarray | None = None
) -> Finished:
    """The finished frame: columns in the order of the table, rows in ascending order of `place`, which holds a number
    for each row of the table (None: in the order of the table), or of their cells where the plan says so."""
    axis_of = {axis.name: axis for axis in axes}
    suppressed = recoding.of_row < 0
    mark = plan.suppressed == "mark"
    rows = shuffled(np.arange(len(table)) if mark else np.flatnonzero(~suppressed), place)
    source, of_row = table.frame[rows], recoding.of_row[rows]
    marked = suppressed[rows] if mark else np.zeros(len(rows), dtype=bool)
    blanks = bool(marked.any())
    left_out = frozenset(plan.left_out)
    columns: dict[str, pl.Series] = {}
    for name in table.names:
        if name in left_out:
            continue
        # polars reads `*` and `^…$` as patterns, so a column works under a harmless name and gets its own at the end.
        role, cells = plan.role(name), source[name].alias("cells")
        if isinstance(role, Quasi):
            released = _published(recoding.cells[name], axis_of[name], table.frame[name], of_row, mark=blanks)
            if plan.meaning_of_missing(name) == WILDCARD:
                missing = cells.fill_nan(None).is_null() if cells.dtype.is_float() else cells.is_null()
                released = _without(released, missing.to_numpy() & ~marked)
        else:
            released = _without(_plain(cells), marked)
            if isinstance(role, Identifier) and role.replace == "pseudonym":
                released = pseudonyms(released, name, read_key(name, role), role.length)
        columns[name] = released
    numbered = [name for name, role in plan.identifiers.items() if role.replace == "random" and name in columns]
    if plan.order == "sorted":
        told = [column for name, column in columns.items() if name not in numbered]
        order = sorted_by_cells(told)
        columns = {name: column.gather(order) for name, column in columns.items()}
        rows, marked = rows[order], marked[order]
    for name in numbered:  # last, for the numbers are drawn in the order that the release shows
        columns[name] = numbers(columns[name], name, plan.seed)
    return Finished(fresh(pl.DataFrame([column.alias(name) for name, column in columns.items()])), rows, marked)


def _published(cells: Published, axis: Axis, column: pl.Series, of_row: np.ndarray, *, mark: bool) -> pl.Series:
    """A released quasi-identifier. Labels are text; numbers and picks keep the type of the column, class −1 is missing
    in them."""
    if isinstance(cells, Averages):
        return _by_class(from_line(np.asarray(cells.places), column.dtype, whole=cells.whole), of_row)
    if isinstance(cells, Labels) or is_text(column.dtype):
        return _labelled(cells.labelled(axis), of_row, mark=mark)
    own_leaf = axis.values[-1:] == (MISSING_LABEL,)
    some_row = np.full(len(axis.categories), -1, dtype=np.int64)  # a row of each; that of an imputed value is its own
    present = column.alias("cells").is_not_null().to_numpy()
    some_row[axis.category[axis.codes[present]]] = np.flatnonzero(present)
    values = column.alias("cells").gather(pl.Series(some_row).replace(-1, None))
    absent = np.flatnonzero(some_row < 0)[: -1 if own_leaf else None]
    if len(absent):  # categories of the scale that no row has
        written = pl.Series("cells", [axis.categories[i] for i in absent.tolist()], dtype=pl.String)
        values = values.scatter(absent, written.cast(column.dtype))
    return _by_class(values.gather(np.asarray(cells.places, dtype=np.int64)), of_row)


def _by_class(of_class: pl.Series, of_row: np.ndarray) -> pl.Series:
    """The cell of each row, given that of each class."""
    rows = pl.Series(of_row.astype(np.int64))
    return of_class.gather(rows if (rows >= 0).all() else rows.replace(-1, None))


def _labelled(cells: Labels, of_row: np.ndarray, *, mark: bool) -> pl.Series:
    """A released quasi-identifier as an Enum of the labels in use, in the order of their texts: that of the classes
    could tell the order of the source. Class −1 is published as `*`."""
    in_use = np.zeros(len(cells.labels), dtype=bool)
    in_use[np.asarray(cells.codes)] = True
    used = {label for label, is_used in zip(cells.labels, in_use.tolist(), strict=True) if is_used}
    number = {label: i for i, label in enumerate(sorted(used | {ROOT_LABEL} if mark else used))}
    renumber = np.array([number.get(label, 0) for label in cells.labels], dtype=np.int64)
    of_class = np.append(renumber[cells.codes] if len(cells.codes) else [], number.get(ROOT_LABEL, 0))
    small = np.min_scalar_type(max(len(number) - 1, 0))
    codes = of_class.astype(small)[of_row]  # class −1 picks the last entry
    return pl.Series("cells", codes).cat.to(pl.Enum(list(number)))


def _plain(cells: pl.Series) -> pl.Series:
    """Categories are numbered as they appear in the source, which nobody shall see: texts are not."""
    return cells.cast(pl.String) if isinstance(cells.dtype, pl.Categorical) else cells


def _without(cells: pl.Series, blank: np.ndarray) -> pl.Series:
    """The column with some cells emptied; itself where there are none."""
    return pl.select(pl.when(~pl.Series(blank)).then(cells)).to_series() if blank.any() else cells
