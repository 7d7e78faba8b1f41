"""The quiz and the decision log."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path

import polars as pl
import pytest

import paravent as pv
from tests.guide.conftest import THREE

ANSWERS = "FFFFTTTFFTFFTF"
"""Of the questionnaire of Ben Fredj 2017 (annex C), item by item."""


def test_the_fourteen_items_and_their_answers() -> None:
    items = pv.guide.quiz()
    assert "".join("T" if item.answer else "F" for item in items[:14]) == ANSWERS
    assert {item.source for item in items[:14]} == {"Ben Fredj 2017"}
    assert len(items) >= 28
    assert len({item.statement for item in items}) == len(items)


def test_every_item_is_there_in_both_languages_and_about_something_known() -> None:
    known = pv.knowledge.load()
    for english, french in zip(pv.guide.quiz(), pv.guide.quiz(language="fr"), strict=True):
        assert english.key == french.key
        assert english.statement != french.statement
        assert english.reason
        assert english.reason != french.reason
        assert all(known.entry(key).key == key for key in english.about)


def test_marks() -> None:
    answers = {item.key: item.answer for item in pv.guide.quiz()}
    assert pv.guide.mark(answers).score == len(answers)
    some = {"quiz-larger-k-riskier": True, "quiz-risk-max": True}
    found = pv.guide.mark(some)
    assert (found.right, found.wrong) == (("quiz-risk-max",), ("quiz-larger-k-riskier",))
    assert "That is not so. The reverse" in str(found)
    with pytest.raises(pv.PlanError, match="there is no item 'quiz-risk-maxx'"):
        pv.guide.mark({"quiz-risk-maxx": True})
    assert [item.key for item in pv.guide.quiz("max-sup")] == ["quiz-max-sup-values", "quiz-max-sup-rows"]


def test_a_layer_can_add_an_item(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    pv.knowledge.Layer().add(
        "quiz",
        "quiz-ours",
        label="Ann must be asked.",
        answer=True,
        reason="She knows.",
        asksAbout="k-anonymity",
        place=99,
    )
    assert pv.guide.quiz()[-1].statement == "Ann must be asked."


def test_nothing_is_logged_unless_asked(people: pl.DataFrame, roles: pv.Plan, scenario: pv.Context) -> None:
    assert pv.guide(people, scenario, roles, methods=THREE).log is None  # type: ignore[operator]


def test_a_study_from_logs(people: pl.DataFrame, roles: pv.Plan, scenario: pv.Context, tmp_path: Path) -> None:
    ticks = count(0, 900)  # a quarter of an hour a step
    path = tmp_path / "study.jsonl"
    reference = pv.guide(people, scenario, roles, methods=THREE)  # type: ignore[operator]
    reference.select(*range(1, len(reference.ranking) + 1)).run()
    best, worst = reference.results.places[0].name, reference.results.places[-1].name
    for session, mode, choice in (("ann", "full", best), ("bob", "predefined", worst)):
        log = pv.guide.Log(path, session=session, clock=lambda: float(next(ticks)))
        found = pv.guide(people, scenario, roles, methods=THREE, guidance=mode, log=log)  # type: ignore[operator]
        found.select(choice).run().choose(choice)
        log.note("quiz", right=12)
        log.note("satisfaction", value=9)
    told = {row["mode"]: row for row in pv.guide.study(pv.guide.sessions(path, reference.results))}
    assert told["full"]["quality"] == told["full"]["strict"] == 1
    assert told["predefined"]["strict"] == 0
    assert told["predefined"]["quality"] == pytest.approx(reference.results[worst].ideal)
    # begin, select, run, choose: three quarters of an hour
    assert told["full"]["hours"] == 0.75
    assert told["full"]["efficiency"] == pytest.approx(1 / 0.75)
    assert (told["full"]["right"], told["full"]["satisfaction"]) == (12, 9)
    among = {each.name: each for each in pv.guide.sessions(path)}
    assert among["bob"].quality == 1  # among what was run, nothing is better
    text = path.read_text()
    assert not any(cell in text for cell in ("bachelor", "doctor", "9th"))


@pytest.mark.parametrize("line", ["x", "{}", '{"session": "a", "time": "soon", "event": "begin"}', "[]"])
def test_a_damaged_log_names_its_line(line: str, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps({"session": "a", "time": 0, "event": "begin"}) + f"\n{line}\n")
    with pytest.raises(pv.PlanError, match="line 2 is no step"):
        pv.guide.sessions(path)


def test_logs_that_cannot_be_get_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(pv.PlanError, match="there is no event 'sleep'"):
        pv.guide.Log(tmp_path / "x").note("sleep")
    with pytest.raises(pv.PlanError, match="cannot be written"):
        pv.guide.Log(tmp_path / "no" / "x").note("begin")
    with pytest.raises(pv.PlanError, match="cannot be read"):
        pv.guide.sessions(tmp_path / "nowhere")
