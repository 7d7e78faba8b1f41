"""paravent query, from its arguments to its answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import paravent as pv

Run = Callable[..., Any]
PAID = ("--budget", "a.ledger", "--epsilon", "100")


@pytest.fixture(autouse=True)
def ledger(tmp_path: Path) -> None:
    pv.Budget(tmp_path / "a.ledger", epsilon=1000)


def test_questions_are_answered_and_charged(run: Run, patients: Path, tmp_path: Path) -> None:
    counted = run("query", patients, "count", "--where", "naïve-job=cook|pilot", *PAID)
    assert counted.exit_code == 0, counted.output
    assert "count of rows where naïve-job = cook or pilot: 24 (95 %" in counted.stdout
    assert "left  ε = 900" in counted.stdout
    mean = json.loads(run("query", patients, "mean", "age", "--domain", "age=0..120", *PAID, "--json").stdout)
    assert 30 < mean["estimate"] < 60
    shown = run("query", patients, "histogram", "disease", "--domain", "disease=flu|ulcer|asthma", *PAID)
    assert "missing" in shown.stdout
    assert len(pv.Budget(tmp_path / "a.ledger").entries) == 3


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("count", "--epsilon", "1"), "Name its ledger with --budget"),
        (("mean", *PAID), "mean is asked of 1 column, not of 0"),
        (("mean", "age", *PAID), "--domain age=0..100"),
        (("mean", "age", "--domain", "age=90..17", *PAID), "The lower bound comes first"),
        (("mean", "age", "--domain", "agee=1..2", *PAID), "no column 'agee'"),
        (("count", "--bins", "3", *PAID), "--bins is for histogram"),
        (("count", "--budget", "a.ledger"), "--epsilon 0.1"),
    ],
)
def test_bad_input_gets_a_sentence_and_costs_nothing(
    run: Run, patients: Path, tmp_path: Path, words: tuple[str, ...], sentence: str
) -> None:
    failed = run("query", patients, *words)
    assert failed.exit_code == 2, failed.output
    assert sentence in failed.stderr
    assert pv.Budget(tmp_path / "a.ledger").entries == ()
