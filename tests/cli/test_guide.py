"""paravent guide: questions, candidates, runs."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import paravent as pv
from paravent.cli.app import app


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "people.csv"
    pl.DataFrame(
        {
            "age": [20 + i * 7 % 40 for i in range(400)],
            "sex": ["f" if i % 3 else "m" for i in range(400)],
            "disease": [["flu", "cold", "gout", "ulcer"][i * 5 % 7 % 4] for i in range(400)],
        }
    ).write_csv(path)
    pv.Plan(
        {"age": pv.Quasi(pv.intervals(5, 10, 20)), "sex": pv.Quasi(pv.flat()), "disease": pv.Sensitive()},
        [pv.KAnonymity(2)],
    ).save(tmp_path / "plan.toml")
    return path


def run(*words: str, given: str = "") -> tuple[int, str]:
    done = CliRunner().invoke(app, ["guide", *words], input=given, env={"COLUMNS": "200"})
    return done.exit_code, done.output


FEW = ("--plan", "plan.toml", "--method", "datafly", "--method", "mondrian-median")


def test_without_questions(table: Path) -> None:
    code, said = run(str(table), *FEW, "--run", "2", "-o", "out.csv", "--save", "p.json", "--save-plan", "best.toml")
    assert code == 0, said
    assert "5, one over the tolerated risk of 0.2" in said
    assert "What makes up the score" in said
    assert "Measured" in said
    best = pv.Plan.load("best.toml")
    assert pv.verify("out.csv", best)
    again = pv.Guidance.load("p.json", table)
    assert len(again.finished) == 2
    assert again.signature(str(again.chosen)).plan.method == best.method


def test_questions_are_asked_one_by_one_with_help_and_a_way_back(table: Path) -> None:
    answers = ["?", "public", "little", "<", "acquaintances", "certainty", "counting", "10%", "any", "3", "1/3", "1"]
    code, said = run(
        str(table), *FEW, "--ask", "--save-context", "c.toml", "-o", "out.csv", given="\n".join(answers) + "\n"
    )
    assert code == 0, said
    assert "The fewer can look at the data" in said
    context = pv.Context.load("c.toml")
    assert context == pv.Context(
        risk=0.09,
        suppression=0.1,
        use="counting",
        attacks=("record-linkage", "homogeneity"),
        belief=0.5,
        preferences={("security", "quality"): 3, ("precision", "completeness"): 1 / 3},
    )
    assert "12, one over the tolerated risk of 0.09" in said
    assert min(pl.read_csv("out.csv").group_by("age", "sex").len()["len"]) >= 12


def test_an_answer_that_is_none_is_asked_again(table: Path) -> None:
    answers = ["publik", "public", "", "", "any", "much", "0.05", "", "99", "1", "", "0"]
    code, said = run(str(table), *FEW, "--ask", given="\n".join(answers) + "\n")
    assert code == 0, said
    assert "there is no answer 'publik'. Did you mean 'public'?" in said
    assert "'much' is no number" in said
    assert "a judgement lies between 1/9 and 9" in said


def test_quitting_leaves_nothing(table: Path, tmp_path: Path) -> None:
    before = sorted(tmp_path.iterdir())
    code, _ = run(str(table), *FEW, "--ask", "-o", "out.csv", given="public\nq\n")
    assert code != 0
    assert sorted(tmp_path.iterdir()) == before


def test_machines_get_one_document(table: Path) -> None:
    code, said = run(str(table), *FEW, "--json")
    assert code == 0
    document = json.loads(said)
    assert document["format"] == "paravent guidance 1"
    assert len(document["signatures"]) == 9
    assert document["predicted"][0]["rank"] == 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--context", "nowhere.toml"), "nowhere.toml' cannot be read"),
        (("--method", "mondrain"), "there is no entry 'mondrain'"),
        (("--guidance", "none"), "guidance must be 'predefined'"),
        (("--ask", "--json"), "nothing is asked"),
        (("--seconds", "-1"), "must be a number from 0"),
        (("--explain", "99"), "there is no rank 99"),
    ],
)
def test_mistakes_get_one_sentence(table: Path, words: tuple[str, ...], sentence: str) -> None:
    code, said = run(str(table), "--plan", "plan.toml", "--method", "datafly", *words)
    assert code == 2
    assert sentence in said
    assert "Traceback" not in said


def test_modes_without_proposals_show_none(table: Path) -> None:
    code, said = run(str(table), *FEW, "--guidance", "informative")
    assert code == 0
    assert "Candidates" not in said
    assert "Left out" not in said
