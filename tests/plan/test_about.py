"""Who answers for a release and what it is for: in a plan, its file and on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import paravent as pv
from paravent.cli.plan_options import PlanOptions
from paravent.errors import PlanError

ABOUT = pv.About(
    title="Visits 2025", responsible="Ada Byron", purpose="teaching", recipient="students", date="2026-01-31"
)
PLAN = pv.Plan({"age": pv.Quasi()}, [pv.KAnonymity(5)], about=ABOUT)


def test_it_is_part_of_the_plan_and_its_file(tmp_path: Path) -> None:
    PLAN.save(tmp_path / "plan.toml")
    assert pv.Plan.load(tmp_path / "plan.toml") == PLAN
    assert '[about]\ntitle = "Visits 2025"\nresponsible = "Ada Byron"' in (tmp_path / "plan.toml").read_text()
    assert eval(repr(PLAN), {"pv": pv}) == PLAN


def test_a_plan_that_says_nothing_of_it_is_written_as_before() -> None:
    plan = PLAN.replace(about=pv.About())
    assert "about" not in plan.to_document()
    assert "about" not in repr(plan)
    assert plan == pv.Plan({"age": pv.Quasi()}, [pv.KAnonymity(5)])


def test_the_command_line_says_it_beside_a_plan(tmp_path: Path) -> None:
    PLAN.save(tmp_path / "plan.toml")
    plan = PlanOptions(plan=tmp_path / "plan.toml", purpose="a course").to_plan(list)
    assert plan.about == pv.About(**{**ABOUT.to_document(), "purpose": "a course"})


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"responsible": 5}, "responsible must be a text"),
        ({"purpose": " "}, "purpose must be a text"),
        ({"purpose": "x" * 3000}, "3000 letters"),
        ({"date": "31.1.2026"}, "date must be a day such as"),
        ({"date": "20260131"}, "date must be a day such as"),
    ],
)
def test_what_cannot_be_said(said: dict[str, Any], sentence: str) -> None:
    with pytest.raises(pv.PlanError, match=sentence):
        pv.About(**said)


def test_a_document_with_a_mistake_names_it() -> None:
    document = PLAN.to_document()
    with pytest.raises(pv.PlanError, match=r"about: there is no entry 'purpos'. Did you mean 'purpose'"):
        pv.Plan.from_document({**document, "about": {"purpos": "x"}})
    with pytest.raises(pv.PlanError, match=r"about\.purpose"):
        pv.Plan.from_document({**document, "about": {"purpose": 3}})
    with pytest.raises(pv.PlanError, match="about: date must be a day"):
        pv.Plan.from_document({**document, "about": {"date": "tomorrow"}})
    with pytest.raises(pv.PlanError, match=r"about: must be pv\.About"):
        pv.Plan({"age": pv.Quasi()}, [pv.KAnonymity(5)], about={"purpose": "x"})  # type: ignore[arg-type]


def test_what_a_report_says_is_said_by_its_own_words() -> None:
    with pytest.raises(PlanError, match=r"about: must be pv\.About"):
        pv.Plan({"age": pv.Quasi()}, [pv.KAnonymity(2)], about="us")  # type: ignore[arg-type]
