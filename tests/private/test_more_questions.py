"""Gaussian noise by (ε, δ), the first count above a threshold, quantiles of groups, and days."""

from __future__ import annotations

import math
from datetime import date, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent.private.above import first_above
from paravent.private.accounting import rho_of
from paravent.private.gaussian_loss import delta_of, least_sigma

N = 1500
PEOPLE = pl.DataFrame(
    {
        "age": [20 + i % 60 for i in range(N)],
        "sex": ["f" if i % 3 else "m" for i in range(N)],
        "born": [date(1950, 1, 1) + timedelta(days=10 * i) for i in range(N)],
    }
)
DOMAINS: dict[str, Any] = {"age": range(17, 91), "sex": ["f", "m"], "born": (date(1940, 1, 1), date(1999, 12, 31))}


def asked(folder: Path, **options: Any) -> pv.private.Questions:
    budget = pv.Budget(folder / "x.ledger", epsilon=500, delta=6e-4, outright=1e-4)
    return pv.private(PEOPLE, budget, DOMAINS, unsafe_seed=5, **options)


def law(sigma: float, reach: int) -> np.ndarray:
    weight = np.exp(-(np.arange(-reach, reach + 1) ** 2) / (2 * sigma**2))
    return np.asarray(weight / weight.sum())


@pytest.mark.parametrize("change", [1, 2, 7])
@pytest.mark.parametrize("sigma", [0.8, 3.0, 11.0])
@pytest.mark.parametrize("epsilon", ["1/4", "1", "3"])
def test_delta_is_the_divergence_itself_rounded_up(change: int, sigma: float, epsilon: str) -> None:
    reach = math.ceil(14 * sigma) + 3 * change
    plain = law(sigma, reach)
    moved = np.concatenate([np.zeros(change), plain[:-change]])
    exact = float(np.maximum(moved - math.exp(float(Fraction(epsilon))) * plain, 0).sum())
    bound = delta_of(sigma, change, Fraction(epsilon))
    assert exact <= bound + 1e-15
    assert bound <= exact * (1 + 1e-6) + 1e-12


def test_a_smaller_change_is_hidden_better() -> None:
    losses = [delta_of(5.0, change, Fraction(1, 2)) for change in range(1, 9)]
    assert losses == sorted(losses)


def test_sums_and_integrals_bound_the_same() -> None:
    """Where σ passes from sums to integrals, the bound stays near the continuous law's (Balle, Wang 2018, Thm 8)."""
    for sigma, change in ((299.0, 70), (301.0, 70), (5000.0, 1200), (1e8, 2**24)):
        a, b = change / (2 * sigma), sigma / change
        continuous = 0.5 * math.erfc(-(a - b) / 2**0.5) - math.e * 0.5 * math.erfc((a + b) / 2**0.5)
        bound = delta_of(sigma, change, Fraction(1))
        assert continuous * 0.99 <= bound <= continuous * 1.02


@pytest.mark.parametrize("epsilon", ["1/10", "1/2", "1", "3"])
def test_the_noise_is_less_than_by_way_of_zcdp(epsilon: str) -> None:
    delta = Fraction(1, 10**6)
    sigma = least_sigma(Fraction(epsilon), delta, 1)
    assert delta_of(sigma, 1, Fraction(epsilon)) <= 1e-6
    assert delta_of(sigma * 0.97, 1, Fraction(epsilon)) > 1e-6
    assert sigma < 0.96 * math.sqrt(1 / (2 * rho_of(Fraction(epsilon), delta)))


def test_a_count_by_epsilon_and_delta(tmp_path: Path) -> None:
    with asked(tmp_path) as q:
        answer = q.count(epsilon=1, delta=1e-6)
        assert answer.mechanism == "discrete Gaussian"
        assert answer.scale == pytest.approx(4.2308, abs=1e-3)
        assert answer.cost == pv.private.Cost.approximate(1, "1e-6")
        assert abs(answer.estimate - N) < 30
        assert q.histogram("sex", epsilon=1, delta=1e-6).mechanism == "discrete Gaussian"
        assert abs(q.mean("age", epsilon=4, delta=1e-6).estimate - PEOPLE["age"].mean()) < 2  # type: ignore[operator]
        with pytest.raises(pv.PlanError, match="needs no delta"):
            q.count(rho=1, delta=1e-6)


