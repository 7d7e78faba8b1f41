"""Contexts: what a person says, from Python, from a file, and in plain words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import paravent as pv


@pytest.mark.parametrize(("risk", "k"), [(0.2, 5), (0.1, 10), (0.05, 20), (0.3, 4), (0.09, 12), (1, 2)])
def test_k_follows_from_the_risk(risk: float, k: int) -> None:
    assert pv.Context(risk=risk).k == k


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"risk": 0}, "risk must lie above 0"),
        ({"risk": 20}, "write 20 % as 0.2"),
        ({"suppression": 1}, "suppression must lie between 0 and 1"),
        ({"use": "art"}, "there is no 'art'"),
        ({"use": "classification"}, "classification needs a target"),
        ({"target": "salary"}, "the data are for 'any' use"),
        ({"output": "cells"}, "output cannot be 'cells'"),
        ({"decision": "ahq"}, "Did you mean 'ahp'"),
        ({"attacks": ("homogenity",)}, "Did you mean 'homogeneity'"),
        ({"time": 0}, "time must be seconds above 0"),
        ({"preferences": {("security", "qality"): 1}}, "there is no criterion 'qality'"),
        ({"preferences": {("security", "precision"): 1}}, "are not compared with each other"),
        ({"preferences": {("precision", "usage"): 2}}, "Say what they are for"),
        ({"preferences": {("security", "quality"): 12}}, "must lie between 1/9 and 9"),
        ({"risk": "much"}, "risk must be a number"),
    ],
)
def test_contexts_that_say_nothing_clear(said: dict[str, Any], sentence: str) -> None:
    with pytest.raises(pv.PlanError) as caught:
        pv.Context(**said)
    assert sentence in str(caught.value)


def test_a_file_says_the_same(tmp_path: Path) -> None:
    context = pv.Context(
        risk=0.1,
        suppression=0.0,
        use="classification",
        target="salary",
        preferences={("security", "quality"): 1 / 3, ("precision", "usage"): 2},
        attacks=("homogeneity",),
    )
    context.save(tmp_path / "context.toml")
    assert pv.Context.load(tmp_path / "context.toml") == context
    (tmp_path / "by_hand.toml").write_text('risk = 0.1\n[preferences]\n"security : quality" = "1/3"\n')
    assert pv.Context.load(tmp_path / "by_hand.toml").preferences == {("security", "quality"): 1 / 3}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("risk = ", "cannot be read"),
        ("rsk = 0.1", "there is no 'rsk'. Did you mean 'risk'?"),
        ("preferences = 3", "preferences must be a table"),
        ('[preferences]\n"security" = 3', "names no pair"),
        ('[preferences]\n"security : quality" = "much"', "must be a number from 1/9 to 9"),
        ('[preferences]\n"security : quality" = "1/0"', "must be a number from 1/9 to 9"),
    ],
)
def test_files_that_say_nothing_clear(text: str, sentence: str, tmp_path: Path) -> None:
    (tmp_path / "context.toml").write_text(text)
    with pytest.raises(pv.PlanError) as caught:
        pv.Context.load(tmp_path / "context.toml")
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_cost_counts_where_somebody_speaks_of_it() -> None:
    assert "time" not in pv.Context().goals.weights
    assert pv.Context(preferences={("quality", "cost"): 3}).goals.weights["time"] > 0
    both = pv.Context(preferences={("time", "memory"): 3}).goals.weights
    assert both["time"] == pytest.approx(3 * both["memory"])


@pytest.mark.parametrize(
    ("situation", "k", "l", "t"),
    [
        ({}, 5, None, None),
        ({"audience": "public"}, 12, None, None),
        ({"audience": "internal"}, 4, None, None),
        ({"knowledge": "acquaintances"}, 5, 2, None),
        ({"knowledge": "insiders"}, 5, 2, 0.3),
        ({"harm": "certainty"}, 5, 2, None),
        ({"audience": "public", "knowledge": "insiders", "harm": "suspicion"}, 12, 3, 0.2),
    ],
)
def test_plain_words(situation: dict[str, str], k: int, l: int | None, t: float | None) -> None:  # noqa: E741
    found = pv.Situation(**situation)  # type: ignore[arg-type]
    context = found.context()
    assert (context.k, context.l, context.t) == (k, l, t)
    assert all(len(reason) > 20 for reason in found.reasons.values())


def test_numbers_of_plain_words_can_be_changed() -> None:
    found = pv.Situation(audience="public", purpose="classification", target="pay")
    assert found.context(risk=0.5).k == 2
    assert found.context().target == "pay"
    with pytest.raises(pv.PlanError, match=r"audience cannot be 'publik'. Did you mean 'public'"):
        pv.Situation(audience="publik")
