"""People who are looked for in a release, coded as its rows were.

Whoever has the plan knows how a value was coded, and codes the values of people they can name in the same way. Where
the plan says it all (limits, breaks, a mapping), its treatments are run on the table of people. Where a limit was taken
from the data (a share, groups of equal frequency), the original tells what became of each value, and of those between
two that became the same. What may be false of its row, such as noise, cannot be coded: such columns stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from paravent.errors import PlanError, TableError
from paravent.plan.file import resolved
from paravent.plan.plan import Plan
from paravent.plan.treat import Base
from paravent.table.infer import infer_columns
from paravent.table.line import to_line
from paravent.table.table import Table, with_series
from paravent.table.text import as_text
from paravent.treatments.pseudonymize import Pseudonymize
from paravent.treatments.treatment import Treatment, Work


def coded_people(table: Table, plan: Plan, base: Base | None, called: str) -> Table:
    """A table of people with its quasi-identifiers coded as in a release of the plan; `base` is what that was made of,
    where it is known."""
    found: list[pl.Series] = []
    for name in plan.quasi:
        steps = [step for step in resolved(plan).treat if name in step.columns]
        if not steps or name not in table.columns or not all(map(_is_known, steps)):
            continue
        steps = [replace(step, column=name) for step in steps]  # type: ignore[type-var]
        alone = all(step.by_row(table) and set(step.reads) <= set(table.names) for step in steps)
        cells = _by_plan(table, name, steps, called) if alone else None
        if cells is None and base is not None:
            cells = _by_original(table, name, base)
        if cells is not None:
            found.append(cells.alias(name))
    if not found:
        return table
    columns = {**table.columns, **infer_columns(pl.DataFrame(found))}
    return replace(table, frame=with_series(table.frame, found), columns=columns)


def _is_known(step: Treatment) -> bool:
    """Whether somebody who has the plan, and no key, knows what becomes of a value."""
    return step.coarsens and not isinstance(step, Pseudonymize)


def _by_plan(table: Table, name: str, steps: Sequence[Treatment], called: str) -> pl.Series | None:
    """The cells that the treatments make of a column; None where it is not of their kind, as one that is coded
    already."""
    now = table
    for step in steps:
        try:
            step.check(now, {name: "quasi"})
        except PlanError:
            return None
        try:
            done = step.run(Work(now, np.random.default_rng(0), {name: "quasi"}))
        except PlanError as error:
            raise TableError(f"the {called}: {error.raw}") from None
        cells = done.cells[name].cells.alias(name)  # type: ignore[attr-defined]
        column = infer_columns(pl.DataFrame([cells]), orders=dict(done.orders))[name]
        now = replace(now, frame=with_series(now.frame, [cells]), columns={**now.columns, name: column})
    return now.frame[name]


def _by_original(table: Table, name: str, base: Base) -> pl.Series:
    """What became of each value in the original; of one that it lacks, what became of both its neighbours, and beyond
    the last value what became of that, if it was coded. What cannot be told stays as it is."""
    cells, column = table.frame[name].alias("value"), base.original.columns[name]
    before, after = base.original.frame[name][base.rows], base.table.frame[name][base.rows]
    pairs = pl.DataFrame({"text": as_text(before.alias("text")), "cell": as_text(after.alias("cell")), "value": before})
    pairs = pairs.drop_nulls("text").unique("text", maintain_order=True)
    shown = pl.DataFrame({"text": as_text(cells.alias("text"))}).join(
        pairs.select("text", "cell", known=pl.lit(True)), on="text", how="left", maintain_order="left"
    )
    told = shown["known"].fill_null(False).to_numpy()
    found = pl.select(pl.when(pl.Series(told)).then(shown["cell"]).otherwise(shown["text"])).to_series()
    alike = cells.dtype.is_numeric() == before.dtype.is_numeric()
    alike = alike and cells.dtype.is_temporal() == before.dtype.is_temporal()
    line, places = (to_line(cells, column.kind), to_line(pairs["value"], column.kind)) if alike else (None, None)
    if line is None or places is None or not len(places):
        return found
    order = np.argsort(places, kind="stable")
    ordered = pairs["cell"].gather(order)
    changed = pairs["cell"].ne_missing(pairs["text"]).gather(order).to_numpy()
    at = np.searchsorted(places[order], line)
    low, high = np.clip(at - 1, 0, len(order) - 1), np.clip(at, 0, len(order) - 1)
    same = ordered.gather(low).eq_missing(ordered.gather(high)).to_numpy() & changed[low]
    filled = ~told & same & ~np.isnan(line)
    return pl.select(pl.when(pl.Series(filled)).then(ordered.gather(low)).otherwise(found)).to_series()
