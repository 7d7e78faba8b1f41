"""Options that say what is wanted, as the plan that they stand for."""

from __future__ import annotations

import pytest

import paravent as pv
from paravent.cli.plan_options import PlanOptions
from paravent.errors import PlanError

COLUMNS = ["age", "job"]


def test_values_that_a_tree_does_not_know_hang_on_its_root() -> None:
    options = PlanOptions(quasi=["age,job"], tree=["job=job.csv"], outside=["job"], k=2)
    plan = options.to_plan(lambda: COLUMNS)
    assert plan.quasi["job"].outside == "root"
    assert plan.quasi["age"].outside == "error"
    assert isinstance(plan.quasi["job"], pv.Quasi)


@pytest.mark.parametrize(("outside", "words"), [("age", "column 'age' has no tree"), ("jobs", "no column 'jobs'")])
def test_what_can_hang_on_no_root_is_refused(outside: str, words: str) -> None:
    options = PlanOptions(quasi=["age,job"], tree=["job=job.csv"], outside=[outside], k=2)
    with pytest.raises(PlanError, match=words):
        options.to_plan(lambda: COLUMNS)
