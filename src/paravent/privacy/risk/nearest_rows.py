"""How far rows are from the nearest row of another table, cell by cell.

Gower's distance (1971): in a column of numbers the difference over the range that the column has, at most 1; in any
other 0 for the same value and 1 for another; the mean over the columns. A missing cell is like a missing one alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from paravent.table.text import as_text

_CHUNK = 4_000_000
"""Pairs of rows that are compared at a time."""


def nearest_distances(rows: pl.DataFrame, among: pl.DataFrame, names: Sequence[str], like: pl.DataFrame) -> np.ndarray:
    """For each of `rows` the distance, from 0 to 1, to the nearest row `among` others, in the columns `names`. `like`
    is the table that says what a number is and how far numbers range.

    >>> here = pl.DataFrame({"age": [20, 40], "sex": ["f", "m"]})
    >>> nearest_distances(pl.DataFrame({"age": [20, 30], "sex": ["f", "f"]}), here, ["age", "sex"], here).tolist()
    [0.0, 0.25]
    """
    if not rows.height or not among.height or not names:
        return np.ones(rows.height)
    columns = [_column(rows[name], among[name], like[name]) for name in names]
    found = np.empty(rows.height)
    step = max(1, _CHUNK // among.height)
    for at in range(0, rows.height, step):
        part = slice(at, at + step)
        total = np.zeros((len(found[part]), among.height), dtype=np.float32)
        for ours, theirs in columns:
            gap = ours[part, None] - theirs[None, :]
            if ours.dtype.kind == "f":
                gap = np.minimum(np.abs(gap), np.float32(1))
                missing = np.isnan(gap)
                if missing.any():  # both missing are alike
                    both = np.isnan(ours[part, None]) & np.isnan(theirs[None, :])
                    gap[missing] = 1
                    gap[both] = 0
                total += gap
            else:
                total += gap != 0
        found[part] = total.min(axis=1) / len(names)
    return found


def _column(ours: pl.Series, theirs: pl.Series, like: pl.Series) -> tuple[np.ndarray, np.ndarray]:
    """Both as numbers over the range of a column of numbers, else as codes of their texts."""
    if like.dtype.is_numeric():
        known = like.cast(pl.Float64).drop_nulls().drop_nans()
        low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)  # type: ignore[arg-type]
        scale = (high - low) or 1.0
        first, second = ((_numbers(cells) - low) / scale for cells in (ours, theirs))
        return first.astype(np.float32), second.astype(np.float32)
    both = pl.concat([as_text(ours.alias("cells")), as_text(theirs.alias("cells"))])
    codes = both.rank("dense").fill_null(0).to_numpy().astype(np.int32)
    return codes[: len(ours)], codes[len(ours) :]


def _numbers(cells: pl.Series) -> np.ndarray:
    cells = cells.alias("cells")
    numbers = cells.cast(pl.Float64) if cells.dtype.is_numeric() else as_text(cells).cast(pl.Float64, strict=False)
    return np.asarray(numbers.fill_null(float("nan")).to_numpy(), dtype=np.float64)
