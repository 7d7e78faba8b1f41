"""Columns that could name people: on a cluster as on one machine, a plan says what they are."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from paravent.engine.spark.domains import dtypes_of, quoted
from paravent.engine.spark.faults import on_worker, one_sentence
from paravent.engine.spark.reading import Source
from paravent.engine.spark.rows import together
from paravent.engine.spark.serves import check_serves
from paravent.errors import PlanError, RoleError, either
from paravent.near import suggest
from paravent.plan.exposed import exposed, naming, silence
from paravent.plan.plan import UNSAID, Plan
from paravent.plan.roles import DROP_ROWS, Insensitive
from paravent.table.read import read

COUNTS = "the row that comes first by its cells"
"""Which row of a person is sampled."""
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


def counted_source(source: Source, plan: Plan) -> Source:
    """The table in which a plan is carried out: where rows are sampled and people have several, one row of each."""
    if not isinstance(plan.person, str):
        return source
    check_serves(plan)
    frame = source.frame
    if plan.person not in frame.columns:
        raise PlanError(f"person: the table has no column {plan.person!r}. {suggest(plan.person, frame.columns)}")
    check_known(frame, plan.person)
    if not plan.method.samples_rows:
        return source
    drop = [name for name in (*plan.quasi, *plan.judged) if plan.meaning_of_missing(name) == DROP_ROWS]
    return replace(source, frame=one_row_each(frame, plan.person, plan.left_out, drop))


def one_row_each(frame: Any, person: str, left_out: Sequence[str], drop: Sequence[str]) -> Any:
    """One row of each person, the least in the order of its cells: which it is depends on the person's rows alone.
    Columns that are left out have no say, and hold nothing."""
    from pyspark.sql import functions as f
    from pyspark.sql.types import MapType

    rows, cells = frame, []
    for name in drop:
        rows = rows.where(~unknown(frame, name)) if name in frame.columns else rows
    for field in frame.schema.fields:
        cell = f.col(quoted(field.name))
        if field.name in left_out:
            cell = f.lit(None).cast(field.dataType).alias(field.name)
        elif isinstance(field.dataType, MapType):
            raise PlanError(f"columns.{field.name}: rows are compared, and maps are not. Drop it: pv.Drop().")
        cells.append(cell)
    least = rows.groupBy(as_text(person).alias("__person")).agg(f.min(f.struct(*cells)).alias("row"))
    return least.select("row.*")


def check_known(frame: Any, person: str) -> None:
    """Refuse rows of which nobody knows whose they are."""
    with one_sentence("looking for rows of nobody"):
        found = frame.where(unknown(frame, person)).limit(1).count()
    if found:
        raise PlanError(
            f"person: column {person!r} is missing in some rows, so nobody knows whose they are. Fill it in, or leave "
            "these rows out."
        )


def as_text(person: object) -> Any:
    """The column that names people, as texts."""
    from pyspark.sql import functions as f

    return f.col(quoted(str(person))).cast("string")


def unknown(frame: Any, name: str) -> Any:
    """Whether the cell of a row is missing; a float that is not a number is."""
    from pyspark.sql import functions as f

    cell = f.col(quoted(name))
    floats = frame.schema[name].dataType.typeName() in ("float", "double")
    return cell.isNull() | f.isnan(cell) if floats else cell.isNull()


def _check_repeats(frame: Any, name: str) -> None:
    from pyspark.sql import functions as f

    with one_sentence(f"looking for repeated values of {name!r}"):
        column = f.col(quoted(name))
        twice = frame.where(column.isNotNull()).groupBy(column).count().where("count > 1").limit(1).count()
    if twice:
        raise PlanError(
            f"column {name!r} names people and repeats, so somebody may have several rows, and k rows need not be "
            f"k people. Write {either(f'person={name!r}', f'--person {shlex.quote(name)}')} to count people, or "
            f"{either('person=None', '--no-person')} to insist that every row is another person."
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
