"""Columns that could name people: on a cluster as on one machine, a plan says what they are."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from paravent.engine.spark.domains import dtypes_of, quoted
from paravent.engine.spark.faults import on_worker, one_sentence
from paravent.engine.spark.reading import Source
from paravent.engine.spark.rows import together
from paravent.errors import PlanError, RoleError, either
from paravent.plan.exposed import exposed, naming, silence
from paravent.plan.plan import UNSAID, Plan
from paravent.plan.roles import Insensitive
from paravent.table.read import read

_LOOKED_AT = 20_000
"""Rows of the sample in which columns are looked at, by one worker; only names and reasons leave it."""


@dataclass(frozen=True)
class Suspects:
    """Columns that could name people, each with the reason, and those that plainly do."""

    exposed: dict[str, str]
    naming: list[str]


def check_people(source: Source, plan: Plan, n_rows: int) -> None:
    """Raise RoleError when a column that could name people has no role in the plan, and PlanError when one that names
    people repeats and the plan does not say what that means."""
    frame = source.frame
    silent = [name for name in frame.columns if name not in plan.columns and name not in plan.identifiers]
    kept = [name for name, role in plan.columns.items() if isinstance(role, Insensitive)]
    found = _suspects(frame, [*silent, *(kept if plan.person is UNSAID else [])], n_rows)
    without_role = {name: reason for name, reason in found.exposed.items() if name in silent}
    if without_role:
        raise RoleError(silence(without_role))
    if plan.person is UNSAID:
        for name in (*plan.identifiers, *(name for name in found.naming if name in kept)):
            _check_repeats(frame, name)


def _check_repeats(frame: Any, name: str) -> None:
    from pyspark.sql import functions as f

    with one_sentence(f"looking for repeated values of {name!r}"):
        column = f.col(quoted(name))
        twice = frame.where(column.isNotNull()).groupBy(column).count().where("count > 1").limit(1).count()
    if twice:
        raise PlanError(
            f"column {name!r} names people and repeats, so somebody may have several rows, and k rows need not be "
            f"k people. Write {either('person=None', '--no-person')} to insist that every row is another person; "
            "people with several rows are not counted on Spark."
        )


def _suspects(frame: Any, names: Sequence[str], n_rows: int) -> Suspects:
    """Look at some columns in a sample of the rows, by a hash of them."""
    from pyspark.sql import functions as f

    types = dtypes_of(frame.select(*map(quoted, names))) if names else {}
    plain = [name for name in names if not types[name].is_nested() and types[name] != pl.Binary]
    if not plain:
        return Suspects({}, [])
    share = min(1.0, _LOOKED_AT / max(n_rows, 1))
    with one_sentence("looking at columns that could name people"):
        some = frame.select(*map(quoted, plain))
        if share < 1:
            row = f.xxhash64(*[f.col(quoted(name)) for name in plain])
            some = some.where(f.abs(row % f.lit(1_000_000)) < int(share * 1_000_000))
        found = some.limit(2 * _LOOKED_AT).repartition(1).mapInArrow(on_worker(_look), "found string").collect()
    answer = json.loads(found[0]["found"]) if found else {"exposed": {}, "naming": []}
    return Suspects(answer["exposed"], answer["naming"])


def _look(batches: Iterator[Any]) -> Iterator[Any]:
    import pyarrow as pa

    rows = together(batches)
    if rows is None:
        return
    table = read(rows)
    answer = {"exposed": exposed(table, table.names), "naming": naming(table, table.names)}
    yield pa.RecordBatch.from_pydict({"found": [json.dumps(answer)]})
