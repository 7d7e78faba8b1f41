"""The same input, plan and seed give what they gave before."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import paravent as pv
from tests.recorded.cases import TABLES, cases, plan_for
from tests.recorded.record import dangers, recorded

FILE = Path(__file__).with_name("recorded.json")
CASES = {name: (table, plan) for name, table, plan in cases()}
MEASURED = ("plain, k, l", "missing, k", "people, k")
DANGERS = {f"dangers, {name}": plan_for(name, "k", pv.methods.Mondrian()) for name in TABLES}


def recorded_case(name: str) -> dict[str, Any]:
    table, plan = CASES[name]
    return recorded(TABLES[table], plan, measured=name.endswith(MEASURED))


def found_now() -> dict[str, Any]:
    found = {name: recorded_case(name) for name in CASES}
    return found | {name: dangers(TABLES[name.removeprefix("dangers, ")], plan) for name, plan in DANGERS.items()}


KNOWN: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}


def test_every_case_is_written_down() -> None:
    assert set(KNOWN) == {*CASES, *DANGERS}


@pytest.mark.parametrize("name", CASES)
def test_a_release_and_its_measures_are_as_before(name: str) -> None:
    found, known = recorded_case(name), KNOWN[name]
    assert {key: found[key] for key in found if key != "measures"} == {k: known[k] for k in known if k != "measures"}
    before = known.get("measures", {})
    now = {name: found["measures"].get(name) for name in before}  # new ones may join them
    assert now == pytest.approx(before, rel=1e-7, abs=1e-12)


@pytest.mark.parametrize("name", DANGERS)
def test_risks_and_attacks_are_as_before(name: str) -> None:
    found, known = dangers(TABLES[name.removeprefix("dangers, ")], DANGERS[name]), KNOWN[name]
    for part, before in known.items():
        now = {name: found[part].get(name) for name in before}
        assert now == pytest.approx(before, rel=1e-7, abs=1e-12), part