def test_epsilon_and_delta_are_for_one_row_a_person(tmp_path: Path) -> None:
    with asked(tmp_path, person="sex", rows=3) as q, pytest.raises(pv.PlanError, match="one row a person"):
        q.count(epsilon=1, delta=1e-6)


def test_the_first_count_above_a_threshold_costs_one_price(tmp_path: Path) -> None:
    among = [{"age": (20 + i, 20 + i)} for i in range(40)] + [{"sex": "f"}, {"sex": "m"}]
    with asked(tmp_path) as q:
        found = q.first_above(500, among, epsilon=2)
        assert found.place == 40
        assert found.conditions == " where sex = f"
        assert found.cost == pv.private.Cost.pure(2)
        assert q.budget.spent == pv.private.Cost.pure(2)
        assert q.first_above(5000, among, epsilon=2).place is None
        with pytest.raises(pv.PlanError, match="at least one condition"):
            q.first_above(5, [], epsilon=1)


def test_quantiles_of_groups(tmp_path: Path) -> None:
    with asked(tmp_path) as q:
        found = q.group_by("sex").agg(epsilon=20, mid=("median", "age"), high=("quantile", "age", 0.9)).frame
        for sex in ("f", "m"):
            row = found.row(by_predicate=(pl.col("sex") == sex), named=True)
            real = PEOPLE.filter(pl.col("sex") == sex)["age"]
            assert abs(row["mid.estimate"] - real.median()) <= 2  # type: ignore[operator]
            assert abs(row["high.estimate"] - real.quantile(0.9)) <= 2  # type: ignore[operator]
        assert q.budget.spent == pv.private.Cost.pure(20)
        with pytest.raises(pv.PlanError, match="share between 0 and 1"):
            q.group_by("sex").agg(epsilon=1, a=("quantile", "age", 1.5))


def test_days_have_bounds_quantiles_and_bins(tmp_path: Path) -> None:
    with asked(tmp_path) as q:
        median = q.quantile("born", epsilon=30)
        assert abs((median.date - PEOPLE["born"].to_list()[N // 2]).days) <= 40
        assert median.date.isoformat() in str(median)
        assert median.to_dict()["estimate"] == median.date.isoformat()
        assert abs((q.mean("born", epsilon=30).date - date(1970, 7, 9)).days) < 40
        labels = q.histogram("born", bins=3, epsilon=10).frame["born"].to_list()
        assert labels[:3] == ["[1940-01-01, 1960-01-01[", "[1960-01-01, 1979-12-31[", "[1979-12-31, 1999-12-31]"]
        early = q.count(where={"born": (date(1950, 1, 1), date(1959, 12, 31))}, epsilon=10)
        assert abs(early.estimate - 366) <= 3
        with pytest.raises(pv.PlanError, match="dates, which have no sum"):
            q.sum("born", epsilon=1)
    with pytest.raises(pv.PlanError, match="The earlier day comes first"):
        pv.private(PEOPLE, q.budget, {"born": (date(2000, 1, 1), date(1999, 1, 1))})


@pytest.mark.secure
def test_first_above_tells_no_more_than_its_price() -> None:
    """Neighbours: all counts one lower. The event that tells most: the first of three is chosen, or none."""
    runs, epsilon = 4000, Fraction(2)
    chosen = {
        count: np.array([first_above([count] * 3, 1, epsilon, 1) is None for _ in range(runs)]) for count in (0, 1)
    }
    from tests.private.test_promise import proven_epsilon

    assert proven_epsilon(chosen[0], chosen[1]) <= 2
    assert proven_epsilon(~chosen[1], ~chosen[0]) <= 2
