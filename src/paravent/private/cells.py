"""Cells: a column cut into places that are named beforehand, and the place of each row."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import polars as pl

from paravent.errors import PlanError
from paravent.private.answers import as_day
from paravent.private.domains import MISSING, Bounds, Domain, numbers

_MOST = 1_000_000


@dataclass(frozen=True, eq=False)
class Cells:
    """The label and kind (value, other, missing) of each cell, and the cell of each row."""

    labels: list[tuple[str | None, str]]
    codes: np.ndarray

    def __len__(self) -> int:
        return len(self.labels)

    @classmethod
    def of(cls, name: str, column: pl.Series, domain: Domain, bins: int | None = None) -> Cells:
        """Categories; each whole number of a range; or so many bins between two bounds."""
        if not isinstance(domain, Bounds):
            if bins is not None:
                raise PlanError(f"bins: column {name!r} has categories, which are counted one by one. Leave bins out.")
            return cls(domain.cells, domain.codes(column))
        if bins is None and not domain.whole:
            raise PlanError(f"column {name!r} lies between two bounds. Say into how many bins they are cut: bins=10.")
        values = int(domain.high - domain.low) + 1 if domain.whole else _MOST
        count = values if bins is None else bins
        if not 1 <= count <= min(values, _MOST):
            raise PlanError(f"bins: column {name!r} can be cut into 1 to {min(values, _MOST)} bins, not {count}.")
        labels, codes = _by_value(column, domain) if count == values else _by_bin(column, domain, count)
        return cls([*((label, "value") for label in labels), (None, MISSING)], codes)


def _by_value(column: pl.Series, domain: Bounds) -> tuple[list[str], np.ndarray]:
    """Numbers are rounded to the nearest whole one."""
    values = domain.clamp(np.rint(numbers(column, dates=domain.dates)))
    count = int(domain.high - domain.low) + 1
    codes = np.where(np.isnan(values), count, values - domain.low).astype(np.int64)
    whole = (int(domain.low) + at for at in range(count))
    return [as_day(day).isoformat() if domain.dates else str(day) for day in whole], codes


def _by_bin(column: pl.Series, domain: Bounds, count: int) -> tuple[list[str], np.ndarray]:
    values = domain.clamp(numbers(column, dates=domain.dates))
    edges = np.linspace(domain.low, domain.high, count + 1)
    if domain.dates:
        edges = np.rint(edges)
    places = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, count - 1)
    ends = [as_day(edge).isoformat() if domain.dates else f"{edge:g}" for edge in edges.tolist()]
    labels = [f"[{low}, {high}{']' if high == ends[-1] else '['}" for low, high in pairwise(ends)]
    return labels, np.where(np.isnan(values), count, places).astype(np.int64)
