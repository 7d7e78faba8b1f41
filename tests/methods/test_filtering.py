"""Filtering after a chosen generalization: interval, mask, suppression, hierarchy."""

from __future__ import annotations

import polars as pl
import pytest

import paravent as pv

TABLE = pl.DataFrame(
    {
        "age": [23, 24, 26, 49, 51, 74],
        "zip": ["13050", "13051", "13050", "13060", "13061", "13060"],
        "job": ["cook", "baker", "cook", "nurse", "doctor", "nurse"],
        "disease": ["flu", "cold", "flu", "flu", "cold", "cold"],
    }
)
JOBS = pv.groups({"kitchen": ["cook", "baker"], "hospital": ["nurse", "doctor"]})


def plan(levels: dict, *models: object, suppression: float = 0.0) -> pv.Plan:
    return pv.Plan(
        {
            "age": pv.Quasi(pv.intervals(25)),
            "zip": pv.Quasi(pv.prefixes()),
            "job": pv.Quasi(JOBS),
            "disease": pv.Sensitive(),
        },
        models,
        pv.methods.Filter(levels=levels),
        suppression=suppression,
        order="source",
    )


def test_one_type_for_each_column() -> None:
    """Ages in [0, 25[, [25, 50[, …; two digits masked; jobs by their group."""
    release = pv.anonymize(TABLE, plan({"age": 1, "zip": 2, "job": 1}, pv.KAnonymity(2), suppression=0.7))
    assert release.frame["age"].to_list() == ["[0, 25[", "[0, 25[", "[50, 75[", "[50, 75["]
    assert release.frame["zip"].to_list() == ["130**"] * 4
    assert release.frame["job"].to_list() == ["kitchen", "kitchen", "hospital", "hospital"]
    assert release.kept.tolist() == [0, 1, 4, 5]


def test_a_column_can_be_suppressed() -> None:
    release = pv.anonymize(TABLE, plan({"age": "top", "zip": 1, "job": 1}, pv.KAnonymity(3)))
    assert set(release.frame["age"].to_list()) == {"*"}
    assert release.frame.height == 6


def test_classes_with_too_few_diseases_are_left_out() -> None:
    """The rows of the kitchen have two diseases, and so have those of the hospital; by zip one class has only one."""
    both = pv.anonymize(TABLE, plan({"age": "top", "zip": "top", "job": 1}, pv.LDiversity(2, "disease")))
    assert both.frame.height == 6
    by_zip = plan({"age": "top", "zip": 0, "job": 1}, pv.LDiversity(2, "disease"), suppression=0.7)
    assert pv.anonymize(TABLE, by_zip).kept.tolist() == [3, 5]


def test_too_much_would_go() -> None:
    with pytest.raises(pv.InfeasibleError, match=r"2 of 6 rows do not hold, and 1 may be suppressed\. Raise .* 0\.334"):
        pv.anonymize(TABLE, plan({"age": 1, "zip": 2, "job": 1}, pv.KAnonymity(2), suppression=0.2))
    with pytest.raises(pv.InfeasibleError, match="choose higher levels"):
        pv.anonymize(TABLE, plan({}, pv.KAnonymity(2), suppression=1.0))


def test_levels_that_are_not_there() -> None:
    with pytest.raises(pv.PlanError, match="'age' has levels 0 to 2"):
        pv.anonymize(TABLE, plan({"age": 9}, pv.KAnonymity(2)))
    with pytest.raises(pv.PlanError, match="'disease'"):
        pv.anonymize(TABLE, plan({"disease": 1}, pv.KAnonymity(2)))
    with pytest.raises(pv.PlanError, match="'age'"):
        pv.methods.Filter(levels={"age": -1})


def test_levels_in_a_plan_file() -> None:
    wanted = plan({"age": 1, "zip": "top"}, pv.KAnonymity(2))
    assert pv.Plan.from_document(wanted.to_document()) == wanted
