"""People with several rows on a cluster: they are counted, not their rows.

Where all rows of a person are the same to the method and the models, it works on people as if each were one row, as on
one machine. Workers pass on whose each row is as a number in a column of its own, so that the verifying job can count
people in the finished rows; that column is in the staged files which this job reads, and never in those of the release.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from paravent.engine.spark.domains import arrow_batches, quoted
from paravent.engine.spark.faults import on_worker, one_sentence
from paravent.engine.spark.fingerprint import fingerprint
from paravent.engine.spark.people import as_text
from paravent.engine.spark.reading import Source
from paravent.engine.spark.ready import Ready
from paravent.engine.spark.rows import frame_of
from paravent.engine.spark.tuples import Coding, Folded, too_many
from paravent.errors import PlanError, UnsafeReleaseError

PERSON = "__person"
_ROWS, _SAME = "__rows", "__same"


def with_persons(source: Source, ready: Ready) -> tuple[Source, Ready]:
    """The table and what is released of it, with whose each row is as one more column: a number by the name and the
    seed. Two people with one number would count as one, which is no danger."""
    from pyspark.sql import functions as f

    number = f.xxhash64(f.lit(ready.plan.seed), as_text(ready.plan.person))
    return (
        replace(source, frame=source.frame.withColumn(PERSON, number)),
        replace(ready, types={**ready.types, PERSON: pl.Int64()}),
    )


def folded_people(session: Any, frame: Any, ready: Ready, limit: int) -> Folded:
    """The codes of the distinct rows of people, and how many people have each. People whose rows differ are refused."""
    from pyspark.sql import functions as f

    names = ready.packing.names
    schema = f"{PERSON} string, {ready.packing.schema}"
    needed = list(dict.fromkeys([*(lookup.name for lookup in ready.lookups), *ready.rows.drop]))
    task = session.sparkContext.broadcast(Coding(ready))
    with one_sentence("counting people"):
        coded = frame.select(as_text(ready.plan.person).alias(PERSON), *map(quoted, needed))
        rows = coded.mapInArrow(_coder(task, schema), schema)
        key = f.struct(*names)
        people = rows.groupBy(PERSON).agg(
            f.min(key).alias("low"), f.max(key).alias("high"), f.count(f.lit(1)).alias(_ROWS)
        )
        kinds = people.groupBy(f.col("low").alias("key"), _ROWS, (f.col("low") == f.col("high")).alias(_SAME)).count()
        held = kinds.select("key.*", _ROWS, _SAME, f.col("count").alias("n")).limit(limit + 1).toArrow()
    found = frame_of(held)
    if found.height > limit:
        raise too_many(ready, limit)
    if not found[_SAME].all():
        raise PlanError(
            "person: some people have rows that differ in quasi-identifiers or judged columns, and on Spark people are "
            "counted only where all rows of a person are the same in these. Run it on one machine, or give one row a "
            "person."
        )
    counts = found.group_by(_ROWS).agg(pl.col("n").sum()).sort(_ROWS, descending=True)
    totals = found.group_by(names).agg(pl.col("n").sum()).sort(names)
    times = totals["n"].to_numpy().astype(np.int64)
    codes = ready.packing.unpack([totals[name].to_numpy() for name in names])
    return Folded(codes, times, int(times.sum()), most_people(counts.select(_ROWS, "n").rows(), ready.allowed))


def most_people(counts: list[tuple[int, int]], allowed: int) -> int:
    """How many people may be suppressed, whoever they are, where so many rows may be: `counts` says how many have how
    many rows, the most rows first.

    >>> most_people([(3, 2), (1, 10)], 7)
    3
    """
    found = 0
    for rows, people in counts:
        some = min(people, allowed // rows)
        found, allowed = found + some, allowed - some * rows
        if some < people:
            break
    return found


def _coder(task: Any, schema: str) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def code(batches: Iterator[Any]) -> Iterator[Any]:
        coding: Coding = task.value
        for batch in batches:
            rows = coding.ready.rows.of(batch)
            if rows.height:
                yield from arrow_batches(coding.keys(rows).with_columns(rows[PERSON]), schema)

    return on_worker(code)


def check_same_rows(told: Any, written: Any) -> None:
    """The rows in which people were counted are those of the release: as many, with the same cells. They are compared
    by their fingerprints, sums of hashes of rows and cells."""
    if told.columns != written.columns or fingerprint(told) != fingerprint(written):
        raise UnsafeReleaseError("the written rows are not those in which people were counted. Nothing is released.")
