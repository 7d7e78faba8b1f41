"""Measured limits are demands like models: each is measured on every candidate's release."""

from __future__ import annotations

import re

import numpy as np
import polars as pl
import pytest

import paravent as pv

_DICE = np.random.default_rng(5)
PEOPLE = pl.DataFrame(
    {
        "age": _DICE.integers(18, 80, 200),
        "zip": _DICE.choice(list("ABCD"), 200),
        "disease": _DICE.choice(["flu", "cold", "ulcer", "burn", "gout"], 200),
    }
)
ROLES = {"age": pv.Quasi(), "zip": pv.Quasi(), "disease": pv.Sensitive()}
LIMIT = pv.LinkageRisk(0.3)
PLANS = {
    "noise": pv.Plan(ROLES, [LIMIT], treat=[pv.treatments.Noise("age", scale=0.5)], person=None),
    "classes": pv.Plan(ROLES, [pv.KAnonymity(5)], person=None),
    "groups": pv.Plan(ROLES, [pv.LDiversity(3, "disease")], pv.methods.Anatomy(l=3), person=None),
}


@pytest.fixture(scope="module")
def compared() -> pv.Comparison:
    return pv.compare(
        PEOPLE,
        PLANS,
        measures=["relinking", "queries"],
        by="utility.queries.are",
        risk="risk.relinked.distance",
        utility="utility.queries.are",
    )


def test_a_limit_is_measured_on_every_release(compared: pv.Comparison) -> None:
    place = next(i for i, demand in enumerate(compared.demands) if demand.model == LIMIT)
    held = {name: compared[name].checks[place].holds for name in PLANS}
    assert held == {"noise": True, "classes": True, "groups": False}  # quasi-identifiers as they are lead back
    for name, entry in ((name, compared[name]) for name in PLANS):
        rate = entry.value("risk.relinked.distance")
        assert rate is not None
        assert entry.checks[place].level == pytest.approx((rate - 1 / 200) / (1 - 1 / 200), abs=1e-9), name
        assert "measured" in entry.checks[place].words


def test_releases_of_all_kinds_lie_on_one_map(compared: pv.Comparison) -> None:
    for name in PLANS:
        assert compared[name].value("utility.queries.are") is not None
        assert compared[name].value("risk.relinked.distance") is not None
    assert [compared[name].value("utility.gcp") is None for name in PLANS] == [True, False, True]
    assert "linked back by distance" in str(compared)


def test_what_does_not_apply_is_said() -> None:
    plans = {name: PLANS[name] for name in ("noise", "classes")}
    said = str(pv.compare(PEOPLE, plans))
    assert "noise: utility.gcp does not apply, for cells of 'age' may be false of their rows" in said
    assert "noise: risk.prosecutor.average does not apply" in said
    assert re.search(r"^\(original\).* 0 % +100 %", said, re.MULTILINE)  # nothing was perturbed there
    nothing = str(pv.compare(PEOPLE, {"a": PLANS["noise"].replace(protect=[])}, by="utility.il1s"))
    assert "No plan asks for anything" in nothing
