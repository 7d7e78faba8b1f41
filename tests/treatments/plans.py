"""Running one treatment: alone, or as part of a plan."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

import paravent as pv
from paravent.treatments import Treated, Treatment, Work


def run(
    treatment: Treatment, frame: pl.DataFrame, seed: int = 0, persons: np.ndarray | None = None, **read: Any
) -> Treated:
    """What a treatment gives, checked as a plan has it checked."""
    table = pv.read(frame, **read)
    treatment.check(table, {})
    return treatment.run(Work(table, np.random.default_rng(seed), persons=persons))


def treated(treatment: Treatment, frame: pl.DataFrame, seed: int = 0, **more: Any) -> pl.DataFrame:
    """The table with the treated cells."""
    cells = run(treatment, frame, seed, **more).cells
    return frame.with_columns(published.cells.alias(name) for name, published in cells.items())


def released(treatment: Treatment, frame: pl.DataFrame, **more: Any) -> pv.Release:
    """The release of a plan with the treatment: a quasi-identifier that all rows share makes them one class."""
    roles = {name: pv.Insensitive() for name in frame.columns} | {"everybody": pv.Quasi()}
    people = frame.with_columns(everybody=pl.lit("all"))
    return pv.anonymize(people, pv.Plan(roles, pv.KAnonymity(2), treat=[treatment], **{"person": None, **more}))
