"""Writing a release to its staging folder: rows in an order that tells nothing of the source, in as many files as said.

Rows are dealt to files and stand in them by a hash of their own released cells. That is the same whatever machines did
the work and however the source was divided, and tells nobody anything that the cells do not.
"""

from __future__ import annotations

from typing import Any

from paravent.engine.spark.domains import quoted
from paravent.engine.spark.faults import one_sentence
from paravent.engine.spark.staging import Folder

ROWS_OF_A_FILE = 4_000_000


def staged(rows: Any, folder: Folder, form: str, files: int, order: str) -> None:
    """Write rows that are yet to be computed."""
    from pyspark.sql import functions as f
    from pyspark.sql.types import MapType

    plain = [f.col(quoted(field.name)) for field in rows.schema.fields if not isinstance(field.dataType, MapType)]
    if order == "sorted":
        ordered = rows.orderBy(*plain)
    else:
        key = f.xxhash64(*plain) if plain else f.lit(0)
        ordered = rows.withColumn("__order", key).repartition(files, "__order")
        ordered = ordered.sortWithinPartitions("__order", *plain).drop("__order")
    writer = ordered.write.mode("error")
    with one_sentence("writing the release"):
        if form == "csv":
            writer.option("header", True).option("quote", '"').option("escape", '"').csv(str(folder))
        else:
            writer.parquet(str(folder))


def reopened(session: Any, folder: Folder | str, form: str) -> Any:
    """A written release, read again."""
    with one_sentence("reading the release"):
        if form == "csv":
            reader = session.read.option("header", True).option("quote", '"').option("escape", '"')
            return reader.option("enforceSchema", False).csv(str(folder))
        return session.read.parquet(str(folder))
