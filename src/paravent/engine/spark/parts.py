"""Rows in parts that depend on nothing but the rows, and a treatment in each: the code that one machine runs.

A treatment of single rows gets parts that a keyed hash deals: of the cells of a row and, where rows are equal, of how
many of them there were before, so that nine tenths of equal rows are no part of nine tenths. One that never mixes
groups gets parts of whole groups. Within a part, rows are in the order of a hash of their cells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil
from typing import Any

import numpy as np
import polars as pl

from paravent.engine.spark.coding import Lookup
from paravent.engine.spark.columns import as_batches, released_schema
from paravent.engine.spark.domains import arrow_schema, keys_of, quoted
from paravent.engine.spark.faults import on_worker, one_sentence, without_values
from paravent.engine.spark.rows import matched
from paravent.engine.spark.translation import Translated
from paravent.errors import PlanError, UnsafeReleaseError, either
from paravent.hierarchy.spec import TreeSpec
from paravent.plan.file import resolved
from paravent.plan.plan import Plan
from paravent.plan.treat import changed_by
from paravent.table.domain import Domain
from paravent.table.randomness import generator
from paravent.table.table import Origin, Table
from paravent.treatments.treatment import Treatment, Work

_DEALT = 100_000
"""Rows of a part, where rows may be dealt as one likes."""
_COPIES = 10_000
"""Equal rows that go to a part together."""
_PART, _TIMES, _COPY = "__part", "__n", "__copy"
_ORDER = ("__h0", "__h1")


@dataclass(frozen=True, eq=False)
class Part:
    """What a treatment needs in each part: `known` says what becomes of values before, `rows` is how many rows there
    are in all, and `most` how many one process takes."""

    place: int
    said: Treatment
    step: Treatment
    plan: Plan
    known: Mapping[str, Translated]
    secret: str
    rows: int
    most: int

    @cached_property
    def trees(self) -> dict[str, TreeSpec | str]:
        return {name: role.tree for name, role in resolved(self.plan).quasi.items() if role.tree is not None}

    @cached_property
    def counts(self) -> dict[str, Domain]:
        """The values of the treated columns in all rows."""
        return {name: self.known[name].coded.domain for name in self.step.columns}

    def codes(self) -> dict[str, Lookup]:
        """How rows are told apart by the columns that are only read; a missing cell is a value."""
        found = {}
        for name in self.step.reads:
            own = self.known[name]
            of_value = np.where(own.place < 0, len(own.values), own.place).astype(np.int32)
            found[name] = Lookup(name, own.raw, of_value, len(own.values), len(own.values) + 1)
        return found


def hashes(names: list[str]) -> list[Any]:
    """Two hashes of the cells of a row."""
    from pyspark.sql import functions as f

    cells = [f.col(quoted(name)) for name in names]
    return [f.xxhash64(f.lit(seed), *(part for cell in cells for part in (cell, cell.isNull()))) for seed in (17, 19)]


def folded_rows(frame: Any) -> Any:
    """Each different row once, with how often it occurs."""
    from pyspark.sql import functions as f

    return frame.groupBy(*map(quoted, frame.columns)).agg(f.count(f.lit(1)).alias(_TIMES))


def treated_in_parts(session: Any, frame: Any, part: Part, table: Table) -> tuple[Any, str]:
    """The treated rows, as a Spark frame that nobody has computed yet, and what was done in words."""
    step = part.step
    types = {name: step.dtype(table, name) for name in step.columns}
    schema = released_schema(frame.schema, frame.columns, types)
    work = session.sparkContext.broadcast(_Task(part, tuple(frame.columns), arrow_schema(session, schema)))
    if step.by_row(table):
        return frame.mapInArrow(_on_batches(work), schema), f"{part.said!r}: {part.rows} rows, each by itself."
    dealt, parts = _dealt(frame, part) if step.reach == "rows" else _grouped(session, frame, part)
    ordered = dealt.withColumns(dict(zip(_ORDER, hashes(frame.columns), strict=True)))
    told = f"{part.said!r}: {part.rows} rows, in {parts} part{'s' if parts > 1 else ''}."
    return ordered.groupBy(_PART).applyInArrow(_in_part(work), schema), told


def _dealt(frame: Any, part: Part) -> tuple[Any, int]:
    """Rows dealt to parts by chance that only the owner of the table can repeat."""
    from pyspark.sql import functions as f

    size = min(_DEALT, part.most)
    parts, copies = ceil(part.rows / size), min(_COPIES, size)
    chunk = f.explode(f.sequence(f.lit(0), f.floor((f.col(_TIMES) - 1) / copies).cast("int")))
    rows = folded_rows(frame).withColumn(_COPY, chunk)
    rows = rows.withColumn(_TIMES, f.least(f.lit(copies), f.col(_TIMES) - f.col(_COPY) * copies))
    key = f.concat_ws("|", f.lit(f"{part.secret} {part.place}"), *hashes(frame.columns), f.col(_COPY))
    dealt = f.pmod(f.xxhash64(f.sha2(key, 256)), f.lit(parts))
    return rows.withColumn(_PART, dealt).drop(_COPY), parts


def _grouped(session: Any, frame: Any, part: Part) -> tuple[Any, int]:
    """Rows in parts of whole groups; all rows in one part where a treatment looks at all."""
    from pyspark.sql import functions as f

    step, names = part.step, list(part.step.reads) if part.step.reach == "groups" else []
    if not names:
        if part.rows > part.most:
            raise PlanError(_too_large(part, f"all {part.rows} rows at once", step))
        return frame.withColumn(_PART, f.lit(0)), 1
    coded = with_codes(session, frame, part)
    codes = [f.col(code_name(i)) for i in range(len(names))]
    with one_sentence("counting groups"):
        largest = int(coded.groupBy(*codes).count().agg(f.max("count")).collect()[0][0])
    if largest > part.most:
        raise PlanError(_too_large(part, f"groups of {', '.join(map(repr, names))}, one of {largest} rows", step))
    parts = ceil(2 * part.rows / part.most)
    dealt = coded.withColumn(_PART, f.pmod(f.xxhash64(*codes), f.lit(parts)))
    return dealt.drop(*map(code_name, range(len(names)))), parts


def _too_large(part: Part, what: str, step: Treatment) -> str:
    within = "name more columns in within, " if _has_groups(step) else ""
    return (
        f"treat[{part.place}]: {type(step).__name__} looks at {what}, and one process of a worker takes {part.most}. "
        f"Allow more ({either('block=', '--block')}), {within}or treat the table before, on one machine."
    )


def _has_groups(step: Treatment) -> bool:
    """Whether a treatment would look at groups alone, if it was told some."""
    try:
        return hasattr(step, "within") and replace(step, within=("some column",)).reach == "groups"  # type: ignore[type-var]
    except PlanError:
        return False


def code_name(place: int) -> str:
    return f"__c{place}"


def with_codes(session: Any, frame: Any, part: Part) -> Any:
    """The rows with a code for each column that is only read, by its values as the treatments before leave them."""
    from pyspark.sql.types import IntegerType, StructField, StructType

    lookups = part.codes()
    more = [StructField(code_name(i), IntegerType(), False) for i in range(len(lookups))]
    schema = StructType([*frame.schema.fields, *more])
    task = session.sparkContext.broadcast((tuple(lookups.values()), arrow_schema(session, schema)))

    def code(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        own, declared = task.value
        for batch in batches:
            table = pa.Table.from_batches([batch])
            columns = {name: table[name] for name in table.column_names}
            for i, lookup in enumerate(own):
                columns[code_name(i)] = pa.array(lookup.of(pl.Series("cells", pl.from_arrow(table[lookup.name]))))
            yield from as_batches(columns, declared)

    return frame.mapInArrow(on_worker(code), schema)


@dataclass(frozen=True, eq=False)
class _Task:
    part: Part
    columns: tuple[str, ...]
    schema: Any


def _on_batches(work: Any) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """A treatment in which every row stands for itself, and nothing is drawn: any rows are a part."""

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for batch in batches:
            if batch.num_rows:
                yield from as_batches(_treated(pa.Table.from_batches([batch]), 0, work.value), work.value.schema)

    return on_worker(run)


def _in_part(work: Any) -> Callable[[Any], Any]:
    def run(table: Any) -> Any:
        import pyarrow as pa

        try:
            number = int(table[_PART][0].as_py())
            order = np.lexsort([table[name].to_numpy() for name in reversed(_ORDER)])
            if _TIMES in table.column_names:
                order = np.repeat(order, table[_TIMES].to_numpy()[order])
            chosen = table.take(pa.array(order))
            return pa.Table.from_pydict(_treated(chosen, number, work.value)).cast(work.value.schema)
        except Exception as error:
            raise without_values(error) from None

    return run


def _treated(rows: Any, number: int, task: _Task) -> dict[str, Any]:
    """The columns of a part, with what the treatment makes of them held to what it was asked to make."""
    part = task.part
    cells = {}
    for name, own in part.known.items():
        own_cells = pl.Series("cells", pl.from_arrow(rows[name]))
        if own.changed:
            places = pl.Series(own.place).replace(-1, None)
            own_cells = matched(keys_of(own_cells), keys_of(own.raw.alias("value")), own.values.gather(places))
        cells[name] = own_cells.alias(name)
    frame = pl.DataFrame(list(cells.values()))
    known = {name: replace(own.column, missing=frame[name].null_count()) for name, own in part.known.items()}
    table = Table(frame, known, np.arange(frame.height), Origin("a part of a table on Spark"))
    rng = generator(part.plan.seed, part.secret, "treatment", part.place, part.said, number)
    roles = part.plan.role_names(table.names)
    counts = {} if part.step.reach == "table" else part.counts
    found = part.step.run(Work(table, rng, roles, trees=part.trees, counts=counts))
    if found.kept is not None:
        raise UnsafeReleaseError(f"{type(part.step).__name__} left rows out unasked. Nothing is released.")
    now = changed_by(table, part.step, found)
    return {name: now.frame[name].to_arrow() if name in part.step.columns else rows[name] for name in task.columns}
