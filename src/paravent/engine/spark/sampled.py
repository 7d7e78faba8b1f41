"""A random sample of true rows (SafePub) on a cluster: it counts the distinct rows of all released columns, and the
driver draws as many of each as are drawn, row by row, by the operating system's secure source.

Chance has its say on the driver, once, and before any row is made. What workers get are the rows that were drawn, each
with its number: a worker that is lost makes the same ones again when its part is repeated.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from paravent.engine.spark.columns import OtherColumns, released_schema
from paravent.engine.spark.domains import arrow_schema, quoted
from paravent.engine.spark.faults import one_sentence
from paravent.engine.spark.ready import Ready
from paravent.engine.spark.tuples import folded
from paravent.errors import UnsafeReleaseError
from paravent.hierarchy.cells import CellReader
from paravent.methods.method import Charge, Labels, Progress, Recoding, Task, silent
from paravent.plan.prepare import fixed_levels
from paravent.privacy.promise import Entry
from paravent.privacy.sampling_loss import account_of_sampling
from paravent.private.sampling import Sampled

_AT_ONCE = 100_000
"""A drawn row that occurs oftener is sent to workers several times."""
_TIMES = "__times"


def drawn(
    session: Any, frame: Any, ready: Ready, limit: int, charge: Charge, progress: Progress = silent
) -> tuple[Any, Recoding]:
    """The rows of the release, as a Spark frame that nobody has computed yet, and what the method says of them."""
    distinct = folded(session, frame, ready, limit)
    codes, times = distinct.codes, distinct.times
    n_quasi = len(ready.quasi)
    axes = tuple(
        replace(axis, codes=column, times=times, unknown=None)
        for axis, column in zip(ready.axes, codes[:n_quasi], strict=True)
    )
    others = dict(zip((lookup.name for lookup in ready.others), codes[n_quasi:], strict=True))
    task = Task(
        ready.n_rows, axes, ready.located.models, {}, ready.allowed, ready.plan.seed, progress,
        cells={name: _values(ready, name, column) for name, column in others.items()},
        roles=ready.plan.role_names(ready.released),
        promises=ready.located.protect,
        charge=charge,
        fixed_levels=fixed_levels(ready.located, {name: own.column.kind for name, own in ready.translated.items()}),
        times=times,
    )  # fmt: skip
    found = ready.located.method.run(task)
    _check_covered(found, task)
    return _sent(session, frame, ready, _kinds(ready, found, others)), found


def _values(ready: Ready, name: str, codes: np.ndarray) -> pl.Series:
    """The cells of a column by their codes; that of a missing one is the last."""
    values = ready.translated[name].values
    return values.gather(pl.Series(np.where(codes < len(values), codes, -1)).replace(-1, None)).alias("cells")


def _check_covered(found: Recoding, task: Task) -> None:
    """Every label covers what it replaces."""
    kept = np.flatnonzero(found.of_row >= 0)
    for axis in task.axes:
        cells = found.cells[axis.name]
        assert isinstance(cells, Labels)
        reader = CellReader.of(axis)
        label = cells.codes[found.of_row[kept]].astype(np.int64)
        for code, value in np.unique(np.stack([label, axis.codes[kept].astype(np.int64)], axis=1), axis=0).tolist():
            covered = reader.covers(cells.labels[code])
            if covered is None or value not in covered:
                raise UnsafeReleaseError(
                    f"column {axis.name!r}: a label does not cover its values. Nothing is released."
                )


def _kinds(ready: Ready, found: Recoding, others: dict[str, np.ndarray]) -> pl.DataFrame:
    """The distinct rows of the release, each with how often it occurs."""
    assert found.copies is not None
    kept = np.flatnonzero(found.copies)
    coded = pl.DataFrame(
        [
            pl.Series("class", found.of_row[kept]),
            *(pl.Series(f"{i}", column[kept]) for i, column in enumerate(others.values())),
            pl.Series(_TIMES, found.copies[kept]),
        ]
    )
    names = [name for name in coded.columns if name != _TIMES]
    kinds = coded.group_by(names).agg(pl.col(_TIMES).sum()).sort(names)
    of_class, place = kinds["class"].to_numpy(), {name: f"{i}" for i, name in enumerate(others)}
    columns = []
    for name in ready.released:
        if name in place:
            columns.append(_values(ready, name, kinds[place[name]].to_numpy()).alias(name))
        else:
            cells = found.cells[name]
            assert isinstance(cells, Labels)
            columns.append(pl.Series(name, cells.labels, dtype=pl.String).gather(cells.codes[of_class]))
    return pl.DataFrame([*columns, kinds[_TIMES]])


def _sent(session: Any, frame: Any, ready: Ready, kinds: pl.DataFrame) -> Any:
    """The rows, as often as each occurs, made by workers from what the driver holds."""
    from pyspark.sql import functions as f
    from pyspark.sql.types import LongType, StructField, StructType

    others = OtherColumns.of(ready)
    types = {name: others.dtype(name) for name in others.names} | {name: pl.String() for name in ready.plan.quasi}
    schema = released_schema(frame.schema, ready.released, types)
    schema = StructType([*schema.fields, StructField(_TIMES, LongType(), True)])
    times = kinds[_TIMES].to_numpy()
    parts = -(-times // _AT_ONCE)
    of_part = np.repeat(np.arange(len(times)), parts)
    held = np.full(len(of_part), _AT_ONCE, dtype=np.int64)
    held[np.cumsum(parts) - 1] = times - (parts - 1) * _AT_ONCE
    sent = kinds.with_columns(pl.lit(0, pl.Int64).alias(_TIMES))[of_part].with_columns(pl.Series(_TIMES, held))
    with one_sentence("sending the drawn rows"):
        told = session.createDataFrame(sent.to_arrow().cast(arrow_schema(session, schema)), schema)
        return told.select(
            *map(quoted, ready.released), f.explode(f.array_repeat(f.lit(0), f.col(_TIMES).cast("int"))).alias(_TIMES)
        ).drop(_TIMES)


def check_written(written: Any, sampled: Sampled) -> tuple[Entry, ...]:
    """What was spent, worked out again. Written rows of which fewer than k are alike in every column are not
    released."""
    from pyspark.sql import functions as f

    account = account_of_sampling(sampled.to_document())
    with one_sentence("verifying the release"):
        alike = written.groupBy(*map(quoted, written.columns)).count()
        fewest = alike.agg(f.min("count")).collect()[0][0]
    if fewest is None or fewest < sampled.sampling.k:
        raise UnsafeReleaseError(
            f"some rows of the finished release are like fewer than {sampled.sampling.k} in all columns. "
            "Nothing is released."
        )
    return account
