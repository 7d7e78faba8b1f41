"""Frames of other libraries, through Narwhals: polars, pandas, Arrow and whatever else speaks their languages."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from typing import Any

import polars as pl

from paravent.errors import Note, TableError
from paravent.table.names import check_names
from paravent.table.raw import Raw, reading
from paravent.table.rows import exact_texts

_REMEDY = "Rename it in the frame."


def is_frame(source: object) -> bool:
    import narwhals as nw

    if isinstance(source, pl.DataFrame | pl.LazyFrame) or hasattr(source, "__arrow_c_stream__"):
        return True
    return not isinstance(nw.from_native(source, pass_through=True), type(source))


def read_frame(source: Any, *, exact: bool = False) -> Raw:
    import narwhals as nw

    if isinstance(source, pl.DataFrame):
        return _raw(source, "a polars frame")
    if isinstance(source, pl.LazyFrame):
        with reading("the lazy frame"):
            return _raw(source.collect(), "a polars frame")
    library = type(source).__module__.split(".")[0]
    what, orders, notes = f"a {library} frame", {}, []
    objects: dict[str, pl.Series] = {}
    pandas, arrow = sys.modules.get("pandas"), sys.modules.get("pyarrow")
    with reading(f"the {library} frame"):
        if pandas is not None and isinstance(source, pandas.DataFrame):
            names = ["" if name is None else str(name) for name in source.columns]
            check_names(names, "the pandas frame", _REMEDY)
            source = source.set_axis(names, axis=1)
            orders = _pandas_orders(source)
            objects = _exact_objects(source) if exact else {}
            if not isinstance(source.index, pandas.RangeIndex):
                notes.append(Note("the index of the pandas frame is left out. Pass frame.reset_index() if it is data."))
                source = source.reset_index(drop=True)
        elif arrow is not None and isinstance(source, arrow.Table):
            check_names(source.column_names, "the Arrow table", _REMEDY)
            orders = _arrow_orders(source)
        try:
            found = nw.from_native(source)
        except TypeError:
            return _raw(pl.DataFrame(source), what)
        if isinstance(found, nw.LazyFrame):
            found = found.collect()
        frame = found.to_polars()
    cells = pl.DataFrame([objects.get(values.name, values) for values in frame.get_columns()]) if objects else None
    return replace(_raw(frame, what, orders, tuple(notes)), exact=cells)


def _exact_objects(frame: Any) -> dict[str, pl.Series]:
    """Columns of Python objects, each as its own text: as numbers or dates several may become the same."""
    found = {}
    for place, (name, dtype) in enumerate(zip(frame.columns, frame.dtypes, strict=True)):
        if str(dtype) != "object":
            continue
        values = frame.iloc[:, place].tolist()
        absent = {repr(value) for value in values if _is_absent(value)}
        if len(absent) > 1:
            raise TableError(
                f"the pandas frame: column {name!r} says in several ways that a value is missing "
                f"({', '.join(sorted(absent))}), which tells rows apart. Say it in one."
            )
        found[name] = exact_texts(name, [None if _is_absent(value) else value for value in values], "the pandas frame")
    return found


def _is_absent(value: Any) -> bool:
    """None, NaN, pandas' NA and NaT."""
    if isinstance(value, float):
        return math.isnan(value)
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def _raw(
    frame: pl.DataFrame, what: str, orders: dict[str, tuple[str, ...]] | None = None, notes: tuple[Note, ...] = ()
) -> Raw:
    check_names(frame.columns, what, _REMEDY)
    return Raw(frame, what, {"format": what}, notes, source=frame, orders=orders or {})


def _pandas_orders(frame: Any) -> dict[str, tuple[str, ...]]:
    kinds = {
        name: kind for name, kind in zip(frame.columns, frame.dtypes, strict=True) if getattr(kind, "ordered", False)
    }
    return {name: tuple(map(str, kind.categories)) for name, kind in kinds.items() if hasattr(kind, "categories")}


def _arrow_orders(table: Any) -> dict[str, tuple[str, ...]]:
    orders = {}
    for place, column in enumerate(table.schema):
        if getattr(column.type, "ordered", False):
            values = table.column(place).unify_dictionaries().chunks
            if values:
                orders[column.name] = tuple(map(str, values[0].dictionary.to_pylist()))
    return orders


def as_polars(frame: Any) -> pl.DataFrame:
    """A frame of any library, for writing."""
    if isinstance(frame, pl.DataFrame):
        return frame
    if not is_frame(frame):
        raise TableError(f"a {type(frame).__name__} is not a table. Pass a Table or a polars, pandas or Arrow frame.")
    return read_frame(frame).frame
