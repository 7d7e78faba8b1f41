"""Questions to a table on a cluster, within a budget: workers count, the driver adds noise.

Whatever rests on counts is asked for: of all rows, by the values of a column, by groups. A worker counts its rows by
the code that one machine runs, and whatever it adds up is exact. Noise, thresholds and the ledger are those of one
machine, on the driver. Each question is charged before its rows are counted.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NoReturn

import numpy as np
import polars as pl

from paravent.arguments import check_call
from paravent.engine.spark.domains import arrow_batches, dtypes_of, quoted
from paravent.engine.spark.faults import on_worker, one_sentence
from paravent.engine.spark.fingerprint import fingerprint
from paravent.engine.spark.people import as_text, unknown
from paravent.engine.spark.reading import open_source
from paravent.engine.spark.rows import frame_of
from paravent.errors import PlanError, TableError
from paravent.private.asking import Amount, Asking
from paravent.private.counting import Counting, Held, Places
from paravent.private.domains import read_domains
from paravent.private.groups import Groups, Wish
from paravent.private.keys import Keys
from paravent.private.ledger import Budget
from paravent.private.price import Price
from paravent.private.questions import Questions, ledger_of, numbers_of, usual_price
from paravent.private.rows import Rows, Where, check_people
from paravent.private.sums import Summing

_MOST_KEYS = 2_000_000
"""Combinations of values that the driver holds where nobody named them."""
_COUNTS = "code long, n long"


@dataclass(frozen=True, eq=False)
class Cluster(Counting):
    """The rows that take part, at most `limit` of each person, and how they are counted."""

    session: Any
    frame: Any
    limit: int

    @classmethod
    def of(cls, session: Any, frame: Any, person: str | None, limit: int) -> Cluster:
        """With a `person` column, the `limit` rows of each that come first by their cells: which they are depends on
        the person's rows alone. Rows that name nobody are left out."""
        from pyspark.sql import functions as f
        from pyspark.sql.types import ArrayType, MapType, StructType
        from pyspark.sql.window import Window

        if person is None:
            return cls(session, frame, 1)
        cells = []
        for field in frame.schema.fields:
            cell = f.col(quoted(field.name))
            cells.append(f.to_json(cell) if isinstance(field.dataType, ArrayType | MapType | StructType) else cell)
        first = f.row_number().over(Window.partitionBy(as_text(person)).orderBy(*cells))
        rows = frame.where(~unknown(frame, person)).withColumn("__nth", first)
        return cls(session, rows.where(f.col("__nth") <= limit).drop("__nth"), limit)

    def tally(self, where: Where | None, places: Places, size: int) -> np.ndarray:
        task = self.session.sparkContext.broadcast((dict(where or {}), dict(places), size, self.limit))
        with one_sentence("counting rows"):
            parts = self._columns([*(where or {}), *places]).mapInArrow(_tallier(task), _COUNTS)
            held = parts.groupBy("code").sum("n").withColumnRenamed("sum(n)", "n").toArrow()
        found, counts = frame_of(held), np.zeros(size, dtype=np.int64)
        counts[found["code"].to_numpy()] = found["n"].to_numpy()
        return counts

    def keys(self, where: Where | None, columns: Sequence[str]) -> pl.DataFrame:
        schema = ", ".join(f"`{i}` string" for i in range(len(columns))) + ", rows long"
        task = self.session.sparkContext.broadcast((dict(where or {}), columns, self.limit, schema))
        names = [f"{i}" for i in range(len(columns))]
        with one_sentence("counting values"):
            parts = self._columns([*(where or {}), *columns]).mapInArrow(_finder(task), schema)
            totals = parts.groupBy(*map(quoted, names)).sum("rows").withColumnRenamed("sum(rows)", "rows")
            found = frame_of(totals.limit(_MOST_KEYS + 1).toArrow())
        if found.height > _MOST_KEYS:
            raise TableError(
                f"the columns have more than {_MOST_KEYS} different values, too many for the driver. Name those that "
                "matter in domains."
            )
        return found.select(*names, "rows")

    def _columns(self, names: list[str]) -> Any:
        """The columns that a question reads; any one where it reads none, since rows are counted."""
        return self.frame.select(*map(quoted, dict.fromkeys(names) or self.frame.columns[:1]))


def _tallier(task: Any) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def tally(batches: Iterator[Any]) -> Iterator[Any]:
        where, places, size, limit = task.value
        for batch in batches:
            counts = Held(Rows(frame_of(batch), limit)).tally(where, places, size)
            held = np.flatnonzero(counts)
            yield from arrow_batches(pl.DataFrame({"code": held, "n": counts[held]}), _COUNTS)

    return on_worker(tally)


def _finder(task: Any) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def find(batches: Iterator[Any]) -> Iterator[Any]:
        where, columns, limit, schema = task.value
        for batch in batches:
            yield from arrow_batches(Held(Rows(frame_of(batch), limit)).keys(where, columns), schema)

    return on_worker(find)


class SparkGroups(Groups):
    """Rows on a cluster by the values of some columns: they are counted."""

    def _found(self, where: Where | None, price: tuple[Fraction, Fraction], part: Price) -> tuple[Keys, Summing]:
        keys = self.asking.shown(where, self.columns, *price)
        return keys, self.asking.of_counts(np.append(keys.exact, keys.hidden), part)

    def _named(self, where: Where | None, size: int, part: Price) -> Summing:
        return self.asking.tallied(where, self._places(), size + 1, part)

    def _check(self, name: str, wish: Wish) -> None:
        if wish != "count":
            raise PlanError(
                f"agg: {name}: on Spark, groups are counted: agg(n='count'). Ask for the rest on one machine."
            )


class SparkQuestions(Questions):
    """What `pv.private` gives for a Spark frame: counts, histograms, `top`, `first_above` and groups that are counted,
    as on one machine. Of a person with several rows, the `rows` that come first by their cells take part. Other
    statistics are asked on one machine."""

    _grouped = SparkGroups

    def __init__(
        self,
        table: Any,
        budget: Budget | str | os.PathLike[str],
        domains: Mapping[str, Any] | None = None,
        *,
        person: str | None = None,
        rows: int = 1,
        epsilon: Amount | None = None,
        rho: Amount | None = None,
        unsafe_seed: int | None = None,
    ) -> None:
        check_call(SparkQuestions.__init__, locals(), PlanError)
        session = table.sparkSession
        frame = open_source(session, table).frame
        ledger, usual, unsafe = ledger_of(budget), usual_price(epsilon, rho), numbers_of(unsafe_seed)
        known = read_domains(domains or {}, frame.columns)
        check_people(person, rows, frame.columns)
        counting = Cluster.of(session, frame, person, rows)
        # What is checked before a charge is checked against the names and types of columns, of no rows.
        empty = Rows(pl.DataFrame(schema=dict(dtypes_of(frame))), rows)
        self._begin(Asking(empty, counting, known, ledger, usual, unsafe), fingerprint(frame))
        with one_sentence("counting rows"):
            people = counting.frame.count()
        self._warn(people)

    def _refused(self, *given: Any, **named: Any) -> NoReturn:
        del given, named
        raise PlanError(
            "on Spark, questions are count, histogram, top, first_above and group_by(…).agg(n='count'). Ask for other "
            "statistics on one machine."
        )

    sum = mean = variance = correlation = quantile = _refused
