"""The collapses of a cube's tables: each is made anew by its name, and looked at where the cube has runs.

No run is repeated for it. `python -m paravent.knowledge.cube.collapsing DATA` gives the cube that ships its collapses
anew, with the folder of the real tables; models are learnt after that.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from paravent.knowledge.collapse.collapse import NAMES
from paravent.knowledge.cube.grid import tables
from paravent.knowledge.cube.store import Cube, shipped, short
from paravent.knowledge.cube.tables import NUMBER, SENSITIVE, Sub, source_of
from paravent.knowledge.descriptors import describe
from paravent.knowledge.predicting.features import asked_ks, left_out
from paravent.plan.plan import Plan

SCHEMA: dict[str, Any] = {
    "table": pl.String,
    "k": pl.Int32,
    "suppression": pl.Float64,
    **dict.fromkeys(NAMES, pl.Float32),
}


def with_collapse(cube: Cube, data: Path | None = None) -> Cube:
    """A cube with the collapses of all tables that its runs were made on. `data` is the folder of the real ones."""
    known = {table.name: table for table in tables()}
    asked = cube.measured.select("table", k=asked_ks(), suppression=left_out()).unique().sort(pl.all())
    rows = []
    for (name,), part in asked.group_by("table", maintain_order=True):
        rows += list(_rows(known[str(name)], part, data))
    return Cube(cube.frame, pl.DataFrame(rows, schema=SCHEMA, orient="row"))


def _rows(table: Sub, asked: pl.DataFrame, data: Path | None) -> Iterator[dict[str, Any]]:
    taken, roles = table.take(source_of(table, data))
    described = describe(taken, Plan(dict(roles), []), SENSITIVE, number=NUMBER)
    for row in asked.iter_rows(named=True):
        facts = described.at(row["k"], row["suppression"])
        yield {**row, **{name: short(value) for name, value in facts.items()}}


if __name__ == "__main__":
    import sys

    with_collapse(Cube.load(), Path(sys.argv[1])).save(shipped())
