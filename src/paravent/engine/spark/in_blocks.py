"""The method of a plan inside every block, on the worker that holds it: the same code as on one machine."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from paravent.engine.spark.blocks import Cutting
from paravent.engine.spark.columns import OtherColumns, as_batches, released_schema
from paravent.engine.spark.domains import arrow_schema, quoted
from paravent.engine.spark.faults import on_worker, without_values
from paravent.engine.spark.ready import Ready
from paravent.engine.spark.recode import needed_columns
from paravent.engine.spark.rows import frame_of
from paravent.errors import UnsafeReleaseError
from paravent.hierarchy.axis import Axis
from paravent.methods.method import Recoding, Task
from paravent.plan.truth import averages
from paravent.published import ByClass, Place, Source
from paravent.table.kinds import Kind
from paravent.table.line import from_line
from paravent.table.text import is_text

BLOCK = "__block"


@dataclass(frozen=True, eq=False)
class _Work:
    cutting: Cutting
    others: OtherColumns
    coded: Any
    schema: Any
    values: Mapping[str, pl.Series]

    @property
    def ready(self) -> Ready:
        return self.cutting.ready


def released_by_blocks(session: Any, frame: Any, cutting: Cutting) -> Any:
    """The rows of the release, as a Spark frame that nobody has computed yet."""
    from pyspark.sql import functions as f
    from pyspark.sql.types import IntegerType, LongType, StructField, StructType

    ready = cutting.ready
    others = OtherColumns.of(ready)
    values = {axis.name: values_of_codes(axis, ready.translated[axis.name].values) for axis in ready.axes}
    types: dict[str, pl.DataType | None] = {name: others.dtype(name) for name in others.names}
    schema = released_schema(
        frame.schema, ready.released, {**types, **{a.name: _dtype(a, values[a.name], ready) for a in ready.axes}}
    )
    passed = released_schema(frame.schema, list(others.names), types)
    codes = [StructField(name, IntegerType(), False) for name in _code_names(ready)]
    coded = StructType([StructField(BLOCK, LongType(), False), *codes, *passed.fields])
    work = session.sparkContext.broadcast(
        _Work(cutting, others, arrow_schema(session, coded), arrow_schema(session, schema), values)
    )
    rows = frame.select(*map(quoted, needed_columns(ready))).mapInArrow(_coder(work), coded)
    if not cutting.alike:
        return rows.groupBy(BLOCK).applyInArrow(_worker(work), schema)
    alike = f.col(BLOCK).isin(list(cutting.alike))
    others_rows = rows.where(~alike).groupBy(BLOCK).applyInArrow(_worker(work), schema)
    return others_rows.union(rows.where(alike).mapInArrow(_labeller(work), schema))


def _code_names(ready: Ready) -> list[str]:
    quasi = [f"__q{j}" for j in range(len(ready.quasi))]
    return [*quasi, *(f"__s{j}" for j in range(len(ready.judged))), *(["__t"] if ready.target is not None else [])]


def values_of_codes(axis: Axis, values: pl.Series) -> pl.Series:
    """The value that each code of an axis stands for; none for a missing one that counts as a value."""
    place = np.full(len(axis), -1, dtype=np.int64)
    place[axis.codes[: len(values)]] = np.arange(len(values))
    return values.alias("cells").gather(pl.Series(place).replace(-1, None))


def _dtype(axis: Axis, values: pl.Series, ready: Ready) -> pl.DataType:
    """The type in which a quasi-identifier is released."""
    if not averages(ready.plan) or is_text(values.dtype):
        return pl.String()
    if axis.positions is None:
        return values.dtype
    whole = bool(getattr(ready.plan.method, "whole", False)) and axis.kind is Kind.INTEGER
    return from_line(np.zeros(1), values.dtype, whole=whole).dtype


def _coder(work: Any) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def code(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        task: _Work = work.value
        ready = task.ready
        lookups = [*ready.quasi, *ready.judged, *([] if ready.target is None else [ready.target])]
        for batch in batches:
            table = ready.rows.kept(batch)
            if table.num_rows == 0:
                continue
            codes = [lookup.of(pl.Series("cells", pl.from_arrow(table[lookup.name]))) for lookup in lookups]
            columns = {BLOCK: pa.array(task.cutting.blocks(codes[: len(ready.quasi)]))}
            columns |= {name: pa.array(column) for name, column in zip(_code_names(ready), codes, strict=True)}
            columns |= {name: task.others.cells(table, name) for name in task.others.names}
            yield from as_batches(columns, task.coded)

    return on_worker(code)


def _worker(work: Any) -> Callable[[Any], Any]:
    def run(table: Any) -> Any:
        try:
            return _released(table, work.value)
        except Exception as error:
            raise without_values(error) from None

    return run


def _labeller(work: Any) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Rows of blocks that are all alike: every one is published as any other, whatever process holds it."""

    def label(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        task: _Work = work.value
        ready = task.ready
        number = {block: i for i, block in enumerate(task.cutting.alike)}
        cells: dict[str, list[Any]] = {axis.name: [] for axis in ready.axes}
        for codes in task.cutting.alike.values():
            for name, shown in _of_one_value(codes, task).items():
                cells[name].append(shown[:1])
        of_block = {name: pa.concat_arrays(shown) for name, shown in cells.items()}
        for batch in batches:
            table = pa.Table.from_batches([batch])
            place = pa.array([number[block] for block in table[BLOCK].to_pylist()], type=pa.int64())
            columns = {name: of_block[name].take(place) if name in of_block else table[name] for name in ready.released}
            yield from as_batches(columns, task.schema)

    return on_worker(label)


def _of_one_value(codes: tuple[int, ...], task: _Work) -> dict[str, Any]:
    """How the method publishes rows that have one value on every axis: tried on as many of them as it needs."""
    ready = task.ready
    sizes = tuple(model for model in ready.located.models if model.size_only)
    n = 2 * max((model.least_size for model in sizes), default=1)
    one = {f"__q{j}": np.full(n, code, dtype=np.int32) for j, code in enumerate(codes)}
    one |= {"__t": np.zeros(n, dtype=np.int32)} if ready.target is not None else {}
    axes = tuple(replace(a, codes=one[f"__q{j}"], times=None, unknown=None) for j, a in enumerate(ready.axes))
    targets = {name: replace(target, codes=one["__t"]) for name, target in ready.targets.items()}
    block = Task(n, axes, sizes, seed=ready.plan.seed, targets=targets, secret=lambda: "rows that are alike")
    return _columns(ready.located.method.run(block), block, task)


def _released(table: Any, task: _Work) -> Any:
    """The released rows of a block."""
    import pyarrow as pa

    ready = task.ready
    codes = {name: table[name].to_numpy() for name in _code_names(ready)}
    order = _order(table, codes, task.others.names)
    codes = {name: np.ascontiguousarray(column[order]) for name, column in codes.items()}
    block = _task(ready, codes)
    recoding = ready.located.method.run(block)
    columns = _columns(recoding, block, task)
    rows = np.flatnonzero(recoding.of_row >= 0) if ready.plan.suppressed == "drop" else np.arange(block.n_rows)
    gone, chosen = recoding.of_row[rows] < 0, table.take(order[rows])
    for name in task.others.names:
        columns[name] = _silenced(chosen[name], gone)
    return pa.Table.from_pydict({name: columns[name] for name in ready.released}).cast(task.schema)


def _order(table: Any, codes: Mapping[str, np.ndarray], others: tuple[str, ...]) -> np.ndarray:
    """The rows of a block in an order that does not depend on how they came: by their codes, then by a hash of the
    rest. Rows that are equal in all of it can change places and nobody sees it."""
    frame = pl.DataFrame([pl.Series(name, column) for name, column in codes.items()])
    rest = table.select(list(others))
    if others and not any(_nested(field.type) for field in rest.schema):
        own = frame_of(rest)
        frame = frame.with_columns(own.hash_rows(seed=1).alias("__h1"), own.hash_rows(seed=2).alias("__h2"))
    return frame.select(pl.arg_sort_by(frame.columns)).to_series().to_numpy().astype(np.int64)


def _nested(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_nested(kind))


def _task(ready: Ready, codes: Mapping[str, np.ndarray]) -> Task:
    """The block as a method sees it: with the labels of the whole table, and its counts to compare with."""
    n = len(codes["__q0"])
    axes = tuple(replace(axis, codes=codes[f"__q{j}"], times=None, unknown=None) for j, axis in enumerate(ready.axes))
    sensitive = {lookup.name: codes[f"__s{j}"] for j, lookup in enumerate(ready.judged)}
    digest = hashlib.sha256(b"".join(column.tobytes() for column in codes.values())).hexdigest()
    return Task(
        n,
        axes,
        ready.located.models,
        sensitive,
        ready.allowed * n // ready.n_rows,
        ready.plan.seed,
        domains=ready.domains,
        targets={name: replace(target, codes=codes["__t"]) for name, target in ready.targets.items()},
        secret=lambda: digest,
        whole=ready.tables,
    )


def _columns(recoding: Recoding, block: Task, task: _Work) -> dict[str, Any]:
    """The released quasi-identifiers of a block, each held to the values that it replaces."""
    ready, of_row = task.ready, np.asarray(recoding.of_row)
    sound = of_row.shape == (block.n_rows,) and int(of_row.min()) >= -1 and int(of_row.max()) < recoding.n_classes
    sound = sound and not (recoding.without or recoding.added or recoding.beside or recoding.synthetic is not None)
    if not sound or set(recoding.cells) != {axis.name for axis in block.axes}:
        raise UnsafeReleaseError("the method gave back what does not fit its block. Nothing is released.")
    rows = np.flatnonzero(of_row >= 0) if ready.plan.suppressed == "drop" else np.arange(block.n_rows)
    place = Place(rows, of_row[rows], of_row[rows] < 0)
    columns = {}
    for axis in block.axes:
        published = recoding.cells[axis.name]
        source = Source(axis.name, task.values[axis.name].gather(axis.codes), axis)
        if not isinstance(published, ByClass) or not published.fits(source, recoding.n_classes):
            raise UnsafeReleaseError("the method gave back what does not fit its block. Nothing is released.")
        released = published.column(source, place)
        published.check(source, released, place)
        columns[axis.name] = (released.cast(pl.String) if is_text(released.dtype) else released).to_arrow()
    return columns


def _silenced(cells: Any, gone: np.ndarray) -> Any:
    """A column that says nothing in the rows that are gone."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not gone.any():
        return cells
    if isinstance(cells, pa.ChunkedArray):
        cells = cells.combine_chunks()
    return pc.if_else(pa.array(gone), pa.scalar(None, cells.type), cells)
