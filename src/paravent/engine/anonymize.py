"""pv.anonymize: a table goes in, a verified release comes out, on this machine or on a cluster."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Unpack, overload

from paravent.arguments import check_call
from paravent.engine.spark.options import Spark, session
from paravent.engine.spark.reading import is_spark_frame, open_source
from paravent.errors import PlanError
from paravent.methods.method import Progress
from paravent.plan import runner
from paravent.plan.encode import encode
from paravent.plan.plan import Plan
from paravent.plan.prepare import Encoder
from paravent.plan.release import Release
from paravent.plan.short_form import ShortForm
from paravent.private.ledger import Budget

if TYPE_CHECKING:
    from paravent.engine.spark.release import SparkRelease


@overload
def anonymize(
    source: Any,
    plan: Plan | str | os.PathLike[str] | None = None,
    *,
    engine: None = None,
    progress: Progress | None = None,
    populations: Mapping[str, Any] | None = None,
    encoder: Encoder = encode,
    budget: Budget | None = None,
    **wished: Unpack[ShortForm],
) -> Release: ...
@overload
def anonymize(
    source: Any,
    plan: Plan | str | os.PathLike[str] | None = None,
    *,
    engine: Spark,
    progress: Progress | None = None,
    populations: Mapping[str, Any] | None = None,
    encoder: Encoder = encode,
    budget: Budget | None = None,
    **wished: Unpack[ShortForm],
) -> SparkRelease: ...
def anonymize(
    source: Any,
    plan: Plan | str | os.PathLike[str] | None = None,
    *,
    engine: Spark | None = None,
    progress: Progress | None = None,
    populations: Mapping[str, Any] | None = None,
    encoder: Encoder = encode,
    budget: Budget | None = None,
    **wished: Unpack[ShortForm],
) -> Release | SparkRelease:
    """Anonymize a table and prove it.

    `source` is a Table or anything that `pv.read` takes; `plan` a Plan or the path of one, or none, where the rest says
    what is wanted: `quasi=["age", "zip"], sensitive=["disease"], k=5, l=2` and whatever else a `ShortForm` may hold;
    the plan that is made of it is the release's. `progress` is called with
    the name of a stage and the share of it that is done; what it raises ends the run. `populations` holds tables of
    people by the names that models of the plan give them, where these are not files. `encoder` turns the table into
    codes; several runs over one table can share them. `budget` is the ledger that a method of differential privacy
    writes to before it draws; what is not left there is refused. The finished frame is verified by code that is
    independent of the method: what does not hold is never returned (UnsafeReleaseError).

    With `engine=pv.Spark(…)` the work is done on a cluster: `source` is then a Spark frame, a folder of Parquet or CSV
    files, or `table:NAME` for a table of the catalogue, and the release is a `SparkRelease`. A Spark frame needs no
    engine to be named.

    >>> import polars as pl
    >>> ages = pl.DataFrame({"age": [31, 32, 38, 39], "disease": ["flu", "ulcer", "flu", "cold"]})
    >>> sorted(anonymize(ages, quasi=["age"], sensitive=["disease"], k=2, l=2).frame["age"])
    ['[31, 32]', '[31, 32]', '[38, 39]', '[38, 39]']
    """
    check_call(anonymize, locals())
    if engine is None and not is_spark_frame(source):
        return runner.anonymize(
            source, plan, progress=progress, populations=populations, encoder=encoder, budget=budget, **wished
        )
    if populations is not None:
        raise PlanError("populations= means nothing on Spark, which judges classes alone. Leave it out.")
    from paravent.engine.spark.run import anonymize_on_spark

    options = engine or Spark()
    known = None if plan is None else runner.as_plan(plan, wished)
    spark = source.sparkSession if is_spark_frame(source) else session(options)
    opened = open_source(spark, source)
    asked = runner.as_plan(None, wished, opened.frame.columns) if known is None else known
    return anonymize_on_spark(opened, asked, options, progress=progress, budget=budget)
