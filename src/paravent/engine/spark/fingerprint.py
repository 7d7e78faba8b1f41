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

_SEEDS = (11, 13)


def fingerprint(frame: Any) -> str:
    """The fingerprint of a Spark frame, in one pass over it."""
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
        for seed in _SEEDS
        for parts in (flat, *map(list, cells))
    ]
    with one_sentence("working out the fingerprint of the table"):
        found = frame.agg(f.count(f.lit(1)), *sums).collect()[0]
    told = {
        "columns": [[field.name, field.dataType.simpleString()] for field in frame.schema.fields],
        "rows": int(found[0]),
        "sums": [str(total) for total in found[1:]],
    }
    return hashlib.sha256(json.dumps(told, ensure_ascii=True).encode()).hexdigest()
