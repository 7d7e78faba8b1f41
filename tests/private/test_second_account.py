"""What was spent, worked out a second time from what is written down: from the files of transcripts, and from what the
answers say of their noise, in plain floats by the textbook. It equals the ledger to 1e-9."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import optimize, stats

import paravent as pv
from tests.methods.test_safe_pub import people as patients
from tests.methods.test_safe_pub import plan as sampling_plan

M = pv.methods
DOMAINS: dict[str, Any] = {
    "sex": ["f", "m"],
    "job": ["cook", "judge", "vet"],
    "age": range(18, 66),
    "pay": {"from": 0, "to": 9999, "bins": 8},
}


def people(rows: int = 900) -> pl.DataFrame:
    rng = np.random.default_rng(2)
    job = rng.integers(0, 3, rows)
    return pl.DataFrame(
        {
            "sex": [("f", "m")[i] for i in rng.integers(0, 2, rows).tolist()],
            "job": [DOMAINS["job"][i] for i in job.tolist()],
            "age": rng.integers(18, 66, rows),
            "pay": np.clip(rng.normal(2000 + 1500 * job, 500), 0, 9999).astype(np.int64),
            "who": np.arange(rows) // 3,
        }
    )


def loss_of(step: dict[str, Any]) -> tuple[float, float]:
    """(ρ, pure ε) of a step of a transcript's file."""
    number = lambda name: float(Fraction(step[name]))  # noqa: E731
    if "measured" in step:
        change = step["rows_each"]
        if step["noise"] == "gaussian":
            return change**2 / (2 * number("scale")), 0.0
        return 0.0, change / number("scale")
    return (number("epsilon") ** 2 / 8, 0.0) if step["composition"] == "zcdp" else (0.0, number("epsilon"))


def epsilon_of(rho: float, delta: float) -> float:
    """Canonne, Kamath and Steinke 2020, Proposition 12, minimised by SciPy over the logarithm of the order less 1."""

    def bound(log: float) -> float:
        order = 1 + math.exp(log)
        return order * rho + math.log1p(-1 / order) + math.log(1 / (delta * order)) / (order - 1)

    return float(optimize.minimize_scalar(bound, bounds=(-10, 25), method="bounded", options={"xatol": 1e-12}).fun)


@pytest.mark.parametrize("epsilon", [0.1, 1, 10])
@pytest.mark.parametrize("each", [1, 3])
@pytest.mark.parametrize(
    "make", [M.AIM, M.MST, M.PrivBayes, lambda **told: M.NaiveBayes(target="job", **told)],
    ids=["AIM", "MST", "PrivBayes", "NaiveBayes"],
)  # fmt: skip
def test_the_file_of_a_transcript_sums_up_to_the_ledger(tmp_path: Path, make: Any, each: int, epsilon: float) -> None:
    budget = pv.Budget(tmp_path / "x.ledger", epsilon=20, delta=1e-6)
    promise = pv.DifferentialPrivacy(epsilon=epsilon, delta=1e-6)
    plan = pv.Plan({"who": pv.Identifier()}, [promise], make(domains=DOMAINS, rows_each=each), person="who")
    release = pv.anonymize(people(), plan, budget=budget)
    assert release.transcript is not None
    release.transcript.save(tmp_path / "x.json")
    steps = json.loads((tmp_path / "x.json").read_text(encoding="utf-8"))["steps"]
    rho, pure = (sum(part) for part in zip(*map(loss_of, steps), strict=True))
    (entry,) = budget.entries
    if entry.cost.epsilon is None:
        assert pure == 0
        assert rho == pytest.approx(float(entry.cost.rho), abs=1e-9)
        assert epsilon_of(rho, 1e-6) == pytest.approx(epsilon, abs=1e-6)
        assert release.verdict.checks[0].level == pytest.approx(epsilon_of(rho, 1e-6), rel=1e-6)
    else:
        assert rho == 0
        assert pure == pytest.approx(float(entry.cost.epsilon), abs=1e-9)
        assert release.verdict.checks[0].level == pytest.approx(pure, abs=1e-9)
    assert sum(Fraction(each.spent.get("rho", 0.0)) for each in release.account) <= entry.cost.rho
    assert release.verdict.checks[0].level <= epsilon


