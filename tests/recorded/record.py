"""What a case gives, as plain values that can be written down."""

from __future__ import annotations

import hashlib
import math
from typing import Any

import polars as pl

import paravent as pv
from paravent.errors import ParaventError
from paravent.table.text import as_text


def digest(frame: pl.DataFrame) -> str:
    """Of the columns, their types and their cells, in the order of the rows."""
    found = hashlib.sha256()
    for name in frame.columns:
        found.update(f"{name}\0{'text' if isinstance(frame.schema[name], pl.Enum) else frame.schema[name]}\0".encode())
        for cell in as_text(frame[name].alias("cells")).fill_null("\1").to_list():
            found.update(cell.encode() + b"\0")
    return found.hexdigest()[:16]


def rounded(values: dict[str, Any]) -> dict[str, float]:
    """To eight digits: the last ones are those of a processor."""
    return {
        name: None if value is None or math.isnan(value) else float(f"{value:.8g}") for name, value in values.items()
    }


def recorded(frame: pl.DataFrame, plan: pv.Plan, *, measured: bool) -> dict[str, Any]:
    try:
        release = pv.anonymize(frame, plan)
    except ParaventError as error:
        return {"refused": f"{type(error).__name__}: {error}"}
    tables = {name: digest(table) for name, table in release.tables.items()}
    return {"tables": tables} | ({"measures": rounded(dict(release.measure()))} if measured else {})


def dangers(frame: pl.DataFrame, plan: pv.Plan) -> dict[str, Any]:
    """Risks and attacks of one release."""
    release = pv.anonymize(frame, plan)
    risk = pv.risk(release, plan, population=0.1, suda=2, weights=None)
    found = {"risk": rounded(dict(risk.to_dict()))}
    for name, finding in pv.attack(release, plan, attempts=200, seed=1, strict=False).items():
        found[name] = rounded({"value": finding.value})
    return found
