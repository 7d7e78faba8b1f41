"""Recoding rows where they lie: each looks up its labels, and suppressed ones leave or fall silent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from paravent.engine.spark.columns import OtherColumns, as_batches, blanked, labels_of, released_schema
from paravent.engine.spark.domains import arrow_schema, quoted
from paravent.engine.spark.faults import on_worker
from paravent.engine.spark.ready import Ready
from paravent.engine.spark.tuples import LevelRecoding


@dataclass(frozen=True, eq=False)
class _Work:
    ready: Ready
    recoding: LevelRecoding
    others: OtherColumns
    schema: Any


def recoded(session: Any, frame: Any, ready: Ready, recoding: LevelRecoding) -> Any:
    """The rows of the release, as a Spark frame that nobody has computed yet."""
    others = OtherColumns.of(ready)
    types = {name: others.dtype(name) for name in others.names} | {name: pl.String() for name in ready.plan.quasi}
    schema = released_schema(frame.schema, ready.released, types)
    work = session.sparkContext.broadcast(_Work(ready, recoding, others, arrow_schema(session, schema)))
    return frame.select(*map(quoted, needed_columns(ready))).mapInArrow(_recoder(work), schema)


def needed_columns(ready: Ready) -> list[str]:
    """The columns of the source that a release is made of."""
    return [name for name in ready.types if name in ready.released or name in ready.rows.drop]


def _recoder(work: Any) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def recode(batches: Iterator[Any]) -> Iterator[Any]:
        task: _Work = work.value
        ready, quasi = task.ready, frozenset(task.ready.plan.quasi)
        for batch in batches:
            table = ready.rows.kept(batch)
            if table.num_rows == 0:
                continue
            labels = []
            for lookup, of_value in zip(ready.quasi, task.recoding.codes, strict=True):
                cells = pl.Series("cells", pl.from_arrow(table[lookup.name]))
                labels.append(of_value[lookup.of(cells)])
            gone = task.recoding.suppressed(labels)
            shown = {
                lookup.name: labels_of(codes, names)
                for lookup, codes, names in zip(ready.quasi, labels, task.recoding.labels, strict=True)
            }
            columns = {
                name: shown[name] if name in shown else task.others.cells(table, name) for name in ready.released
            }
            yield from as_batches(left(columns, quasi, gone, mark=ready.plan.suppressed == "mark"), task.schema)

    return on_worker(recode)


def left(columns: dict[str, Any], quasi: frozenset[str], gone: np.ndarray, *, mark: bool) -> dict[str, Any]:
    """The columns without the rows that are gone, or with blanks in their place."""
    import pyarrow as pa

    if not gone.any():
        return columns
    if mark:
        return blanked({name: _chunk(cells) for name, cells in columns.items()}, quasi, gone)
    mask = pa.array(~gone)
    return {name: cells.filter(mask) for name, cells in columns.items()}


def _chunk(cells: Any) -> Any:
    import pyarrow as pa

    return cells.combine_chunks() if isinstance(cells, pa.ChunkedArray) else cells
