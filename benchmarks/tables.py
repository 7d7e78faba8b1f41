"""The tables that the benchmarks run on, and the plan for them."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import polars as pl

import paravent as pv
from paravent.plan.roles import Role

QUASI = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]
SHARED = Path(os.environ.get("PARAVENT_REFERENCE_DATA", Path(__file__).parents[2] / "shared"))
"""Where the reference data and trees of other tools lie, for comparisons; the bundled ones serve otherwise."""


def adult() -> pl.DataFrame:
    """Adult with its eight quasi-identifiers and the salary class: as other tools publish it, or the bundled one."""
    reference = SHARED / "data" / "adult" / "adult.csv"
    if reference.exists():
        return pl.read_csv(reference, separator=";", schema_overrides={"age": pl.Int64})
    bundled: pl.DataFrame = pv.data.adult().frame
    return bundled.select(*QUASI, "salary-class")


def tree_of(name: str) -> str:
    reference = SHARED / "data" / "adult" / f"hierarchy_{name}.csv"
    return str(reference if reference.exists() else pv.data.adult_tree_path(name))


def enlarged(frame: pl.DataFrame, rows: int, *, redrawn: float = 0.05, seed: int = 1) -> pl.DataFrame:
    """A bootstrap of a table in which a share of the cells is drawn anew from its column, so that new tuples appear."""
    rng = np.random.default_rng(seed)
    pick = rng.integers(0, len(frame), rows)
    columns = []
    for name in frame.columns:
        cell = pick.copy()
        anew = rng.random(rows) < redrawn
        cell[anew] = rng.integers(0, len(frame), int(anew.sum()))
        columns.append(frame[name].gather(cell))
    return pl.DataFrame(columns)


def plan(method: pv.methods.Method, *, k: int = 5, quasi: list[str] = QUASI) -> pv.Plan:
    columns: dict[str, Role] = {name: pv.Quasi(tree_of(name)) for name in quasi}
    columns["salary-class"] = pv.Sensitive()
    return pv.Plan(columns=columns, protect=[pv.KAnonymity(k)], method=method)
