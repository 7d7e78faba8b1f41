"""Columns that could name people: on a cluster as on one machine, a plan says what they are."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import polars as pl

from paravent.engine.spark.domains import dtypes_of, quoted
from paravent.engine.spark.faults import on_worker, one_sentence
from paravent.engine.spark.reading import Source
from paravent.engine.spark.rows import together
from paravent.errors import PlanError, RoleError, either
from paravent.plan.exposed import exposed, silence
from paravent.plan.plan import UNSAID, Plan

_LOOKED_AT = 20_000
"""Rows of the sample in which columns without a role are looked at, by one worker; only names and reasons leave it."""


def check_people(session: Any, frame: Any, plan: Plan) -> None:
    """Raise PlanError when an identifier repeats and the plan does not say what that means."""
    del session
    if plan.person is not UNSAID:
        return
    from pyspark.sql import functions as f

    for name in plan.identifiers:
        with one_sentence(f"looking for repeated values of {name!r}"):
            column = f.col(quoted(name))
            twice = frame.where(column.isNotNull()).groupBy(column).count().where("count > 1").limit(1).count()
        if twice:
            raise PlanError(
                f"column {name!r} names people and repeats, so somebody may have several rows, and k rows need not be "
                f"k people. Write {either('person=None', '--no-person')} to insist that every row is another person; "
                "people with several rows are not counted on Spark."
            )


def check_roles(session: Any, source: Source, plan: Plan, n_rows: int) -> None:
    """Raise RoleError when a column that could name people has no role in the plan."""
    del session
    frame = source.frame
    names = [name for name in frame.columns if name not in plan.columns and name not in plan.identifiers]
    types = dtypes_of(frame.select(*map(quoted, names))) if names else {}
    names = [name for name in names if not types[name].is_nested() and types[name] != pl.Binary]
    if not names:
        return
    share = min(1.0, 2 * _LOOKED_AT / max(n_rows, 1))

    def look(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        from paravent.table.read import read

        rows = together(batches)
        reasons: dict[str, str] = {}
        if rows is not None:
            reasons = exposed(read(rows.head(_LOOKED_AT)), rows.columns)
        yield pa.RecordBatch.from_pydict({"found": [json.dumps(reasons)]})

    with one_sentence("looking at columns without a role"):
        from pyspark.sql import functions as f

        some = frame.select(*map(quoted, names))
        if share < 1:
            row = f.xxhash64(*[f.col(quoted(name)) for name in names])
            some = some.where(f.abs(row % f.lit(1_000_000)) < int(share * 1_000_000))
        answers = some.limit(2 * _LOOKED_AT).repartition(1).mapInArrow(on_worker(look), "found string").collect()
    reasons: dict[str, str] = {}
    for answer in answers:
        reasons.update(json.loads(answer["found"]))
    if reasons:
        raise RoleError(silence(reasons))
