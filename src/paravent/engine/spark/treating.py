"""Treatments that look at several rows or draw by chance, on a cluster: before anything else, the rows are treated.

What a treatment gives must depend on the rows alone: not on how they are divided among machines, nor on which of them
does its part again because another was lost. So a treatment is a function of the *set* of rows. Each part of them
(parts.py) is told by their own cells, and has a generator of its own, keyed as on one machine: by the seed and a hash
of the whole table, which has no order here. Who lacks the table cannot draw again. Rows that are equal stand beside
each other in their part and draw one after the other, each for itself; which of them drew what, nobody could tell.

Treated rows stay on the disks of the workers until the run ends. The plan that is then carried out on them has what is
left of the treatments: those of single cells, which are done value by value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from paravent.engine.spark.domains import domains_of, dtypes_of
from paravent.engine.spark.drawn_rows import drawn_rows
from paravent.engine.spark.faults import one_sentence
from paravent.engine.spark.fingerprint import secret_of
from paravent.engine.spark.options import Spark
from paravent.engine.spark.parts import Part, treated_in_parts
from paravent.engine.spark.people import check_people
from paravent.engine.spark.reading import Source
from paravent.engine.spark.rows import Rows
from paravent.engine.spark.serves import check_serves, check_treatment
from paravent.engine.spark.translation import Translated, translated
from paravent.engine.spark.treated_check import check_treated
from paravent.errors import InfeasibleError, PlanError
from paravent.plan.check import NO_ROWS, check_shape
from paravent.plan.file import resolved
from paravent.plan.plan import Plan
from paravent.plan.treat import check_treatment_of
from paravent.table.infer import infer_columns
from paravent.table.kinds import Kind
from paravent.table.table import Origin, Table
from paravent.treatments.sample import Sample
from paravent.treatments.treatment import OnColumns, Treatment

ROWS_OF_A_PART = 500_000
"""Rows that one process treats at a time, where nobody says."""


@dataclass(eq=False)
class TreatedSource:
    """The rows as treatments leave them, and the plan that is left; `trace` says what was done. `rows` is how many
    there were before, if anything was done. `close` lets go of what the workers hold."""

    source: Source
    plan: Plan
    trace: tuple[str, ...] = ()
    rows: int | None = None
    held: list[Any] = field(default_factory=list)

    def close(self) -> None:
        for frame in self.held:
            try:
                frame.unpersist()
            except Exception:  # the session is gone, and what it held with it
                continue


def shape_of(source: Source) -> Table:
    """The table without its rows."""
    empty = pl.DataFrame(schema=dtypes_of(source.frame))
    return Table(empty, infer_columns(empty), np.arange(0), Origin(source.description))


def is_of_cells(step: Treatment, shape: Table) -> bool:
    """Whether a treatment is done value by value, if it is done at all."""
    return isinstance(step, OnColumns) and not step.reads and (step.reach is None or step.by_row(shape))


def _refuse_maps(frame: Any) -> None:
    from pyspark.sql.types import MapType

    for column in frame.schema.fields:
        if isinstance(column.dataType, MapType):
            raise PlanError(f"columns.{column.name}: rows are compared, and maps are not. Leave it out of the frame.")


def treated_source(session: Any, source: Source, plan: Plan, options: Spark) -> TreatedSource:
    """Carry out the treatments of a plan that need rows."""
    found = TreatedSource(source, plan)
    if plan.treat:
        check_serves(plan)
        shape = shape_of(source)
        check_shape(plan, shape)
        try:
            _Treating(session, plan, options, found, shape).run()
        except BaseException:
            found.close()
            raise
    return found


@dataclass(eq=False)
class _Treating:
    session: Any
    plan: Plan
    options: Spark
    found: TreatedSource
    shape: Table
    waiting: dict[str, list[tuple[int, Treatment]]] = field(default_factory=dict)
    """Treatments of single cells, by column, which have not been done yet."""
    counts: dict[str, Any] = field(default_factory=dict)
    secret: str = ""

    def run(self) -> None:
        for place, (said, step) in enumerate(zip(self.plan.treat, resolved(self.plan).treat, strict=True)):
            where = f"treat[{place}]"
            if is_of_cells(step, self.shape):
                for name in step.columns:
                    self.waiting.setdefault(name, []).append((place, replace(said, column=name)))  # type: ignore[type-var]
                continue
            check_treatment(where, said)
            if isinstance(self.plan.person, str):
                raise PlanError(
                    f"{where}: {type(step).__name__} treats people with all their rows, which is not done on Spark. "
                    "Treat the table before, or give one row a person."
                )
            self._do(where, place, said, step)
        left = sorted((pair for own in self.waiting.values() for pair in own), key=lambda pair: pair[0])
        self.found.plan = self.plan.replace(treat=[step for _, step in left])

    def _known(self, where: str, names: Sequence[str]) -> dict[str, Translated]:
        """Columns as the treatments so far leave their values."""
        source = self.found.source
        needed = [name for name in dict.fromkeys(names) if name not in self.counts]
        if needed:
            domains = domains_of(self.session, source.frame, needed, Rows(), self.options.values)
            self.counts |= domains.columns
        found = {}
        for name in dict.fromkeys(names):
            steps = [step for _, step in self.waiting.get(name, [])]
            try:
                found[name] = translated(name, self.counts[name], self.plan.replace(treat=steps), texts=source.texts)
            except PlanError as error:
                raise PlanError(f"{where}: {error.raw.partition(': ')[2] or error.raw}") from None
        return found

    def _table(self, known: Mapping[str, Translated]) -> Table:
        """The different values of columns, side by side: what a treatment is checked against."""
        height = max((len(own.values) for own in known.values()), default=0)
        columns = [own.values.extend_constant(None, height - len(own.values)) for own in known.values()]
        frame = pl.DataFrame(columns)
        return Table(frame, {name: own.column for name, own in known.items()}, np.arange(frame.height), Origin("Spark"))

    def _do(self, where: str, place: int, said: Treatment, step: Treatment) -> None:
        """One treatment, on the rows as those before it have left them."""
        before = self.found.source
        names = [*step.columns, *step.reads]
        if step.reach == "table":
            names += [name for name in self.plan.quasi if name in before.frame.columns]
        known = self._known(where, names)
        table = self._table(known)
        rows = self._rows(known)
        check_treatment_of(place, step, table, self.plan)
        if self.found.rows is None:  # the table as it came
            self.found.rows = rows
            check_people(before, self.plan, rows)
            self.secret = secret_of(before.frame)
            _refuse_maps(before.frame)
        part = Part(place, said, step, self.plan, known, self.secret, rows, self.options.block or ROWS_OF_A_PART)
        if isinstance(step, Sample):
            made, told = drawn_rows(self.session, before.frame, part)
        else:
            made, told = treated_in_parts(self.session, before.frame, part, table)
        made = self._held(made)
        check_treated(before.frame, made, part)
        for name in step.columns:
            self._check_order(where, step, known[name])
            self.waiting.pop(name, None)
            self.counts.pop(name, None)
        if isinstance(step, Sample):
            self.counts.clear()
        self.found.source = replace(before, frame=made, size=None)
        self.found.trace = (*self.found.trace, told)

    def _rows(self, known: Mapping[str, Translated]) -> int:
        own = next(iter(known.values()), None)
        with one_sentence("counting rows"):
            rows = self.found.source.frame.count() if own is None else int(own.counts.sum()) + own.missing
        if not rows:
            raise InfeasibleError(NO_ROWS)
        return rows

    def _held(self, frame: Any) -> Any:
        """The rows, kept by the workers as they are: they are read again and again."""
        from pyspark import StorageLevel

        with one_sentence("treating rows"):
            kept = frame.persist(StorageLevel.DISK_ONLY)
            self.found.held.append(kept)
            return kept

    def _check_order(self, where: str, step: Treatment, own: Translated) -> None:
        """An order that coding has given to a column would be forgotten with the plan's entry."""
        if own.changed and own.column.kind is Kind.ORDINAL:
            again = infer_columns(pl.DataFrame([own.values]))[own.values.name]
            if again.order != own.column.order:
                raise PlanError(
                    f"{where}: {type(step).__name__}: a treatment before has made column {own.column.name!r} ordinal, "
                    "and its order is not kept on Spark. Code it to the limit itself (replace='limit'), or treat the "
                    "table before."
                )
