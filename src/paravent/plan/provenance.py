"""Provenance: what is needed to repeat a run, and when it was. It holds no value of the table."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
import polars as pl

from paravent.errors import PlanError
from paravent.plan.order import order_of
from paravent.plan.plan import Plan
from paravent.plan.treat import Base
from paravent.privacy.promise import Entry, as_document
from paravent.privacy.verdict import Verdict
from paravent.table.table import Table
from paravent.treatments.treatment import Treatment

FOR_THE_OWNER = (
    "The fingerprint and the rows of the input, times, measures and reports against the original are not covered by "
    "differential privacy: they are for the owner of the table, and not to be published."
)


def provenance(
    table: Table,
    plan: Plan,
    verdict: Verdict,
    *,
    missing: Mapping[str, Any],
    timings: Mapping[str, float],
    account: Sequence[Entry] = (),
    base: Base | None = None,
) -> dict[str, Any]:
    """The record of a run: day, plan, seed, versions, fingerprint of the input, rows left out and why, times,
    and what a mechanism spent."""
    gone = 0 if base is None else len(table) - len(base.rows)
    return {
        "date": day_of_run(),
        "plan": plan.to_document(),
        "seed": plan.seed,
        "versions": {
            "paravent": own_version(),
            "python": platform.python_version(),
            "polars": pl.__version__,
            "numpy": np.__version__,
        },
        "input": {
            "source": table.origin.description,
            "fingerprint": table.fingerprint,
            "rows": len(table),
            "columns": len(table.columns),
        },
        "rows": {
            "released": verdict.rows,
            "suppressed": verdict.suppressed,
            "suppression_allowed": verdict.allowed,
            "dropped_for_missing": missing["dropped_rows"],
            **({"sampled_out": gone} if gone else {}),
            "order": order_of(plan),
        },
        "missing": missing["columns"],
        "verdict": verdict.to_dict(),
        **({"treatments": [*map(_treatment, plan.treat, base.figures)]} if base is not None and plan.treat else {}),
        **spending(plan, account),
        "timings": {stage: round(seconds, 6) for stage, seconds in timings.items()},
    }


def spending(plan: Plan, account: Sequence[Entry]) -> dict[str, Any]:
    """What a mechanism spent, and for whom the record of it is."""
    return {
        **({"account": [as_document(entry) for entry in account]} if account else {}),
        **({"for_the_owner": FOR_THE_OWNER} if plan.method.is_mechanism() else {}),
    }


def day_of_run() -> str:
    """The day (UTC) as reports name it: today, or that of SOURCE_DATE_EPOCH, by which builds are repeated byte by byte
    (https://reproducible-builds.org/specs/source-date-epoch/)."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    try:
        moment = datetime.fromtimestamp(int(epoch), UTC) if epoch else datetime.now(UTC)
    except (ValueError, OverflowError, OSError):
        raise PlanError(
            f"SOURCE_DATE_EPOCH is {epoch!r}. Set it to the seconds since 1970 of the day that reports shall name, or "
            "not at all."
        ) from None
    return moment.date().isoformat()


@cache
def own_version() -> str:
    try:
        return version("paravent")
    except PackageNotFoundError:
        return "unknown"


def _treatment(treatment: Treatment, figures: Mapping[str, float]) -> dict[str, Any]:
    return {"treatment": type(treatment).__name__, **figures}
