"""Full-domain methods on a cluster: it counts the distinct rows once, and the driver searches the lattice over them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from paravent.engine.spark.coding import Packing
from paravent.engine.spark.domains import arrow_batches, quoted
from paravent.engine.spark.faults import on_worker, one_sentence
from paravent.engine.spark.ready import Ready
from paravent.engine.spark.rows import frame_of
from paravent.errors import TableError
from paravent.hierarchy.cells import CellReader
from paravent.methods.method import Progress, Recoding, Task, silent
from paravent.methods.rule import Levels

_MOST_ROWS = 2**31 - 1


@dataclass(frozen=True, eq=False)
class LevelRecoding:
    """How rows are recoded: every quasi-identifier on a level, but for the classes with the keys `gone` (ascending),
    which are suppressed. `codes[j][v]` is the label that value v of column j gets, of `labels[j]`."""

    codes: tuple[np.ndarray, ...]
    labels: tuple[tuple[str, ...], ...]
    gone: np.ndarray

    @property
    def packing(self) -> Packing:
        return Packing(tuple(len(labels) for labels in self.labels))

    def suppressed(self, labels: list[np.ndarray]) -> np.ndarray:
        """Which rows are suppressed, given the labels of each column."""
        if not len(self.gone):
            return np.zeros(len(labels[0]), dtype=bool)
        key = _joined(self.packing.pack(labels))
        at = np.minimum(np.searchsorted(self.gone, key), len(self.gone) - 1)
        return np.asarray(self.gone[at] == key)


@dataclass(frozen=True, eq=False)
class Folded:
    """Distinct rows: their codes column by column, how often each occurs, how many there are in all, and how many of
    these may be suppressed. Rows are counted, or people."""

    codes: list[np.ndarray]
    times: np.ndarray
    total: int
    allowed: int


def searched(ready: Ready, found: Folded, progress: Progress = silent) -> tuple[LevelRecoding, Recoding]:
    """Let the method of the plan choose the levels, given the distinct rows."""
    codes, times = found.codes, found.times
    n_quasi = len(ready.quasi)
    axes = tuple(
        replace(axis, codes=column, times=times, unknown=None)
        for axis, column in zip(ready.axes, codes[:n_quasi], strict=True)
    )
    sensitive = dict(zip((lookup.name for lookup in ready.judged), codes[n_quasi:], strict=True))
    task = Task(
        found.total, axes, ready.located.models, sensitive, found.allowed, ready.plan.seed, progress, ready.domains,
        times=times,
    )  # fmt: skip
    made = ready.located.method.run(task)
    return _recoding(made, task), made


def _recoding(found: Recoding, task: Task) -> LevelRecoding:
    assert isinstance(found.rule, Levels)
    codes, labels = [], []
    for axis in task.axes:
        assert axis.tree is not None
        level = axis.tree.levels[found.rule.levels[axis.name]]
        codes.append(np.ascontiguousarray(level.codes, dtype=np.int32))
        labels.append(tuple(level.labels))
        reader = CellReader.of(axis)
        for code, label in enumerate(level.labels):  # every label covers what it will replace
            covered = reader.covers(label)
            values = np.flatnonzero(level.codes == code).tolist()
            if covered is None or not set(values) <= set(covered):
                raise TableError(f"column {axis.name!r}: a label does not cover its values. Nothing is released.")
    made = LevelRecoding(tuple(codes), tuple(labels), np.zeros(0, dtype=np.int64))
    suppressed = found.of_row < 0
    if not suppressed.any():
        return made
    held = [column[axis.codes[suppressed]] for column, axis in zip(codes, task.axes, strict=True)]
    return replace(made, gone=np.unique(_joined(made.packing.pack(held))))


def _joined(keys: list[np.ndarray]) -> np.ndarray:
    """One comparable value a row."""
    if len(keys) == 1:
        return keys[0]
    return np.rec.fromarrays(keys)


def folded(session: Any, frame: Any, ready: Ready, limit: int) -> Folded:
    """The codes of the distinct rows of the columns by which rows are told apart, and how often each occurs."""
    if ready.n_rows > _MOST_ROWS:
        raise TableError(
            f"{type(ready.plan.method).__name__} searches tables of at most {_MOST_ROWS} rows, and there are "
            f"{ready.n_rows}. Take Mondrian, or find the levels on a sample."
        )
    packing = ready.packing
    with one_sentence("counting distinct rows"):
        parts = tuples_of(session, frame, ready)
        totals = parts.groupBy(*packing.names).sum("n").withColumnRenamed("sum(n)", "n")
        held = totals.limit(limit + 1).toArrow()
    found = frame_of(held)
    if found.height > limit:
        raise too_many(ready, limit)
    found = found.sort(packing.names)
    codes = packing.unpack([found[name].to_numpy() for name in packing.names])
    return Folded(codes, found["n"].to_numpy().astype(np.int64), ready.n_rows, ready.allowed)


def tuples_of(session: Any, frame: Any, ready: Ready) -> Any:
    """The rows of a table as keys of `ready.packing`, equal ones of a part folded into one with how often it occurs
    there (`n`): a Spark frame that nobody has computed yet. A key may come from several parts."""
    schema = f"{ready.packing.schema}, n long"
    task = session.sparkContext.broadcast(Coding(ready))
    needed = dict.fromkeys([*(lookup.name for lookup in ready.lookups), *ready.rows.drop])
    return frame.select(*map(quoted, needed)).mapInArrow(_folder(task, schema), schema)


def too_many(ready: Ready, limit: int) -> TableError:
    """What is said where the driver cannot hold the distinct rows."""
    return TableError(
        f"{'all released columns' if ready.others else 'the quasi-identifiers and judged columns'} have more than "
        f"{limit} different rows, too many for the driver to search ({type(ready.plan.method).__name__}). "
        f"{'Drop' if ready.others else 'Take Mondrian, round'} columns before, or allow more with tuples= (--tuples)."
    )


@dataclass(frozen=True, eq=False)
class Coding:
    """What a worker needs to turn rows into keys."""

    ready: Ready

    def keys(self, frame: pl.DataFrame) -> pl.DataFrame:
        columns = [lookup.of(frame[lookup.name].alias("cells")) for lookup in self.ready.lookups]
        keys = self.ready.packing.pack(columns)
        return pl.DataFrame([pl.Series(name, key) for name, key in zip(self.ready.packing.names, keys, strict=True)])


def _folder(task: Any, schema: str) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def fold(batches: Iterator[Any]) -> Iterator[Any]:
        coding = task.value
        held: pl.DataFrame | None = None
        for batch in batches:
            rows = coding.ready.rows.of(batch)
            if rows.height == 0:
                continue
            keys = coding.keys(rows)
            some = keys.group_by(keys.columns).len("n").with_columns(pl.col("n").cast(pl.Int64))
            held = some if held is None else pl.concat([held, some])
            if held.height > 2_000_000:
                held = held.group_by(keys.columns).agg(pl.col("n").sum())
                if held.height > 1_000_000:
                    yield from arrow_batches(held, schema)
                    held = None
        if held is not None:
            names = [name for name in held.columns if name != "n"]
            yield from arrow_batches(held.group_by(names).agg(pl.col("n").sum()), schema)

    return on_worker(fold)
