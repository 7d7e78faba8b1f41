"""Which candidates could still be the best, and which to run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from paravent.guide.goals import Goals
from paravent.guide.hoping import contenders, counted, shortlist
from paravent.guide.ranking import Ranking, rank
from paravent.knowledge.predicting.prediction import Prediction

GOALS = Goals.of("any", {("security", "quality"): 1, ("precision", "completeness"): 1})


def said(loss: float, width: float = 0.0, risk: float = 0.1) -> dict[str, Prediction]:
    """Predictions that differ in loss alone: of equal risk, and with every row."""

    def of(metric: str, value: float, off: float = 0.0) -> Prediction:
        return Prediction("x", metric, value, value - off, value + off, "cube", 20)

    return {
        "security": of("risk.prosecutor.max", risk),
        "completeness": of("utility.completeness", 1.0),
        "precision": of("utility.gcp", loss, width),
    }


def values(loss: float) -> dict[str, float]:
    return {"security": 0.1, "completeness": 1.0, "precision": loss}


def ranked(told: dict[str, dict[str, Prediction]]) -> Ranking:
    return rank({name: {c: p.value for c, p in by.items() if p.value is not None} for name, by in told.items()}, GOALS)


METHODS = {"a1": "a", "a2": "a", "b1": "b", "c1": "c"}


def test_only_what_may_be_better_than_what_was_run_is_hoped_for() -> None:
    told = {"a1": said(0.30), "a2": said(0.32, 0.09), "b1": said(0.40, 0.05), "c1": said(0.35, 0.3)}
    # half of the interval is hoped for: a2 0.275, b1 0.375, c1 0.2, beside a measured 0.3
    assert contenders(told, METHODS, {}, GOALS) == ["c1", "a2", "a1", "b1"]
    # of a2, whose method was run, a fifth: 0.3, not better
    assert contenders(told, METHODS, {"a1": values(0.30)}, GOALS) == ["c1"]
    assert contenders(told, METHODS, {"a1": values(0.30), "c1": values(0.32)}, GOALS) == []


def test_what_was_wrong_about_a_method_is_wrong_about_its_other_candidates() -> None:
    """a1 lost 0.2 more than was said: so will a2, which looked best before."""
    told = {"a1": said(0.30), "a2": said(0.28), "b1": said(0.40, 0.1), "c1": said(0.60)}
    assert contenders(told, METHODS, {"a1": values(0.50)}, GOALS) == ["b1", "a2"]
    assert contenders(told, METHODS, {"a1": values(0.30)}, GOALS) == ["a2"]


def test_what_was_run_in_haste_may_come_out_a_little_better() -> None:
    told = {"a1": said(0.30), "b1": said(0.10), "c1": said(0.60)}
    ran = {"a1": values(0.300)}
    assert contenders(told, METHODS, ran, GOALS, again={"b1": values(0.310), "c1": values(0.33)}) == ["b1"]


def test_what_was_run_in_haste_is_not_thought_of_worse_than_it_came_out() -> None:
    landed = {criterion: replace(each, evidence="landmark") for criterion, each in said(0.30, 0.1).items()}
    assert counted({"a1": landed, "b1": said(0.3, 0.1)})["a1"]["precision"] == 0.30


def test_what_nothing_is_predicted_of_is_not_ranked() -> None:
    told = {"a1": said(0.3), "b1": {**said(0.1), "precision": Prediction.abstained("b", "utility.gcp", "unknown")}}
    assert contenders(told, METHODS, {}, GOALS) == ["a1"]


def test_what_was_not_run_counts_for_less_beside_what_was() -> None:
    told = {"a1": said(0.30, 0.1), "b1": said(0.31, 0.02)}
    assert [by["precision"] for by in counted(told).values()] == [0.30, 0.31]
    told["c1"] = {criterion: replace(each, evidence="landmark") for criterion, each in said(0.32).items()}
    assert [by["precision"] for by in counted(told).values()] == pytest.approx([0.35, 0.32, 0.32])


def test_one_that_is_sure_to_be_second_is_not_run() -> None:
    """a2 and a3 stand behind a1 and err as it does; b1 and c1 look worse, and nobody knows."""
    methods = {**METHODS, "a3": "a"}
    told = {name: said(loss, 0.02) for name, loss in (("a1", 0.30), ("a2", 0.31), ("a3", 0.32))}
    told |= {"b1": said(0.34, 0.3), "c1": said(0.35, 0.3)}
    ranking = rank(
        {name: {c: p.value for c, p in by.items() if p.value is not None} for name, by in told.items()}, GOALS
    )
    assert [place.name for place in ranking.places[:3]] == ["a1", "a2", "a3"]
    assert shortlist(ranking, told, methods)[0] == "a1"
    assert set(shortlist(ranking, told, methods)) == {"a1", "b1", "c1"}
    assert shortlist(ranking, told, methods) == shortlist(ranking, told, methods)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_as_many_as_there_are(count: int) -> None:
    told = {name: said(0.3 + 0.1 * at) for at, name in enumerate(list(METHODS)[:count])}
    ranking = rank(
        {name: {c: p.value for c, p in by.items() if p.value is not None} for name, by in told.items()}, GOALS
    )
    assert shortlist(ranking, told, METHODS) == list(METHODS)[:count]
