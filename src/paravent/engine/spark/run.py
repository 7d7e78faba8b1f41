"""The run on a cluster: a table and a plan in, a verified release out, or a clear error and nothing left behind."""

from __future__ import annotations

import os
import platform
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

import numpy as np
import polars as pl

from paravent.engine.spark.block_counts import cut_blocks
from paravent.engine.spark.faults import one_sentence
from paravent.engine.spark.fingerprint import fingerprint
from paravent.engine.spark.in_blocks import released_by_blocks
from paravent.engine.spark.options import Spark, session
from paravent.engine.spark.people import COUNTS, counted_source
from paravent.engine.spark.persons import PERSON, check_same_rows, folded_people, with_persons
from paravent.engine.spark.reading import Source, open_source
from paravent.engine.spark.ready import Ready, make_ready
from paravent.engine.spark.recode import recoded
from paravent.engine.spark.release import SparkRelease
from paravent.engine.spark.sampled import check_written, drawn
from paravent.engine.spark.serves import FULL_DOMAIN, SAMPLED
from paravent.engine.spark.staging import Folder
from paravent.engine.spark.tables import tables_beside, write_beside
from paravent.engine.spark.treating import TreatedSource, treated_source
from paravent.engine.spark.tuples import folded, searched
from paravent.engine.spark.verify import Verified, verified
from paravent.engine.spark.writing import ROWS_OF_A_FILE, reopened, staged
from paravent.errors import PlanError, TableError, UnsafeReleaseError
from paravent.methods.method import Charge, Progress, silent
from paravent.plan.order import order_of
from paravent.plan.persons import counts_people
from paravent.plan.plan import Plan
from paravent.plan.provenance import day_of_run, own_version, spending
from paravent.plan.sampled import sample_assumptions
from paravent.plan.stages import Stages
from paravent.privacy.promise import Entry
from paravent.private.accounting import Cost
from paravent.private.ledger import Budget
from paravent.private.sampling import Sampled

_PEOPLE = "people"
_SETTINGS = {"spark.sql.execution.arrow.maxRecordsPerBatch": "100000"}


def anonymize_on_spark(
    source: Any,
    plan: Plan,
    options: Spark | None = None,
    *,
    progress: Progress | None = None,
    target: str | os.PathLike[str] | None = None,
    delimiter: str | None = None,
    budget: Budget | None = None,
) -> SparkRelease:
    """Anonymize a Spark frame, a folder or a table of the catalogue, and verify what was written.

    `target` is where the release will be written to, so that it can be staged beside; it must not be there yet. Its
    files are CSV where it ends so, else Parquet. `budget` is the ledger that a method of differential privacy writes to
    before it draws.
    """
    options = options or Spark()
    stages = Stages(progress or silent)
    spark = getattr(source, "sparkSession", None) or session(options)
    with _settings(spark):
        with stages.stage("read"):
            opened = source if isinstance(source, Source) else open_source(spark, source, delimiter=delimiter)
            place = None if target is None else Folder(spark, os.fspath(target))
            check_target(place, opened)
        treated = TreatedSource(opened, plan)
        try:
            if plan.treat:
                with stages.stage("treat"):
                    treated = treated_source(spark, opened, plan, options)
            return _released(spark, opened, treated, plan, options, stages, place, budget)
        finally:
            treated.close()


def _released(
    spark: Any,
    opened: Source,
    treated: TreatedSource,
    plan: Plan,
    options: Spark,
    stages: Stages,
    place: Folder | None,
    budget: Budget | None,
) -> SparkRelease:
    """The release of rows as treatments have left them."""
    with stages.stage("count"):
        counted = counted_source(treated.source, treated.plan)
        ready = make_ready(spark, counted, treated.plan, options, looked=treated.rows is not None)
    staging = _staging(spark, options, place).hidden()
    release = staging.child("release.csv" if place is not None and place.name.endswith(".csv") else "release")
    form = "csv" if release.name.endswith(".csv") else "parquet"
    try:
        with one_sentence("making the staging folder"):
            staging.make()
        if form == "csv" and isinstance(plan.person, str) and not plan.method.samples_rows:
            raise PlanError("person: people are counted in Parquet files on Spark. Name a folder without .csv.")
        files = options.files or max(1, ceil(ready.n_rows / ROWS_OF_A_FILE))
        with stages.stage("anonymize"):
            made = _made(spark, counted, ready, options, stages, _charge(budget, opened))
        with stages.stage("write"):
            told = _with_people(spark, made, staging) if made.people else None
            rows = made.rows if told is None else told.drop(PERSON)
            staged(rows, release, form, files, order_of(ready.plan))
        with stages.stage("verify"):
            written = reopened(spark, release, form)
            if told is not None:
                check_same_rows(told.drop(PERSON), written)
            sampled = made.sampled
            account = None if sampled is None else check_written(written, sampled)
            found = verified(
                spark, written if told is None else told, ready.located, n_rows=ready.n_rows, allowed=ready.allowed,
                limit=options.values, account=account, whose=None if told is None else PERSON,
            )  # fmt: skip
            check_verdict(found, ready)
            if told is not None:
                staging.child(_PEOPLE).remove()
            tables = tables_beside(spark, written, plan, options.values)
            write_beside(spark, release, form, tables)
        if sampled is not None:
            said = sample_assumptions(sampled, plan, budget, found.verdict.rows, COUNTS)
            found = replace(found, verdict=replace(found.verdict, notes=(*found.verdict.notes, *said)))
        input_rows = ready.n_rows + ready.dropped if treated.rows is None else treated.rows
        provenance = _provenance(opened, plan, ready, found, stages, spark, account, input_rows)
        return SparkRelease(
            plan, found.verdict, (*treated.trace, *made.trace), provenance, stages.timings, ready, spark, release,
            staging, form, options.values, account or (), found.sizes, tables, treated.trace,
        )  # fmt: skip
    except BaseException:
        _left_nothing(staging)
        raise


