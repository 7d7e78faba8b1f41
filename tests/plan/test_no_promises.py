"""A plan that asks for no promise says so itself, and so does whatever is said about its release, first of all."""

from __future__ import annotations

import json
import re
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import paravent as pv
from paravent.cli.app import app
from paravent.errors import PlanError

PEOPLE = pl.DataFrame({"age": [31, 32, 38, 39, 76, 81], "sex": ["f", "m"] * 3, "pay": [1, 2, 3, 4, 5, 6]})
ROLES = {"age": pv.Quasi(), "sex": pv.Quasi(), "pay": pv.Sensitive()}
HEADLINE = "Nothing is guaranteed: the plan asks for no promise"


@pytest.fixture
def plan() -> pv.Plan:
    return pv.Plan(ROLES, [], treat=[pv.treatments.TopCode("age", above=75)])


def test_it_must_be_written_out(tmp_path: Path) -> None:
    for nothing in (None, "", {}, [None]):
        with pytest.raises(PlanError, match=r"protect=\[\] says that nothing is guaranteed"):
            pv.Plan(ROLES, nothing)  # type: ignore[arg-type]
    with pytest.raises(PlanError, match=r"k=5; protect=\[\] says that nothing is guaranteed"):
        pv.anonymize(PEOPLE, quasi=["age"], sensitive=["pay"], insensitive=["sex"])
    (tmp_path / "plan.toml").write_text('[columns]\nage = { role = "quasi" }\n')
    with pytest.raises(PlanError, match="'protect' is missing"):
        pv.Plan.load(tmp_path / "plan.toml")


def test_cells_are_published_as_they_are_where_nothing_else_is_asked(plan: pv.Plan) -> None:
    assert plan.method == pv.methods.AsIs()
    assert pv.Plan(ROLES, [pv.HiddenFailure(1)]).method == pv.methods.AsIs()
    assert pv.Plan(ROLES, [pv.KAnonymity(2), pv.HiddenFailure(1)]).method == pv.methods.Mondrian()
    released = pv.anonymize(PEOPLE, plan).frame.sort("pay")
    assert released["age"].to_list() == ["31", "32", "38", "39", ">75", ">75"]
    assert released["sex"].to_list() == PEOPLE["sex"].to_list()


def test_the_plan_is_the_same_as_file_as_python_and_in_short(plan: pv.Plan, tmp_path: Path) -> None:
    plan.save(tmp_path / "plan.toml")
    assert "protect = []" in (tmp_path / "plan.toml").read_text()
    assert pv.Plan.load(tmp_path / "plan.toml") == plan
    assert eval(repr(plan), {"pv": pv}) == plan
    release = pv.anonymize(PEOPLE, quasi=["age", "sex"], sensitive=["pay"], protect=[])
    assert release.plan.protect == ()


def test_the_verdict_says_it_first(plan: pv.Plan) -> None:
    release = pv.anonymize(PEOPLE, plan)
    verdict = release.verdict
    assert str(verdict).splitlines()[0] == f"{HEADLINE}."
    assert not verdict.guarantees
    assert verdict.to_dict()["guarantees"] is False
    assert HEADLINE in verdict._repr_html_()
    assert "6 rows" in verdict._repr_html_()
    assert repr(release).endswith("nothing is guaranteed")
    assert str(pv.verify(release, plan)).startswith(HEADLINE)
    assert pv.anonymize(PEOPLE, plan.replace(protect=[pv.HiddenFailure(1)])).verdict.guarantees


def test_the_report_says_it_first(plan: pv.Plan, tmp_path: Path) -> None:
    pv.anonymize(PEOPLE, plan).report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    body = re.sub(r"<[^>]*>", " ", page[page.index("<main>") :])
    assert " ".join(body.split()).startswith(f"✗ {HEADLINE}")
    assert "Every promise holds" not in page


def test_on_the_command_line(tmp_path: Path) -> None:
    PEOPLE.write_csv(tmp_path / "people.csv")
    call = ["anonymize", str(tmp_path / "people.csv"), "-q", "age,sex", "-s", "pay"]
    refused = CliRunner().invoke(app, call)
    assert refused.exit_code != 0
    assert "--no-promises says that nothing is guaranteed" in " ".join(refused.output.split())
    said = CliRunner().invoke(app, [*call, "--no-promises", "-o", str(tmp_path / "out.csv")])
    assert said.exit_code == 0, said.output
    assert said.output.strip().startswith(HEADLINE)
    told = json.loads(CliRunner().invoke(app, [*call, "--no-promises", "--json"]).stdout)
    assert told["guarantees"] is False
    both = CliRunner().invoke(app, [*call, "--no-promises", "--k", "2"])
    assert both.exit_code != 0
    assert "--no-promises contradicts" in both.output
