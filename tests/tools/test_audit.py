"""The audit in small, by seeded noise: no mechanism proves more than it claims, and the bounds are what they say."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tools.audit import __main__ as command
from tools.audit import questions, synthesis
from tools.audit.bound import highest, lowest, proven_epsilon
from tools.audit.trials import DOUBT, Trial, tried

TRIALS = [*questions.trials(), *synthesis.trials()]
TELLING = {
    "count: geometric (discrete Laplace) noise": 0.8,
    "histogram: geometric noise in each cell": 0.8,
    "sum: Laplace noise in fixed point": 0.75,
    "count and sum together: the price is split": 0.6,
    "count: Gaussian noise, rho = 1/2": 0.9,
    "keys by threshold: a value that others have": 0.75,
    "synthesis: measured counts, Gaussian, rho = 1/2": 0.9,
    "synthesis: measured counts, geometric": 0.8,
    "NaiveBayes: all that it measures": 0.2,
}
"""What 4000 drawings prove at least: an audit that sees nothing would find no fault either."""


@pytest.mark.parametrize("trial", TRIALS, ids=lambda trial: trial.name)
def test_no_mechanism_proves_more_than_it_claims(trial: Trial) -> None:
    result = tried(trial, 4000 if trial.name in TELLING else 1000, DOUBT / len(TRIALS))
    assert result.proven.epsilon >= TELLING.get(trial.name, 0.0)
    assert not result.violated


def test_the_names_of_trials_tell_them_apart() -> None:
    names = [trial.name for trial in TRIALS]
    assert len(set(names)) == len(names) == 23
    assert set(TELLING) <= set(names)


def test_the_bounds_of_clopper_and_pearson() -> None:
    """0 of n: (1 − p)^n = doubt. n of n: p^n = doubt. And 7 of 20 by the sums of the binomial law itself."""
    assert highest(0, 50, 0.01) == pytest.approx(1 - 0.01 ** (1 / 50))
    assert lowest(50, 50, 0.01) == pytest.approx(0.01 ** (1 / 50))
    low, high = lowest(7, 20, 0.025), highest(7, 20, 0.025)
    at_least = sum(math.comb(20, j) * low**j * (1 - low) ** (20 - j) for j in range(7, 21))
    at_most = sum(math.comb(20, j) * high**j * (1 - high) ** (20 - j) for j in range(8))
    assert (at_least, at_most) == (pytest.approx(0.025), pytest.approx(0.025))


def test_drawings_alike_prove_nothing_and_drawings_apart_prove_much() -> None:
    rng = np.random.default_rng(1)
    same = proven_epsilon(rng.normal(size=4000), rng.normal(size=4000), delta=0, doubt=1e-3)
    assert same.epsilon == 0
    apart = proven_epsilon(np.ones(4000), np.zeros(4000), delta=0, doubt=1e-3)
    # 2800 fresh drawings of each, and two sides of four events share the doubt
    low, high = (1e-3 / 8) ** (1 / 2800), 1 - (1e-3 / 8) ** (1 / 2800)
    assert apart.epsilon == pytest.approx(math.log(low / high))
    assert proven_epsilon(np.ones(4000), np.zeros(4000), delta=1, doubt=1e-3).epsilon == 0


def test_the_confidence_is_kept_where_a_law_is_tight() -> None:
    """Randomized response at ε = ln 3, 400 audits: at a doubt of 0.2 at most 80 exceed the truth, but for chance."""
    rng = np.random.default_rng(2)
    above = 0
    for _ in range(400):
        drawn = [(rng.random(300) < share).astype(float) for share in (0.75, 0.25)]
        above += proven_epsilon(*drawn, delta=0, doubt=0.2).epsilon > math.log(3)
    assert 1 <= above <= 80


def test_the_command_prints_a_line_each_and_says_how_it_ended(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["audit", "--runs", "2000", "--only", "geometric"])
    assert command.main() == 0
    lines = capsys.readouterr().out.splitlines()
    assert len([line for line in lines if line.endswith("no violation found")]) == 3
    assert lines[-1] == "3 mechanisms, 0 violations."


def test_the_command_fails_where_one_is_found(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    open_door = Trial("the person themselves", 1, 0, lambda inside, runs: np.full(runs, float(inside)))
    monkeypatch.setattr(questions, "trials", lambda: [open_door])
    monkeypatch.setattr(synthesis, "trials", list)
    monkeypatch.setattr("sys.argv", ["audit", "--runs", "1000"])
    assert command.main() == 1
    assert "VIOLATION" in capsys.readouterr().out


@pytest.mark.parametrize("told", [["--runs", "5"], ["--only", "nothing of the kind"]])
def test_what_cannot_be_audited_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], told: list[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["audit", *told])
    with pytest.raises(SystemExit):
        command.main()
    assert told[0] in capsys.readouterr().err.splitlines()[-1]
