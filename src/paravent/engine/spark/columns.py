"""The columns of a release that are not quasi-identifiers: passed on, treated, or replaced by pseudonyms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from paravent.engine.spark.domains import keys_of
from paravent.engine.spark.ready import Ready
from paravent.engine.spark.rows import matched
from paravent.hierarchy.tree import ROOT_LABEL
from paravent.plan.pseudonym import key_of
from paravent.plan.roles import Identifier
from paravent.treatments.pseudonymize import pseudonyms


@dataclass(frozen=True, eq=False)
class OtherColumns:
    """Makes the released cells of columns that no method changes. `changed` has, for those whose values change, the
    keys of the values of the source and what is shown; `hidden` the keys and lengths of pseudonyms."""

    names: tuple[str, ...]
    changed: Mapping[str, tuple[pl.Series, pl.Series]]
    hidden: Mapping[str, tuple[bytes, int]]

    @classmethod
    def of(cls, ready: Ready) -> OtherColumns:
        names = tuple(name for name in ready.released if name not in ready.plan.quasi)
        changed, hidden = {}, {}
        for name in names:
            own, role = ready.translated.get(name), ready.located.role(name)
            if own is not None and own.changed:
                places = pl.Series(own.place).replace(-1, None)
                changed[name] = (keys_of(own.raw.alias("value")), own.values.gather(places))
            if isinstance(role, Identifier):
                hidden[name] = (key_of(name, role), role.length)
        return cls(names, changed, hidden)

    def cells(self, table: Any, name: str) -> Any:
        """The released cells of a column of an Arrow table, in Arrow."""
        if name not in self.changed and name not in self.hidden:
            return table[name]
        cells = pl.Series("cells", pl.from_arrow(table[name]))
        if name in self.changed:
            cells = matched(keys_of(cells), *self.changed[name])
        if name in self.hidden:
            key, length = self.hidden[name]
            cells = pseudonyms({"cells": cells}, "columns.{}", key, length)["cells"]
        return cells.to_arrow()

    def dtype(self, name: str) -> pl.DataType | None:
        """The type of a released column; None: that of the source."""
        if name in self.hidden:
            return pl.String()
        return self.changed[name][1].dtype if name in self.changed else None


def released_schema(source: Any, released: list[str], types: Mapping[str, pl.DataType | None]) -> Any:
    """The schema of a release for Spark, from that of its source and the types of columns that change."""
    from pyspark.sql.pandas.types import from_arrow_type
    from pyspark.sql.types import StructField, StructType

    fields = []
    for name in released:
        dtype = types.get(name)
        if dtype is None:
            fields.append(StructField(name, source[name].dataType, True))
        else:
            arrow = pl.Series("cells", [], dtype=dtype).to_arrow().type
            fields.append(StructField(name, from_arrow_type(_plain(arrow)), True))
    return StructType(fields)


def _plain(kind: Any) -> Any:
    import pyarrow as pa

    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return pa.string()
    return kind


def as_batches(columns: Mapping[str, Any], schema: Any) -> list[Any]:
    """Columns as Arrow batches of the schema that a job has declared."""
    import pyarrow as pa

    table = pa.Table.from_pydict(dict(columns))
    return table.cast(schema).to_batches() if table.num_rows else []


def labels_of(codes: np.ndarray, labels: tuple[str, ...]) -> Any:
    """A column of labels in Arrow."""
    import pyarrow as pa

    names = pa.array(labels, type=pa.string())
    return names.take(pa.array(codes))


def blanked(columns: Mapping[str, Any], quasi: frozenset[str], gone: np.ndarray) -> dict[str, Any]:
    """The columns with nothing said in the rows that are gone: `*` in labels, no value elsewhere."""
    import pyarrow as pa
    import pyarrow.compute as pc

    mask, found = pa.array(gone), {}
    for name, cells in columns.items():
        labelled = name in quasi and pa.types.is_string(cells.type)
        found[name] = pc.if_else(mask, pa.scalar(ROOT_LABEL if labelled else None, cells.type), cells)
    return found