@dataclass(frozen=True, eq=False)
class _Made:
    """The rows of the release, yet to be computed; how the method went, in words; how rows were drawn, if so; and
    whether a column tells whose rows they are."""

    rows: Any
    trace: tuple[str, ...]
    sampled: Sampled | None = None
    people: bool = False


def _made(spark: Any, source: Source, ready: Ready, options: Spark, stages: Stages, charge: Charge) -> _Made:
    name, frame = type(ready.plan.method).__name__, source.frame
    if name in SAMPLED:
        rows, found = drawn(spark, frame, ready, options.tuples, charge, stages.progress)
        return _Made(rows, found.trace, found.sampled)
    if name in FULL_DOMAIN and isinstance(ready.plan.person, str):
        people = folded_people(spark, frame, ready, options.tuples)
        recoding, found = searched(ready, people, stages.progress)
        trace = (
            found.trace if people.total == ready.n_rows else (*found.trace, counts_people(people.total, ready.n_rows))
        )
        source, ready = with_persons(source, ready)
        return _Made(recoded(spark, source.frame, ready, recoding), trace, people=True)
    if name in FULL_DOMAIN:
        recoding, found = searched(ready, folded(spark, frame, ready, options.tuples), stages.progress)
        return _Made(recoded(spark, frame, ready, recoding), found.trace)
    cutting, sizes = cut_blocks(spark, frame, ready, options)
    held = sizes[cutting.tree.blocks]
    told = (
        f"Cut the table into {len(held)} block{'s' if len(held) > 1 else ''} of {held.min()} to {held.max()} rows, "
        f"and ran {name} in each."
    )
    return _Made(released_by_blocks(spark, frame, cutting), (told,))


def _with_people(spark: Any, made: _Made, staging: Folder) -> Any:
    """The rows with whose they are, written beside the release: what the verifying job counts people in."""
    folder = staging.child(_PEOPLE)
    with one_sentence("writing the release"):
        made.rows.write.mode("error").parquet(str(folder))
    return reopened(spark, folder, "parquet")


def _charge(budget: Budget | None, source: Source) -> Charge:
    """Writes what a mechanism is about to spend to the ledger, which is the table's own."""

    def charge(what: str, cost: Cost) -> None:
        if budget is not None:
            budget.bind(fingerprint(source.frame))
            budget.spend(what, cost)

    return charge


def check_target(place: Folder | None, source: Source) -> None:
    """Refuse a target that is there already, or that lies in the source."""
    if place is None:
        return
    if place.exists:
        raise TableError(f"{str(place)!r} is there already. Name another folder, or remove it first.")
    if source.folder is not None and f"{place}/".startswith(f"{source.folder}/"):
        raise TableError(f"{str(place)!r} lies in the source, and would be read with it. Name another folder.")


def check_verdict(found: Verified, ready: Ready) -> None:
    """What does not hold is not released."""
    if not found.verdict:
        breakable = not all(model.monotone_under_generalization for model in ready.plan.models)
        remedy = " Classes of several blocks may have got the same labels: take larger blocks." if breakable else ""
        raise UnsafeReleaseError(
            f"the finished release does not keep its promise: {found.verdict.why_not()}. Nothing is released.{remedy}"
        )


def _staging(spark: Any, options: Spark, place: Folder | None) -> Folder:
    if options.staging is not None:
        return Folder(spark, options.staging)
    if place is not None:
        return place.parent
    return Folder(spark, spark.conf.get("spark.sql.warehouse.dir"))


def _left_nothing(staging: Folder) -> None:
    try:
        staging.remove()
    except Exception:  # the cluster is gone: what is left is hidden, and no release
        return


@contextmanager
def _settings(spark: Any) -> Iterator[None]:
    """Settings of the session for the time of the run."""
    before = {key: spark.conf.get(key, None) for key in _SETTINGS}
    for key, value in _SETTINGS.items():
        spark.conf.set(key, value)
    try:
        with warnings.catch_warnings():  # what is used of pandas here is the same in all its versions: nothing
            warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas")
            yield
    finally:
        for key, found in before.items():
            try:
                spark.conf.unset(key) if found is None else spark.conf.set(key, found)
            except Exception:  # the session was stopped meanwhile
                break


def _provenance(
    source: Source,
    plan: Plan,
    ready: Ready,
    found: Verified,
    stages: Stages,
    spark: Any,
    account: Sequence[Entry] | None,
    rows: int,
) -> dict[str, Any]:
    """What is needed to repeat the run. It holds no value of the table."""
    return {
        "date": day_of_run(),
        "plan": plan.to_document(),
        "seed": plan.seed,
        "versions": {
            "paravent": own_version(),
            "python": platform.python_version(),
            "polars": pl.__version__,
            "numpy": np.__version__,
            "spark": spark.version,
        },
        "input": {"source": source.description, "rows": rows, "columns": len(ready.types)},
        "rows": {
            "released": found.verdict.rows,
            "suppressed": found.verdict.suppressed,
            "suppression_allowed": found.verdict.allowed,
            "dropped_for_missing": ready.dropped,
            **({"sampled_out": gone} if (gone := rows - ready.n_rows - ready.dropped) else {}),
            "order": order_of(plan),
        },
        "verdict": found.verdict.to_dict(),
        **spending(plan, account or ()),
        "timings": {stage: round(seconds, 6) for stage, seconds in stages.timings.items()},
    }
