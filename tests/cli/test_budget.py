"""paravent budget, from its arguments to its figures."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import paravent as pv
from paravent.private import Cost

Run = Callable[..., Any]


def test_a_grant_is_made_shown_and_raised(run: Run, tmp_path: Path) -> None:
    made = run("budget", "grant", "a.ledger", "--epsilon", "1", "--delta", "1e-6")
    assert made.exit_code == 0, made.output
    assert "granted  ε = 1, δ = 1e-06" in made.stdout
    pv.Budget(tmp_path / "a.ledger").spend("how many", Cost.pure(0.25))
    shown = run("budget", "show", "a.ledger")
    assert "spent    ε = 0.25 in 1 entry" in shown.stdout
    assert "left     ε = 0.75 for one more entry" in shown.stdout
    assert "how many" in shown.stdout
    raised = json.loads(run("budget", "grant", "a.ledger", "--epsilon", "3", "--delta", "1e-6", "--json").stdout)
    assert raised["granted"] == {"epsilon": 3.0, "delta": 1e-6, "outright": 0.0}
    assert raised["entries"][0]["epsilon"] == "1/4"
    assert raised["left"]["epsilon"] == 2.75


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("show", "a.ledger"), "there is no ledger 'a.ledger' yet"),
        (("grant", "a.ledger", "--epsilon", "0"), "epsilon must be above 0"),
        (("grant", "a.ledger", "--epsilon", "much"), "epsilon must be a number"),
        (("grant", "a.ledger", "--epsilon", "1", "--delta", "2"), "delta must be below 1"),
    ],
)
def test_bad_input_gets_a_sentence(run: Run, tmp_path: Path, words: tuple[str, ...], sentence: str) -> None:
    failed = run("budget", *words)
    assert failed.exit_code == 2
    assert sentence in failed.stderr
    assert not (tmp_path / "a.ledger").exists()


def test_a_lower_grant_is_refused(run: Run) -> None:
    run("budget", "grant", "a.ledger", "--epsilon", "2")
    failed = run("budget", "grant", "a.ledger", "--epsilon", "1")
    assert (failed.exit_code, "raised and not lowered" in failed.stderr) == (2, True)
