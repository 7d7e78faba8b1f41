"""Releases at the edge: nothing left, nothing known, one value, files read back."""

from __future__ import annotations

import dataclasses
import datetime
import warnings
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent.plan.encode import encode
from paravent.utility import contingency
from paravent.utility.family import Study
from paravent.utility.grouped import Grouped
from paravent.utility.measure import measure
from paravent.utility.queries import number_of_queries, ranks_before
from paravent.utility.score import disclosure_of
from paravent.utility.statistics import numeric_columns
from paravent.utility.subject import Pairs, Subject

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


def test_one_row_and_one_column_are_measured_in_full() -> None:
    plan = pv.Plan({"age": pv.Quasi(pv.intervals(10))}, [pv.KAnonymity(1)], person=None)
    found = pv.measure(pl.DataFrame({"age": [31]}), pl.DataFrame({"age": ["31"]}), plan, "queries")
    for name in ("utility.cells.suppressed", "utility.cells.changed", "utility.distortion", "utility.queries.are"):
        assert found[name] == 0


def test_without_rows_or_quasi_identifiers_there_is_no_alteration() -> None:
    nothing = Subject((), pl.DataFrame({"disease": ["flu", "cold"]}), np.arange(2))
    empty = encode(pv.read(people()), plan_of("tree", "own value"))
    none = tuple(dataclasses.replace(axis, codes=axis.codes[:0]) for axis in empty)
    for subject in (nothing, Subject(none, people().clear(), np.arange(0), original=people().clear())):
        found = measure(subject, "queries")
        assert not found.under("utility.alteration")
        assert not found.under("utility.cells")
        assert "utility.distortion" not in found
        assert "utility.queries.are" in found.absent


def test_fewer_queries_where_many_rows_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    """So many that 2000 rows are looked up, at least 100 and at most 1000; or as many as are asked for."""
    plan = pv.Plan({"age": pv.Quasi()}, [pv.KAnonymity(1)], person=None)
    subject = pv.anonymize(pl.DataFrame({"age": [1, 2, 3, 4, 4]}), plan).subject
    monkeypatch.setattr("paravent.utility.queries._MOST_LOOKUPS", 2000)
    assert number_of_queries(subject, Study()) == 500
    assert number_of_queries(subject, Study(queries=7)) == 7
    monkeypatch.setattr("paravent.utility.queries._MOST_LOOKUPS", 200)
    assert number_of_queries(subject, Study()) == 100
    monkeypatch.setattr("paravent.utility.queries._MOST_LOOKUPS", 100_000)
    assert number_of_queries(subject, Study()) == 1000


def test_queries_count_what_was_there_before_a_treatment() -> None:
    """33 is nearest to 30, which the release knows; a job that nobody has any more is asked for by no query."""
    table = pl.DataFrame({"age": [20, 33, 40], "job": ["a", "b", "c"]})
    recode = pv.treatments.Recode("job", mapping={"a": "c", "b": "b", "c": "c"})
    treat = [pv.treatments.Round("age", base=10), recode]
    plan = pv.Plan({"age": pv.Quasi(), "job": pv.Quasi()}, pv.KAnonymity(1), treat=treat)
    subject = pv.anonymize(table, plan).subject
    age, job = subject.axes
    assert age.values == ("20", "30", "40")
    assert ranks_before(age, subject).tolist() == [0, 1, 2]
    assert ranks_before(job, subject).tolist() == [2, job.values.index("b"), job.values.index("c")]


def test_one_value_under_several_labels() -> None:
    """Three labels of the only value that there is are three pairs."""
    found = Pairs.of(np.array([0, 1, 2, 2]), np.zeros(4, dtype=np.int64), 1)
    assert (found.label.tolist(), found.rank.tolist(), found.count.tolist()) == ([0, 1, 2], [0, 0, 0], [1, 1, 2])


def test_no_more_rows_are_linked_back_than_are_to_be_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    ages = pl.DataFrame({"age": range(30)})
    subject = pv.anonymize(ages, pv.Plan({"age": pv.Quasi()}, [pv.KAnonymity(3)], person=None)).subject
    columns = numeric_columns(subject)
    assert disclosure_of(subject, columns).distance.tried == 30
    monkeypatch.setattr("paravent.utility.score.MOST_TRIED", 5)
    assert disclosure_of(subject, columns).distance.tried == 5
