"""A column can be left out without being called an identifier, and the verifier sees to it that it is."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import paravent as pv
from paravent.cli.plan_options import PlanOptions
from paravent.comparison.demands import check_demands, demands_of
from paravent.report.words import columns

FRAME = pl.DataFrame({"age": [30, 31, 40, 41], "age group": ["30s", "30s", "40s", "40s"], "job": ["a", "b", "a", "b"]})
PLAN = pv.Plan({"age": pv.Quasi(), "age group": pv.Drop()}, pv.KAnonymity(2))


def test_a_dropped_column_is_not_in_the_release() -> None:
    release = pv.anonymize(FRAME, PLAN)
    assert release.frame.columns == ["age", "job"]
    assert pv.verify(release.frame, PLAN)
    assert not PLAN.identifiers


def test_the_verifier_refuses_a_table_that_still_has_it() -> None:
    release = pv.anonymize(FRAME, PLAN)
    verdict = pv.verify(release.frame.with_columns(FRAME["age group"]), PLAN)
    assert not verdict
    assert "column 'age group' must not be in the release" in verdict.why_not()


def test_plan_files_and_repr_know_it(tmp_path: Path) -> None:
    assert PLAN.to_document()["columns"]["age group"] == {"role": "drop"}
    PLAN.save(tmp_path / "plan.toml")
    assert pv.Plan.load(tmp_path / "plan.toml") == PLAN
    assert eval(repr(PLAN), {"pv": pv}) == PLAN


def test_the_report_says_left_out() -> None:
    [words] = [entry for entry in columns(PLAN, {"age group": 0}) if entry.name == "age group"]
    assert "left out" in repr(words)
    assert "identifier" not in repr(words)


def test_no_model_and_no_target_can_ask_for_it() -> None:
    with pytest.raises(pv.PlanError, match="column 'age group' is left out in this plan"):
        pv.anonymize(FRAME, PLAN.replace(protect=[pv.LDiversity(2, "age group")]))
    with pytest.raises(pv.PlanError, match="the target 'age group' is left out"):
        pv.anonymize(FRAME, PLAN.replace(method=pv.methods.Mondrian(cut="infogain", target="age group")))


def test_a_comparison_asks_it_of_other_releases() -> None:
    demands = demands_of(PLAN)
    kept = pv.Plan({"age": pv.Quasi()}, pv.KAnonymity(2))
    met = check_demands(pv.anonymize(FRAME, kept).frame, kept, demands)
    assert [answer.holds for answer in met] == [True, False]


def test_the_short_form_and_the_command_line_name_it() -> None:
    assert pv.anonymize(FRAME, quasi="age", drop="age group", k=2).plan == PLAN
    assert PlanOptions(quasi=["age"], drop=["age group"], k=2).to_plan(lambda: FRAME.columns) == PLAN
