"""What becomes of the values of a column before classes are made: texts get their types, treatments change them.

Only distinct values are looked at, so what costs seconds here costs a cluster nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from paravent.engine.spark.domains import Counted
from paravent.errors import PlanError
from paravent.plan.plan import Plan
from paravent.plan.treat import base_of
from paravent.table.cells import parse_columns
from paravent.table.domain import Coded
from paravent.table.infer import infer_columns
from paravent.table.kinds import Column
from paravent.table.read import read
from paravent.table.table import Table
from paravent.treatments.treatment import Treatment


@dataclass(frozen=True, eq=False)
class Translated:
    """A column of the source and what it is to the plan: `raw[i]` stands for `values[place[i]]` (−1: it is missing),
    which occurs `counts[place[i]]` times. `changed`: released cells are not those of the source."""

    column: Column
    raw: pl.Series
    place: np.ndarray
    values: pl.Series
    counts: np.ndarray
    missing: int
    changed: bool

    @property
    def coded(self) -> Coded:
        """The values as their kind orders them."""
        return Coded.counted(self.column, self.values, self.counts, self.missing)


def translated(name: str, found: Counted, plan: Plan, *, texts: bool) -> Translated:
    """A counted column as the plan sees it."""
    spelled = texts and found.values.dtype == pl.String  # what a treatment has given is typed
    typed = parse_columns([found.values])[0].values if spelled else found.values
    shown, column = typed, _column(typed, found.counts)
    steps = [treatment for treatment in plan.treat if name in treatment.columns]
    if steps:
        table = Table(pl.DataFrame([typed]), {name: column}, np.arange(len(typed)), read(pl.DataFrame([typed])).origin)
        alone = plan.replace(treat=[_on(step, name, table) for step in steps])
        done = base_of(table, alone).table
        shown, column = done.frame[name], done.columns[name]
    if shown.dtype.is_float():
        shown = shown.fill_nan(None) + 0.0
    frame = pl.DataFrame([shown.alias("value"), pl.Series("n", found.counts)])
    merged = frame.drop_nulls("value").group_by("value", maintain_order=True).agg(pl.col("n").sum())
    merged = merged.with_row_index("place")
    place = frame.join(merged.select("value", "place"), on="value", how="left", maintain_order="left")["place"]
    missing = found.missing + int(frame.filter(pl.col("value").is_null())["n"].sum())
    return Translated(
        replace(column, name=name, missing=missing),
        found.values,
        place.cast(pl.Int64).fill_null(-1).to_numpy(),
        merged["value"].alias(name),
        merged["n"].to_numpy().astype(np.int64),
        missing,
        spelled or bool(steps),
    )


def _on(treatment: Treatment, name: str, table: Table) -> Treatment:
    """A treatment of one column alone."""
    alone = replace(treatment, column=name)  # type: ignore[type-var]
    if not alone.by_row(table):
        raise PlanError(
            f"treat: {alone!r} looks at other rows or draws by chance, which is not done on Spark. Give limits, "
            "widths, breaks or mappings themselves, or treat the table before."
        )
    return alone


def _column(values: pl.Series, counts: np.ndarray) -> Column:
    """The kind of a column. Whether it is free text depends on how often values repeat: each is shown up to twice."""
    again = values.gather(np.flatnonzero(counts > 1))
    shown = pl.concat([values, *[again] * 9]) if len(again) else values
    return infer_columns(pl.DataFrame([shown]))[values.name]
