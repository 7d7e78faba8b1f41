"""Table: what we hold. Typed columns, their kinds, and where every row came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from paravent.table.kinds import Column, Kind


@dataclass(frozen=True)
class Origin:
    """Where a table came from, and every choice its reader made (`delimiter`, `encoding`, …), with the reason."""

    description: str
    choices: Mapping[str, str] = field(default_factory=dict)
    fingerprint: str = ""


@dataclass(frozen=True, eq=False)
class Table:
    """Rows about people. Invariant: `columns` names exactly the columns of `frame`, in its order;
    `rows[i]` is the position (from 0) that row i had in the source, strictly increasing."""

    frame: pl.DataFrame
    columns: Mapping[str, Column]
    rows: np.ndarray
    origin: Origin

    def __len__(self) -> int:
        return self.frame.height

    @property
    def names(self) -> list[str]:
        return self.frame.columns

    def kind(self, name: str) -> Kind:
        return self.columns[name].kind
