"""Releases at the edge: nothing left, nothing known, one value, files read back."""

from __future__ import annotations

import datetime
import warnings
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent.plan.encode import encode
from paravent.utility import contingency
from paravent.utility.grouped import Grouped
from paravent.utility.measure import measure
from paravent.utility.subject import Subject

SLOW = ("learning", "queries", "score")


def people(rows: int = 120) -> pl.DataFrame:
    rng = np.random.default_rng(4)
    start = datetime.date(2020, 1, 1)
    return pl.DataFrame(
        {
            "born": [start + datetime.timedelta(days=int(day)) for day in rng.integers(0, 300, rows)],
            "zip": rng.choice(["13053", "13068", "14850", "14853"], rows),
            "pay": [None if draw < 0.1 else int(draw * 50) for draw in rng.random(rows)],
            "disease": rng.choice(["flu", "cold", "ulcer"], rows),
        }
    )


def plan_of(labels: str, missing: str, suppressed: str = "drop") -> pv.Plan:
    tree = labels == "tree"
    roles = {
        "born": pv.Quasi(pv.dates() if tree else None),
        "zip": pv.Quasi(pv.prefixes()),
        "pay": pv.Quasi(pv.intervals(5, 25) if tree else None),
        "disease": pv.Sensitive(),
    }
    method = pv.methods.Mondrian(labels=labels)
    return pv.Plan(roles, [pv.KAnonymity(4)], method=method, missing=missing, suppression=0.5, suppressed=suppressed)


@pytest.mark.parametrize(
    ("labels", "missing"), [("tree", "own value"), ("interval", "wildcard"), ("set", "impute"), ("tree", "wildcard")]
)
def test_a_file_read_back_measures_the_same(labels: str, missing: str, tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    table, plan = pv.read(people()), plan_of(labels, missing, "mark")
    release = pv.anonymize(table, plan)
    found = release.measure(*SLOW)
    release.write(tmp_path / "out.csv")
    again = pv.measure(table, tmp_path / "out.csv", plan, *SLOW)
    assert again.to_dict() == pytest.approx(found.to_dict())
    assert again.absent == found.absent
    for each in found.details():
        low, high = each.range
        assert low - 1e-9 <= each.value <= high + 1e-9, each


@pytest.mark.parametrize("matched", [True, False])
def test_nothing_is_left(matched: bool) -> None:
    frame = people()
    plan = plan_of("tree", "own value")
    axes = encode(pv.read(frame), plan)
    codes = np.unique(frame["disease"].to_numpy(), return_inverse=True)[1]
    kept = np.zeros(0, dtype=np.int64) if matched else None
    found = measure(Subject(axes, frame.clear(), kept, plan.protect, {"disease": codes}, original=frame), *SLOW)
    assert found["utility.gcp"] == 1
    assert found["utility.arx_loss"] == pytest.approx(1)
    assert found["utility.entropy"] == pytest.approx(1)
    assert found["utility.prec"] == 0
    assert found["utility.alteration.mean"] == pytest.approx(100)
    assert found["utility.queries.are"] > 0
    assert None not in found.to_dict().values()
    assert "utility.learning.tree" in found.absent


def test_quasi_identifiers_that_were_not_released_are_wholly_lost() -> None:
    frame = people()
    plan = plan_of("tree", "own value")
    axes = encode(pv.read(frame), plan)
    found = measure(Subject(axes, frame.select("disease"), np.arange(frame.height), original=frame), "queries")
    assert found["utility.gcp"] == 1
    assert found["utility.alteration.root"] == 100
    assert found["utility.distortion"] == pytest.approx(0.75)


def test_one_value_cannot_be_lost() -> None:
    table = pv.read(pl.DataFrame({"a": ["x"] * 8, "b": [1] * 8, "s": ["p", "q"] * 4}))
    plan = pv.Plan({"a": pv.Quasi(), "b": pv.Quasi(), "s": pv.Sensitive()}, [pv.KAnonymity(4)])
    found = pv.anonymize(table, plan).measure("queries")
    assert found["utility.gcp"] == found["utility.entropy"] == found["utility.kl"] == 0
    assert found["utility.ambiguity"] == 1
    assert found["utility.queries.are"] == 0


def test_a_table_of_one_row_is_measured_as_any_other() -> None:
    plan = pv.Plan({"age": pv.Quasi(pv.intervals(10)), "town": pv.Quasi()}, [pv.KAnonymity(1)], person=None)
    frame = pl.DataFrame({"age": [31], "town": ["a"]})
    found = pv.measure(frame, pl.DataFrame({"age": ["*"], "town": ["a"]}), plan)
    assert found["utility.gcp"] == 0.5  # one of the two cells says nothing


def test_tables_of_many_classes_are_added_up_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    shares = np.eye(3)
    grouped = Grouped(np.arange(3), np.arange(3), shares)
    a, b = rng.integers(0, 3, 150_000), rng.integers(0, 3, 150_000)
    weight = rng.integers(1, 5, 150_000)
    expected = np.zeros((3, 3))
    np.add.at(expected, (a, b), weight)
    monkeypatch.setattr(contingency, "_MOST_CELLS", 0)
    assert contingency._expected(grouped, grouped, a, b, weight) == pytest.approx(expected)


def test_endless_numbers_have_no_mean_and_no_warning() -> None:
    frame = pl.DataFrame({"age": [30, 31, 32, 33], "pay": [1.0, 2.0, float("inf"), 4.0]})
    plan = pv.Plan({"age": pv.Quasi(), "pay": pv.Insensitive()}, [pv.KAnonymity(2)], person=None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert pv.anonymize(frame, plan).measure()["utility.il.means"] >= 0
        coded = plan.replace(treat=[pv.treatments.TopCode("pay", share=0.3)])
        assert pv.anonymize(frame, coded).frame["pay"].null_count() == 0
