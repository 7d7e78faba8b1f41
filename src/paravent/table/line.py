"""Numbers and dates as places on a line of floats, and back to a column of their own type."""

from __future__ import annotations

import numpy as np
import polars as pl

from paravent.table.kinds import Kind

_MICROS, _NANOS = 86_400e6, 86_400e9  # of a day


def to_line(values: pl.Series, kind: Kind) -> np.ndarray | None:
    """Numbers as floats, dates and times in days since 1970 (times of day in days); None where there is no distance.

    A missing value has no place (nan).
    """
    unit = 1.0
    if kind.is_numeric:
        found = values.cast(pl.Float64)
    elif kind is Kind.DATE and values.dtype == pl.Time:
        found, unit = values.cast(pl.Int64).cast(pl.Float64), _NANOS
    elif kind is Kind.DATE:
        found, unit = values.cast(pl.Datetime("us")).cast(pl.Int64).cast(pl.Float64), _MICROS
    else:
        return None
    places = (found.fill_null(float("nan")) if found.null_count() else found).to_numpy()
    return np.asarray(places if unit == 1 else places / unit, dtype=np.float64)  # NumPy rounds once, as Python does


def from_line(places: np.ndarray, dtype: pl.DataType, *, whole: bool = False) -> pl.Series:
    """The values at some places, as a column: floats, or whole numbers of the type where that is asked for; dates as
    near as their type can say. A place that is none (nan) is a missing value.

    >>> import datetime
    >>> from_line(np.array([0.0, 1.75, np.nan]), pl.Date()).to_list()
    [datetime.date(1970, 1, 1), datetime.date(1970, 1, 3), None]
    >>> [from_line(np.array([2.5]), pl.Int64(), whole=whole).to_list() for whole in (False, True)]
    [[2.5], [2]]
    """
    if dtype.is_temporal():
        return _dates(places, dtype)
    found = pl.Series("cells", places + 0.0).fill_nan(None)  # + 0.0: −0.0 and 0.0 are written alike
    if not whole or not dtype.is_integer():
        return found
    rounded = pl.Series("cells", np.rint(places) + 0.0).fill_nan(None).cast(pl.Int64)
    return rounded.cast(dtype) if rounded.cast(dtype, strict=False).null_count() == rounded.null_count() else rounded


def _dates(places: np.ndarray, dtype: pl.DataType) -> pl.Series:
    def counted(unit: float) -> pl.Series:
        return pl.Series("cells", np.rint(places * unit)).fill_nan(None).cast(pl.Int64)

    if dtype == pl.Date:
        return counted(1.0).cast(pl.Int32).cast(pl.Date)
    if dtype == pl.Time:
        return counted(_NANOS).cast(pl.Time)
    zone = dtype.time_zone if isinstance(dtype, pl.Datetime) else None
    micros = counted(_MICROS).cast(pl.Datetime("us", zone))
    return micros.cast(dtype) if isinstance(dtype, pl.Datetime) else micros
