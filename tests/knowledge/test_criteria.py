"""Criteria: orientation and when a difference counts (Ben Fredj 2017, tables 47 to 49)."""

from __future__ import annotations

import pytest

import paravent as pv
from paravent import knowledge


@pytest.mark.parametrize(
    ("points", "intensity"),
    [(0, 1), (2, 1), (3, 2), (4, 2), (5, 2), (6, 3), (7, 3), (8, 3), (9, 4), (10, 4), (11, 5), (12, 5), (13, 6),
     (14, 6), (15, 7), (16, 7), (17, 8), (19, 8), (20, 9), (50, 9)],
)  # fmt: skip
def test_table_49(points: int, intensity: int) -> None:
    better, worse = 0.4 + points / 100, 0.4
    assert knowledge.criterion("classification").intensity(better, worse) == intensity
    assert knowledge.criterion("classification").intensity(worse, better) == (-intensity if intensity > 1 else 1)


def test_table_50_of_five_signatures() -> None:
    """0.54, 0.54, 0.61, 0.61 and 0.65: 7 points are a 3, 11 points a 5, 4 points a 2."""
    compare = knowledge.criterion("classification").intensity
    assert [compare(0.61, 0.54), compare(0.65, 0.54), compare(0.65, 0.61), compare(0.54, 0.54)] == [3, 5, 2, 1]


def test_lower_is_better_where_it_is() -> None:
    precision = knowledge.criterion("precision")
    assert precision.intensity(0.10, 0.30) == 9
    assert precision.intensity(0.30, 0.10) == -9
    assert precision.intensity(0.30, 0.10, knowledge.metric("utility.prec")) == 9


def test_costs_are_compared_by_ratio() -> None:
    time = knowledge.criterion("time")
    assert time.intensity(1.0, 1.2) == 1  # a fifth more
    assert time.intensity(1.0, 1.9) == 2  # nearly twice
    assert time.intensity(1.0, 200.0) == 9
    assert time.intensity(0.0, 1.0) == 9
    assert time.intensity(0.0, 0.0) == 1


def test_other_limits_may_be_given() -> None:
    compare = knowledge.criterion("precision").intensity
    assert compare(0.10, 0.13) == 4  # three points: above 2
    assert compare(0.10, 0.13, thresholds=(5, 10, 20, 30, 40, 50, 60, 70)) == 1


def test_every_criterion_has_a_metric_a_way_and_eight_rising_limits() -> None:
    assert set(knowledge.CRITERIA) == {
        "security", "completeness", "precision", "classification", "regression", "queries", "distributions", "time",
        "memory",
    }  # fmt: skip
    for each in knowledge.CRITERIA.values():
        assert len(each.thresholds) == 8
        assert list(each.thresholds) == sorted(set(each.thresholds))
        assert all(metric.criterion == each.name for metric in each.metrics)
    assert knowledge.criterion("classification").source == "Ben Fredj 2017, table 49"
    assert knowledge.criterion("precision").source == "our default"


def test_names_that_do_not_exist_get_a_sentence() -> None:
    with pytest.raises(pv.PlanError, match=r"no criterion 'presicion'.*precision"):
        knowledge.criterion("presicion")
    with pytest.raises(pv.PlanError, match=r"no metric 'utility.gpc'.*utility\.gcp"):
        knowledge.metric("utility.gpc")
    assert knowledge.metric("precision").name == "utility.gcp"
