"""Which cells are the same, to the last bit: what a stranger with the published file could tell apart stays apart."""

from __future__ import annotations

import numpy as np
import polars as pl


def exactly(cells: pl.Series) -> pl.Series:
    """The cells such that `==`, ranks and groups tell all apart that differ: floats in IEEE 754's total order.

    Polars takes −0.0 for 0.0, and every NaN for every other. Order is kept, and missing cells stay missing.

    >>> exactly(pl.Series([0.0, -0.0, None, float("nan")])).rank("dense").to_list()
    [2, 1, None, 3]
    """
    if not cells.dtype.is_float():
        return cells
    bits = cells.cast(pl.Float64).fill_null(0.0).to_numpy().view(np.int64)
    ordered = pl.Series(cells.name, bits ^ ((bits >> 63) & np.int64(2**63 - 1)))
    return ordered.set(cells.is_null(), None) if cells.null_count() else ordered


def one_to_one(found: pl.Series, cells: pl.Series) -> bool:
    """Whether the reader's values tell apart exactly what the cells of the file do.

    >>> one_to_one(pl.Series([1.0, 1.0]), pl.Series(["1", "1.0"]))
    False
    >>> one_to_one(pl.Series([1.0, None, 1.0]), pl.Series(["1", "", "1"]))
    True
    """
    found, cells = exactly(found.alias("found")), exactly(cells.alias("cells"))
    if found.dtype == cells.dtype and found.equals(cells, null_equal=True):
        return True
    found, cells = _plain(found), _plain(cells)
    n_found, n_cells = found.n_unique(), cells.n_unique()
    return n_found == n_cells and pl.DataFrame([found, cells]).n_unique() == n_cells


def _plain(cells: pl.Series) -> pl.Series:
    """Categories as the texts they stand for, which may be the same."""
    return cells.cast(pl.String) if isinstance(cells.dtype, pl.Categorical | pl.Enum) else cells
