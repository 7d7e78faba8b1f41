"""Questions to a table on a cluster, within a budget: workers count, the driver adds noise.

Counts are asked for: of all rows, by the values of a column, by groups. A worker puts its rows into cells by the code
that one machine runs, and whatever it adds up is exact. Noise, thresholds and the ledger are those of one machine, on
the driver. Each question is charged before its rows are counted.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
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
from paravent.private import mechanisms
from paravent.private.accounting import Cost
from paravent.private.answers import CONFIDENCE, Answer, Answers
from paravent.private.asking import Amount, Asking, beside, called
from paravent.private.cells import Cells
from paravent.private.domains import Domain, read_domains
from paravent.private.estimates import Estimates
from paravent.private.groups import Groups, Wish
from paravent.private.keys import Keys, shown_keys
from paravent.private.ledger import Budget
from paravent.private.matching import plain_text
from paravent.private.price import Price
from paravent.private.questions import Questions
from paravent.private.rows import Rows, Where, check_column, in_words
from paravent.private.sums import counted

_MOST_KEYS = 2_000_000
"""Combinations of values that the driver holds where nobody named them."""
_COUNTS = "code long, n long"


@dataclass(frozen=True, eq=False)
class Counting:
    """The rows that take part, at most `limit` of each person, and how they are counted."""

    session: Any
    frame: Any
    limit: int

    @classmethod
    def of(cls, session: Any, frame: Any, person: str | None, limit: int) -> Counting:
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

    def tally(self, where: Where | None, cells: Mapping[str, tuple[Domain, int | None]], size: int) -> np.ndarray:
        """How many rows that meet the conditions lie in each combination of cells."""
        task = self.session.sparkContext.broadcast((dict(where or {}), dict(cells), self.limit))
        with one_sentence("counting rows"):
            parts = self._columns([*(where or {}), *cells]).mapInArrow(_tallier(task), _COUNTS)
            held = parts.groupBy("code").sum("n").withColumnRenamed("sum(n)", "n").toArrow()
        found, counts = frame_of(held), np.zeros(size, dtype=np.int64)
        counts[found["code"].to_numpy()] = found["n"].to_numpy()
        return counts

    def keys(self, where: Where | None, columns: tuple[str, ...]) -> pl.DataFrame:
        """The combinations of values that occur, as texts, each with how many rows have it."""
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
        where, cells, limit = task.value
        for batch in batches:
            rows = Rows(frame_of(batch), limit)
            codes = np.zeros(rows.frame.height, dtype=np.int64)
            for name, (domain, bins) in cells.items():
                found = Cells.of(name, rows.column(name), domain, bins)
                codes = codes * len(found) + found.codes
            place, n = np.unique(codes[rows.matching(where)], return_counts=True)
            yield from arrow_batches(pl.DataFrame({"code": place, "n": n.astype(np.int64)}), _COUNTS)

    return on_worker(tally)


def _finder(task: Any) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def find(batches: Iterator[Any]) -> Iterator[Any]:
        where, columns, limit, schema = task.value
        for batch in batches:
            rows = Rows(frame_of(batch), limit)
            chosen = pl.Series(rows.matching(where))
            texts = pl.DataFrame([plain_text(rows.column(name)).alias(f"{i}") for i, name in enumerate(columns)])
            found = texts.filter(chosen).group_by(texts.columns).len("rows")
            yield from arrow_batches(found.with_columns(pl.col("rows").cast(pl.Int64)), schema)

    return on_worker(find)


class SparkQuestions(Questions):
    """What `pv.private` gives for a Spark frame: `count`, `histogram` and `group_by(…).agg(n="count")`, as on one
    machine. Of a person with several rows, the `rows` that come first by their cells take part. Other statistics are
    asked on one machine."""

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
        ledger = budget if isinstance(budget, Budget) else Budget(budget)
        usual = None if epsilon is None and rho is None else Price.of(epsilon, rho)
        unsafe = None if unsafe_seed is None else np.random.default_rng(unsafe_seed)
        known = read_domains(domains or {}, frame.columns)
        if rows < 1:
            raise PlanError(f"rows: a person takes part with at least 1 row, not {rows}.")
        if person is None and rows > 1:
            raise PlanError("rows: without a person column, each row is a person. Name the column with person=.")
        if person is not None:
            check_column("person", person, frame.columns)
        self.budget = ledger
        self._counting = Counting.of(session, frame, person, rows)
        # What is checked before a charge is checked against the names and types of columns, of no rows.
        empty = pl.DataFrame(schema=dict(dtypes_of(frame)))
        self._asking = Asking(Rows(empty, rows), known, ledger, usual, unsafe)
        if unsafe is None:
            mechanisms.opendp()
        ledger.bind(fingerprint(frame))
        with one_sentence("counting rows"):
            people = self._counting.frame.count()
        self._warn(people)

    def count(
        self,
        where: Where | None = None,
        *,
        epsilon: Amount | None = None,
        rho: Amount | None = None,
        delta: Amount | None = None,
    ) -> Answer:
        """How many rows meet the conditions."""
        check_call(SparkQuestions.count, locals(), PlanError)
        asking, price = self._asking, self._asking.price(epsilon, rho, delta)
        asking.matching(where)
        what = f"count of rows{in_words(where)}"
        asking.charge(what, price.cost)
        summing = asking.of_counts(self._counting.tally(where, {}, 1), price)
        return asking.answer(what, summing.noise(1), price.cost, counted(summing))

    def histogram(
        self,
        column: str,
        where: Where | None = None,
        *,
        bins: int | None = None,
        epsilon: Amount | None = None,
        rho: Amount | None = None,
        delta: Amount | None = None,
    ) -> Answers:
        """How many rows have each value of a column."""
        check_call(SparkQuestions.histogram, locals(), PlanError)
        asking = self._asking
        cells, named = asking.rows.column(column), column in asking.domains
        price = asking.price(epsilon, rho, delta if named else None)
        asking.matching(where)
        what = f"histogram of {column}{in_words(where)}"
        if not named:
            epsilon_of, allowed = asking.threshold(column, price, delta)
            cost = Cost.approximate(epsilon_of, allowed)
            asking.charge(what, cost)
            keys = self._found(where, (column,), epsilon_of, allowed)
            noise = price.noise(asking.rows.limit)
            found = Estimates.around(keys.counts.astype(float), noise.within(1 - CONFIDENCE))
            labels = pl.DataFrame(keys.values, schema={called(column): pl.String}, orient="row")
            return asking.answers(f"{what}, counts above {keys.threshold}", noise, cost, beside(labels, found))
        domain = asking.domains[column]
        places = Cells.of(column, cells, domain, bins)
        asking.charge(what, price.cost)
        summing = asking.of_counts(self._counting.tally(where, {column: (domain, bins)}, len(places)), price)
        labels = pl.DataFrame(places.labels, schema={called(column): pl.String, "cell": pl.String}, orient="row")
        return asking.answers(what, summing.noise(1), price.cost, beside(labels, counted(summing)))

    def group_by(self, *columns: str) -> Groups:
        """Groups of rows with the same values, for `agg(n="count")`."""
        return SparkGroups(self._asking, super().group_by(*columns).columns, self)

    def _found(self, where: Where | None, columns: tuple[str, ...], epsilon: Any, delta: Any) -> Keys:
        counted_keys = self._counting.keys(where, columns)
        return shown_keys(counted_keys, epsilon, delta, self._asking.rows.limit, self._asking.unsafe)

    def _refused(self, *given: Any, **named: Any) -> NoReturn:
        del given, named
        raise PlanError(
            "on Spark, questions are count, histogram and group_by(…).agg(n='count'). Ask for other statistics on one "
            "machine."
        )

    sum = mean = variance = correlation = quantile = top = first_above = _refused


@dataclass(frozen=True, eq=False)
class SparkGroups(Groups):
    """Rows on a cluster by the values of some columns."""

    questions: SparkQuestions

    def agg(
        self,
        where: Where | None = None,
        *,
        epsilon: Amount | None = None,
        rho: Amount | None = None,
        delta: Amount | None = None,
        **wishes: Wish,
    ) -> Answers:
        """How many rows each group has, by the name that you give it: `n="count"`."""
        if len(wishes) != 1 or next(iter(wishes.values())) != "count":
            raise PlanError("agg: on Spark, groups are counted: agg(n='count'). Ask for the rest on one machine.")
        asking, counting = self.asking, self.questions._counting
        name, price = next(iter(wishes)), asking.price(epsilon, rho)
        asking.matching(where)
        what = f"count by {', '.join(self.columns)}{in_words(where)}"
        unnamed = [column for column in self.columns if column not in asking.domains]
        if not unnamed:
            labels, _ = self._named_groups()
            asking.charge(what, price.cost)
            cells = {column: (asking.domains[column], None) for column in self.columns}
            tally = np.append(counting.tally(where, cells, labels.height), 0)
            summing = asking.of_counts(tally, price)
            return asking.answers(what, summing.noise(1), price.cost, beside(labels, counted(summing), f"{name}."))
        part = price.part(2)
        own, allowed = asking.threshold(unnamed[0], part, delta)
        cost = Cost.approximate(own, allowed) + part.cost
        asking.charge(what, cost)
        keys = self.questions._found(where, self.columns, own, allowed)
        labels = pl.DataFrame(keys.values, schema=dict.fromkeys(map(called, self.columns), pl.String), orient="row")
        summing = asking.of_counts(np.append(keys.exact, keys.hidden), part)
        return asking.answers(what, summing.noise(1), cost, beside(labels, counted(summing), f"{name}."))
