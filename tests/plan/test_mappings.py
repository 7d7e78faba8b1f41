"""What is read by name answers `in`, can be walked through, and knows how much it holds."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import paravent as pv

FRAME = pl.DataFrame({"age": [20, 21, 20, 40, 41, 40], "zip": list("aabbab"), "disease": list("xyxyxz")})
PLAN = pv.Plan({"age": pv.Quasi(pv.intervals(10)), "zip": pv.Quasi(pv.flat()), "disease": pv.Sensitive()},
               [pv.KAnonymity(2)])  # fmt: skip


def things() -> dict[str, tuple[Any, str]]:
    release = pv.anonymize(FRAME, PLAN)
    findings = release.attack()
    finding = next(iter(findings.values()))
    return {
        "risk": (pv.risk(FRAME, ["age", "zip"]), "risk.prosecutor.average"),
        "measures": (release.measure(), "utility.gcp"),
        "findings": (findings, finding.key),
        "finding": (finding, finding.measures[0].name),
        "profile": (pv.profile(FRAME), "age"),
        "comparison": (pv.compare(FRAME, {"one": PLAN}), "one"),
        "quasi-identifiers": (pv.quasi_identifiers(FRAME), "age"),
    }


@pytest.mark.parametrize(
    "name", ["risk", "measures", "findings", "finding", "profile", "comparison", "quasi-identifiers"]
)
def test_in_asks_for_a_name(name: str) -> None:
    thing, known = things()[name]
    assert known in thing
    assert "x" not in thing
    assert 0 not in thing
    assert len(list(thing)) == len(thing)
    thing[known]
