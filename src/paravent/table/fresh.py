"""Fresh buffers: a frame that holds nothing but its cells.

A column that was filtered or masked still points at the memory of what it was made from: the texts of rows that are
gone, the number under a cell that is missing now, the categories that no row has any more. All of it would leave with
an Arrow file, a pickle or a frame that is handed on.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from paravent.table.side_by_side import side_by_side


def fresh(frame: pl.DataFrame) -> pl.DataFrame:
    """The same cells in memory of their own.

    >>> size = pl.Series("size", ["S", None], dtype=pl.Enum(["S", "M", "L"]))
    >>> fresh(pl.DataFrame([size])).schema
    Schema([('size', Enum(categories=['S']))])
    """
    return pl.DataFrame(side_by_side(fresh_column, frame.iter_columns(), rows=frame.height))


def without_unused(frame: pl.DataFrame) -> pl.DataFrame:
    """The same cells in memory of their own where a column tells more than they do: labels that no row has any more.
    For formats that write cells and nothing of the memory beneath them, such as Parquet.

    >>> size = pl.Series("size", ["S", None], dtype=pl.Enum(["S", "M", "L"]))
    >>> without_unused(pl.DataFrame([size])).schema
    Schema([('size', Enum(categories=['S']))])
    """

    def rebuilt(column: pl.Series) -> pl.Series:
        return fresh_column(column) if isinstance(column.dtype, pl.Enum | pl.Categorical) else column

    return pl.DataFrame(side_by_side(rebuilt, frame.iter_columns(), rows=frame.height))


def fresh_column(column: pl.Series) -> pl.Series:
    """The same cells in memory of their own; a missing one is zero, empty or the first category underneath."""
    # polars reads `*` and `^…$` as patterns, so a column works under a harmless name and gets its own at the end.
    cells, dtype = column.alias("cells"), column.dtype
    if isinstance(dtype, pl.Enum):
        rebuilt = _labels(cells, dtype)
    elif isinstance(dtype, pl.Categorical):
        rebuilt = fresh_column(cells.cast(pl.String)).cast(dtype)
    elif dtype.is_nested() or dtype in (pl.Object, pl.Null):
        rebuilt = pl.Series("cells", cells.to_list(), dtype)
    else:
        rebuilt = _masked(_copied(_filled(cells)), cells)
    return rebuilt.alias(column.name)


def _filled(cells: pl.Series) -> pl.Series:
    if not cells.null_count():
        return cells
    nothing = {pl.String: pl.lit(""), pl.Binary: pl.lit(b"")}.get(type(cells.dtype), pl.lit(0).cast(cells.dtype))
    return pl.select(pl.lit(cells).fill_null(nothing)).to_series()


def _copied(cells: pl.Series) -> pl.Series:
    """New memory for cells none of which is missing. Texts are joined to nothing, which writes each of them anew."""
    if cells.dtype == pl.String:
        return pl.select(pl.concat_str(pl.lit(cells), pl.lit(""))).to_series()
    if cells.dtype == pl.Binary:
        return _copied(cells.bin.encode("hex")).str.decode("hex")
    if cells.dtype == pl.Boolean:  # eight cells share a byte, which may hold neighbours that are gone
        return cells.cast(pl.UInt8) != 0
    return cells.gather(np.arange(len(cells)))


def _masked(values: pl.Series, cells: pl.Series) -> pl.Series:
    if not cells.null_count():
        return values.alias("cells")
    return pl.select(pl.when(pl.lit(cells.is_not_null())).then(pl.lit(values)).alias("cells")).to_series()


def _labels(cells: pl.Series, dtype: pl.Enum) -> pl.Series:
    """Only the categories that some cell has, in their order."""
    codes = cells.to_physical()
    if not codes.null_count():
        occurs = np.zeros(len(dtype.categories), dtype=bool)
        occurs[codes.to_numpy()] = True
        used = np.flatnonzero(occurs)
        if len(used) == len(occurs):
            return pl.Series("cells", codes.to_numpy().copy()).cat.to(pl.Enum(_copied(dtype.categories)))
    else:
        used = codes.drop_nulls().unique().sort().to_numpy()
    categories = dtype.categories.gather(used) if len(used) else dtype.categories.clear()
    place = np.zeros(int(used.max(initial=0)) + 1, dtype=np.min_scalar_type(max(len(used) - 1, 0)))
    place[used] = np.arange(len(used))
    renumbered = pl.Series("cells", place[codes.fill_null(int(used[0]) if len(used) else 0).to_numpy()])
    return _masked(renumbered, cells).cat.to(pl.Enum(_copied(categories)))
