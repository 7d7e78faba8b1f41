"""Whatever any method publishes is read back to cover the value that it replaces."""

from __future__ import annotations

import datetime as dt
from typing import Any, get_args, get_type_hints

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, event, given, settings

import paravent as pv
from paravent.hierarchy.axis import Axis
from paravent.hierarchy.cells import CellReader, Form, ReadColumn
from paravent.methods import Method
from paravent.plan.judge import marked_rows
from paravent.plan.subject import averages
from paravent.table.text import as_text
from tests.generators import Case, cases

EXPORTED = [getattr(pv.methods, name) for name in pv.methods.__all__]
NAMED = [found for found in EXPORTED if isinstance(found, type) and issubclass(found, Method) and found is not Method]
AS_THEY_ARE = ("Anatomy", "AsIs", "Bucketization", "Slicing")  # with no label to read
METHODS = [found for found in NAMED if found.gives != "synthetic" and found.__name__ not in (*AS_THEY_ARE, "SafePub")]
PARAMETERS: dict[str, dict[str, Any]] = {
    "BottomUp": {"target": "disease"},
    "TopDown": {"target": "disease"},
    "Filter": {"levels": {"age": 2, "pay": "top", "zip": 2, "job": 1, "born": "top"}},
}


def variants() -> list[Any]:
    """Every method of the registry, in each style of publishing that it has."""
    found: list[Any] = []
    for method in METHODS:
        hints, fixed = get_type_hints(method), PARAMETERS.get(method.__name__, {})
        styles = [(field, way) for field in ("labels", "publish") if field in hints for way in get_args(hints[field])]
        for field, way in styles:
            found.append(pytest.param(method, {**fixed, field: way}, id=f"{method.__name__}-{way}"))
        if not styles:
            found.append(pytest.param(method, fixed, id=method.__name__))
    return found


def table() -> pl.DataFrame:
    rng = np.random.default_rng(4)
    n = 48
    jobs = ["nurse", "vet", "clerk", "judge", "a, b", "x~y"]
    return pl.DataFrame(
        {
            "age": rng.integers(17, 60, n),
            "pay": np.round(rng.normal(2500, 900, n), 2),
            "zip": [f"{rng.integers(10, 13)}{rng.integers(0, 3)}" for _ in range(n)],
            "job": [jobs[i] for i in rng.integers(0, len(jobs), n)],
            "born": [dt.date(1980, 1, 1) + dt.timedelta(int(day)) for day in rng.integers(0, 4000, n)],
            "disease": [["flu", "cold", "gout"][i] for i in rng.integers(0, 3, n)],
        }
    )


ROLES = {
    "age": pv.Quasi(pv.intervals(5, 10, 20)),
    "pay": pv.Quasi(pv.balanced()),
    "zip": pv.Quasi(pv.prefixes()),
    "job": pv.Quasi(pv.groups({"care": ["nurse", "vet"], "law": ["clerk", "judge"], "other": ["a, b", "x~y"]})),
    "born": pv.Quasi(pv.dates("month", "year", "decade")),
    "disease": pv.Sensitive(),
}
NUMERIC = {"age": pv.Quasi(), "pay": pv.Quasi(), "born": pv.Quasi(), "disease": pv.Sensitive()}
ONE = {"pay": pv.Quasi(), "disease": pv.Sensitive()}


def read_back(release: pv.Release) -> int:
    """Hold every cell to its original; how many cells were read."""
    plan, frame = release.plan, release.frame
    marked = marked_rows(frame, plan)
    real = np.ones(frame.height, dtype=bool) if marked is None else ~marked
    seen = 0
    for axis in release.axes:
        cells = as_text(frame[axis.name].alias("cells"))
        rows = np.flatnonzero(real & cells.is_not_null().to_numpy())
        texts = [str(text) for text in cells.gather(rows).to_list()]
        hold(axis, texts, axis.codes[release.kept[rows]].tolist(), averaged=averages(plan))
        seen += len(rows)
    return seen


def hold(axis: Axis, texts: list[str], codes: list[int], *, averaged: bool) -> None:
    reader = CellReader.of(axis)
    column = ReadColumn.of(reader, texts)
    for i, (text, code) in enumerate(zip(texts, codes, strict=True)):
        cell = reader.read(text)
        assert cell is not None, (axis.name, text)
        assert column.form[i] == cell.form
        if averaged:  # which lies among the values of its class and covers none
            assert cell.form in (Form.VALUE, Form.NUMBER, Form.CATEGORY, Form.ANYTHING, Form.GROUP), text
            continue
        assert code in cell.ranks, (axis.name, text, axis.values[code])
        assert code in (reader.covers(text) or ()), (axis.name, text)
        assert code in column.sets.get(i, range(int(column.first[i]), int(column.last[i]) + 1))


@pytest.mark.parametrize(("method", "parameters"), variants())
def test_every_method_in_every_style(method: type[Any], parameters: dict[str, Any]) -> None:
    frame, reasons, seen = table(), [], 0
    for roles in (ROLES, NUMERIC, ONE):
        plan = pv.Plan(roles, [pv.KAnonymity(3)], method(**parameters), suppression=0.3)
        try:
            seen += read_back(pv.anonymize(frame.select(list(roles)), plan))
        except pv.ParaventError as error:
            reasons.append(str(error))
    assert seen, reasons


def test_sampled_rows() -> None:
    """Of a table that is large enough for classes to remain."""
    frame = pl.concat([table()] * 100)
    roles = {name: role for name, role in ROLES.items() if name in ("age", "job", "born", "disease")}
    levels: Any = {"age": 3, "job": 1, "born": 3}
    plan = pv.Plan(roles, [pv.DifferentialPrivacy(epsilon=1)], pv.methods.SafePub(levels=levels))
    assert read_back(pv.anonymize(frame, plan)) > 1000


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(cases())
def test_any_table_and_plan(case: Case) -> None:
    try:
        release = pv.anonymize(case.frame, case.plan)
    except pv.ParaventError as error:
        event(type(error).__name__)
        return
    event("released")
    read_back(release)
