"""Cases as methods take them that leave quasi-identifiers as they are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl
from hypothesis import event

import paravent as pv
from paravent.errors import UnsafeReleaseError
from tests.generators import Case


def original(worked: dict[str, Any]) -> pl.DataFrame:
    return pl.DataFrame(worked["rows"], schema=worked["columns"], orient="row")


def served(case: Case) -> pv.Plan:
    """The plan of a case with one sensitive column, promises about that alone, no weights, and one row a person."""
    plan = case.plan
    about = [promise for promise in plan.protect if promise.needs == ("disease",)]
    plain = {name: replace(role, weight=1.0) for name, role in plan.quasi.items()}
    columns = {**plan.columns, **plain, "pay": pv.Drop()}
    return plan.replace(columns=columns, protect=about or [pv.LDiversity(2, "disease")], person=None)


def attempt(frame: pl.DataFrame, plan: pv.Plan) -> pv.Release | None:
    """A release, or a clear error: never one that was made and failed its verification."""
    try:
        return pv.anonymize(frame, plan)
    except pv.ParaventError as raised:
        error = raised
    event(type(error).__name__)
    assert not isinstance(error, UnsafeReleaseError), error
    assert "\n" not in str(error)
    assert 20 < len(str(error)) < 400
    return None
