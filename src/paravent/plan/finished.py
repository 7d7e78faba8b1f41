"""Finished: the tables of a release as they will be published, ready to be verified."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import polars as pl


@dataclass(frozen=True, eq=False)
class Finished:
    """`rows[i]` is the row of the table that row i of the first table comes from (None: synthetic rows are nobody's),
    `marked[i]` tells whether it only stands for a suppressed one. `beside` are the further tables."""

    frame: pl.DataFrame
    rows: np.ndarray | None
    marked: np.ndarray
    beside: Mapping[str, pl.DataFrame] = field(default_factory=dict)
