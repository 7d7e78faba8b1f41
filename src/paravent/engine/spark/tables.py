"""Tables that are published with a release on a cluster: made of counts of the finished columns that they tell about.

They lie in the folder of the release, in `_tables`, so that one rename makes all of it visible; readers of the rows
pass over names that begin so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from paravent.engine.spark.domains import domains_of
from paravent.engine.spark.faults import one_sentence
from paravent.engine.spark.rows import Rows
from paravent.engine.spark.staging import Folder
from paravent.plan.file import resolved
from paravent.plan.plan import Plan
from paravent.table.text import as_text
from paravent.treatments.treatment import Tabled

FOLDER = "_tables"


def tables_beside(session: Any, written: Any, plan: Plan, limit: int) -> dict[str, pl.DataFrame]:
    """What the treatments of a plan publish, of what was written."""
    asked: dict[str, tuple[str, Tabled]] = {}
    for treatment in resolved(plan).treat:
        asked |= treatment.tables(plan.role_names(treatment.columns))
    told = {name: own for name, own in asked.items() if own[0] in written.columns}
    if not told:
        return {}
    counted = domains_of(session, written, list(dict.fromkeys(column for column, _ in told.values())), Rows(), limit)
    found = {}
    for name, (column, make) in told.items():
        own = counted.columns[column]
        found[name] = make(dict(zip(as_text(own.values).to_list(), own.counts.tolist(), strict=True)))
    return found


def write_beside(session: Any, release: Folder, form: str, tables: Mapping[str, pl.DataFrame]) -> None:
    """Write them into the folder of the release, in its form."""
    for name, table in tables.items():
        with one_sentence("writing the release"):
            writer = session.createDataFrame(table.to_arrow()).coalesce(1).write.mode("error")
            place = str(release.child(f"{FOLDER}/{name}"))
            writer.option("header", True).csv(place) if form == "csv" else writer.parquet(place)
