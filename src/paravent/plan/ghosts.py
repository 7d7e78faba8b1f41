"""Columns that follow others: empty wherever the column that they would tell is not released as it was."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from paravent.errors import PlanError, UnsafeReleaseError
from paravent.plan.finished import Finished
from paravent.plan.plan import Plan
from paravent.published.by_row import missing_cells
from paravent.published.published import without
from paravent.table.text import as_text, is_text
from paravent.treatments.ghost import Ghost


def ghosts_of(plan: Plan) -> list[tuple[str, str]]:
    """Each column that follows another, with the other one."""
    return [(name, each.of) for each in plan.treat if isinstance(each, Ghost) for name in each.columns]


def emptied(columns: Mapping[str, pl.Series], original: pl.DataFrame, plan: Plan) -> dict[str, pl.Series]:
    """The columns of a release with the cells of ghosts emptied; row i of `original` is what row i of them was."""
    found = dict(columns)
    for name, other in ghosts_of(plan):
        if name in found:
            found[name] = without(found[name], _differs(columns.get(other), original[other]))
    return found


def _differs(released: pl.Series | None, original: pl.Series) -> np.ndarray:
    """Where a column is not released as it was; everywhere, where it is not released."""
    if released is None:
        return np.ones(len(original), dtype=bool)
    if released.dtype == original.dtype and not is_text(released.dtype):
        return released.alias("cells").ne_missing(original.alias("cells")).to_numpy()
    return as_text(released.alias("cells")).ne_missing(as_text(original.alias("cells"))).to_numpy()


def check_ghosts(finished: Finished, original: pl.DataFrame, present: pl.DataFrame, plan: Plan) -> None:
    """Raise UnsafeReleaseError when a ghost tells what it should not, row by row, or something new."""
    if finished.rows is None:
        if ghosts_of(plan):
            raise PlanError("treat: Ghost follows rows, and synthetic rows are nobody's. Leave it out.")
        return
    for name, other in ghosts_of(plan):
        if name not in finished.frame.columns:
            continue
        shown = ~missing_cells(finished.frame[name])
        here, rows = pl.Series(shown), finished.rows[shown]
        sound = not _differs(finished.frame[name].filter(here), present[name].gather(rows)).any()
        if sound and len(rows):
            followed = finished.frame[other].filter(here) if other in finished.frame.columns else None
            sound = not _differs(followed, original[other].gather(rows)).any()
        if not sound:
            raise UnsafeReleaseError(f"column {name!r}: a cell tells what column {other!r} hides. Nothing is released.")
