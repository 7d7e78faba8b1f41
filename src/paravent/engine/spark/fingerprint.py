"""The fingerprint of a table on a cluster, by which a ledger knows its table.

It is a SHA-256 of the names and types of the columns, the number of rows, and sums of hashes (xxHash64, each with two
seeds) over rows and over the cells of each column. Sums know no order: how the source is partitioned, and in which
order its rows come, changes nothing. One cell changed, or a row more, changes them. Such sums guard against taking the
wrong ledger, not against somebody who makes two tables collide on purpose.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from paravent.engine.spark.domains import quoted
from paravent.engine.spark.faults import one_sentence

_SEEDS, _OTHERS = (11, 13), (101, 103, 107, 109)


def fingerprint(frame: Any) -> str:
    """The fingerprint of a Spark frame, in one pass over it."""
    return _digest("", frame, by_column=True)


def secret_of(frame: Any) -> str:
    """Another hash of all rows, for random numbers that only the owner of the table can draw again. It is published
    nowhere, and is written to no ledger."""
    return _digest("random numbers of treatments", frame, by_column=False)


def _digest(purpose: str, frame: Any, *, by_column: bool) -> str:
    from pyspark.sql import functions as f
    from pyspark.sql.types import ArrayType, MapType, StructType

    cells = []
    for field in frame.schema.fields:
        cell = f.col(quoted(field.name))
        # Spark hashes no maps, and passes over missing values, which would let cells change places.
        plain = f.to_json(cell) if isinstance(field.dataType, ArrayType | MapType | StructType) else cell
        cells.append((plain, cell.isNull()))
    flat = [part for pair in cells for part in pair]
    # As a decimal: a sum of long numbers would overflow.
    sums = [
        f.sum(f.xxhash64(f.lit(seed), *parts).cast("decimal(20,0)"))
        for seed in (_SEEDS if by_column else _OTHERS)
        for parts in (flat, *(map(list, cells) if by_column else ()))
    ]
    with one_sentence("working out the fingerprint of the table"):
        found = frame.agg(f.count(f.lit(1)), *sums).collect()[0]
    told = {
        "columns": [[field.name, field.dataType.simpleString()] for field in frame.schema.fields],
        "rows": int(found[0]),
        "sums": [str(total) for total in found[1:]],
    }
    return hashlib.sha256(f"{purpose}{json.dumps(told, ensure_ascii=True)}".encode()).hexdigest()