@pytest.mark.parametrize("method", [M.SafePub(levels={"age": 2, "town": 1}), M.SafePub()], ids=["told", "searched"])
def test_a_sample_sums_up_to_the_ledger(tmp_path: Path, method: Any) -> None:
    """δ by SciPy's binomial law, for the β and k that the release says: over every size of a class up to 400 rows."""
    budget = pv.Budget(tmp_path / "x.ledger", epsilon=2, delta=1e-4, outright=2e-5)
    release = pv.anonymize(patients(), sampling_plan(method), budget=budget)
    (entry,) = budget.entries
    spent = {name: sum(each.spent.get(name, 0.0) for each in release.account) for name in ("epsilon", "delta")}
    assert spent["epsilon"] == pytest.approx(float(entry.cost.epsilon or 0), abs=1e-9)
    assert spent["delta"] == pytest.approx(float(entry.cost.delta), abs=1e-9)
    words = release.account[-1].what
    beta, k = float(words.split("probability ")[1].split(",")[0]), int(words.split("fewer than ")[1].split()[0])
    e, worst = math.exp(release.account[-1].spent["epsilon"]), 0.0
    assert 1 / (1 - beta) <= e * (1 + 1e-5)  # β is told in six digits
    for rows in range(1, 400):
        j = np.arange(k, rows + 1)
        excess = stats.binom.pmf(j, rows, beta) - e * stats.binom.pmf(j, rows - 1, beta)
        worst = max(worst, float(np.maximum(excess, 0).sum()))
    assert worst <= 1e-5
    assert worst > 1e-6  # and no k far beyond what is needed


def test_answers_say_what_the_ledger_holds(tmp_path: Path) -> None:
    """Each cost from the mechanism and the scale that the answer tells: ε = parts · Δ / scale, ρ = parts · Δ² / 2σ²."""
    table = people()
    budget = pv.Budget(tmp_path / "x.ledger", epsilon=50, delta=1e-3, outright=1e-4)
    domains = {"age": range(18, 66), "job": ["cook", "judge", "vet"], "pay": (0.0, 9999.0)}
    with pv.private(table, budget, domains, person="who", rows=3) as q:
        asked = [  # the answer, the change of one row, and the number of sums or levels of a tree
            (q.count(epsilon="0.3"), 1, 1),
            (q.count(rho="0.01"), 1, 1),
            (q.sum("age", epsilon="0.7"), 65, 1),
            (q.mean("age", epsilon="0.2"), 24, 2),  # seen from 41, the whole number in the middle
            (q.mean("pay", rho="0.02"), 9999 / 2, 2),
            (q.variance("pay", epsilon="0.4"), 9999**2 / 4, 3),
            (q.correlation("age", "pay", epsilon="0.6"), 1, 6),
            (q.histogram("job", epsilon="0.1"), 1, 1),
            (q.histogram("age", rho="0.05"), 1, 1),
            (q.quantile("age", epsilon="0.7"), 1, 7),  # 48 places: a tree of 64 leaves has 7 levels
            (q.group_by("job").agg(n="count", epsilon="0.5"), 1, 1),
            (q.first_above(10, [{"age": (20, 30)}, {"age": (30, 50)}], epsilon="0.5"), 1, 2),
        ]
    total_rho = 0.0
    for answer, change, parts in asked:
        own = 3 * change  # three rows of a person
        if answer.mechanism == "discrete Laplace":
            epsilon = parts * own / answer.scale
            assert float(answer.cost.epsilon or 0) == pytest.approx(epsilon, rel=1e-9)
            total_rho += min(float(answer.cost.epsilon or 0) ** 2 / 2, float(answer.cost.epsilon or 0))
        else:
            rho = parts * own**2 / (2 * answer.scale**2)
            assert float(answer.cost.rho) == pytest.approx(rho, rel=1e-9)
            total_rho += rho
    assert float(budget.spent.rho) == pytest.approx(total_rho, abs=1e-9)
    entries = [json.loads(line) for line in (tmp_path / "x.ledger").read_text(encoding="utf-8").splitlines()]
    written = sum((Fraction(entry["cost"]["rho"]) for entry in entries if "cost" in entry), Fraction(0))
    assert written == budget.spent.rho
    assert len([entry for entry in entries if "cost" in entry]) == len(asked)
