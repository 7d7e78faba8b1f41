"""Which columns a measured limit compares: those that it names, or those that it looks at by itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import polars as pl

from paravent.errors import PlanError
from paravent.near import suggest


def as_names(where: str, columns: Any) -> tuple[str, ...] | None:
    """Columns as they were given: one name, several, or None."""
    if columns is None:
        return None
    names = (columns,) if isinstance(columns, str) else tuple(columns) if isinstance(columns, Iterable) else ()
    if not names or not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise PlanError(f"{where}: columns must name different columns, such as ['income'], not {columns!r}.")
    return names


def check_names(where: str, names: Sequence[str], table: pl.DataFrame) -> None:
    """Raise PlanError where the table lacks a column."""
    for name in names:
        if name not in table.columns:
            raise PlanError(f"{where}: no column {name!r} is released. {suggest(name, table.columns)}")


def is_line(dtype: pl.DataType) -> bool:
    """Whether cells are numbers, dates or times: they can be close to one another."""
    return dtype.is_numeric() or dtype.is_temporal()
