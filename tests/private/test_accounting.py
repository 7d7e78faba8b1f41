"""Costs add up exactly and are turned into ε on the safe side."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opendp.combinators import make_zCDP_to_approxDP
from opendp.measurements import make_gaussian
from opendp.metrics import l2_distance

from paravent.errors import PlanError
from paravent.private.accounting import Cost, epsilon_of, exactly, positive, rho_of
from paravent.private.mechanisms import opendp

MILLIONTH = Fraction(1, 10**6)


def plain_epsilon(rho: float, delta: float) -> float:
    """Canonne, Kamath and Steinke 2020, Proposition 12, by trying orders: δ(ε) ≤ e^((α−1)(αρ−ε)) / (α−1) (1−1/α)^α."""
    found = math.inf
    for step in range(1, 40_000):
        less = math.exp(-12 + step / 1_000)
        order = 1 + less
        log = math.log(1 / delta) - math.log(less) + order * math.log(less / order)
        found = min(found, order * rho + log / less)
    return max(found, 0.0)


@pytest.mark.parametrize(("rho", "delta"), [("1/2", "1e-6"), ("0.01", "1e-6"), ("1e-6", "1e-9"), ("8", "1e-12")])
def test_rho_becomes_epsilon_as_others_compute_it(rho: str, delta: str) -> None:
    found = float(epsilon_of(Fraction(rho), Fraction(delta)))
    assert found == pytest.approx(plain_epsilon(float(Fraction(rho)), float(delta)), rel=1e-6)
    assert found <= plain_epsilon(float(Fraction(rho)), float(delta)) * (1 + 1e-12)
    noise = make_gaussian(opendp().whole_numbers, l2_distance(T="f64"), math.sqrt(0.5 / float(Fraction(rho))))
    assert found == pytest.approx(make_zCDP_to_approxDP(noise).map(1.0).epsilon(float(delta)), rel=1e-9)


@settings(max_examples=60)
@given(
    st.fractions(min_value=Fraction(1, 1000), max_value=50, max_denominator=10**6),
    st.integers(min_value=2, max_value=15),
)
def test_what_a_grant_allows_is_within_it(epsilon: Fraction, digits: int) -> None:
    delta = Fraction(1, 10**digits)
    rho = rho_of(epsilon, delta)
    assert epsilon_of(rho, delta) <= epsilon * (1 + Fraction(1, 10**18))
    assert epsilon_of(rho * (1 + Fraction(1, 10**9)), delta) > epsilon  # and nearly all of it


def test_more_costs_more() -> None:
    rhos = [Fraction(n, 10) for n in range(1, 20)]
    found = [epsilon_of(rho, MILLIONTH) for rho in rhos]
    assert found == sorted(found)
    assert epsilon_of(rhos[0], MILLIONTH) > epsilon_of(rhos[0], 10 * MILLIONTH)
    assert epsilon_of(Fraction(0), MILLIONTH) == 0


def test_sums_are_exact_where_floats_are_not() -> None:
    assert sum([0.1] * 3) > 0.3
    assert (Cost.pure(0.1) * 3).epsilon == Fraction(3, 10)
    total = Cost()
    for _ in range(1000):
        total += Cost.zcdp(0.001)
    assert total == Cost.zcdp(1)


def test_every_cost_has_its_readings() -> None:
    assert Cost.pure(1) == Cost(rho=Fraction(1, 2), epsilon=Fraction(1))
    assert Cost.pure(3).rho == 3  # ε bounds every Rényi divergence, and is below ε² / 2
    assert Cost.selection(1) == Cost(rho=Fraction(1, 8), epsilon=Fraction(1))
    assert Cost.zcdp(1).epsilon is None
    both = Cost.approximate(1, "1e-9") + Cost.zcdp("1/2")
    assert both == Cost(rho=Fraction(1), epsilon=None, delta=Fraction(1, 10**9))


@pytest.mark.parametrize("number", ["many", float("nan"), float("inf"), -1, "1/0", True])
def test_what_is_no_amount_is_refused(number: float) -> None:
    with pytest.raises(PlanError, match="epsilon must be a number"):
        exactly("epsilon", number)


def test_nothing_is_no_price() -> None:
    with pytest.raises(PlanError, match="epsilon must be above 0"):
        Cost.pure(0)
    with pytest.raises(PlanError, match="rho must be above 0"):
        Cost.zcdp(0.0)
    assert positive("epsilon", "1e-3") == Fraction(1, 1000)


def test_a_delta_that_promises_nothing_is_refused() -> None:
    with pytest.raises(PlanError, match="delta must be below 1"):
        rho_of(Fraction(1), Fraction(1))
    with pytest.raises(PlanError, match="delta above 0"):
        epsilon_of(Fraction(1), Fraction(0))
    assert rho_of(Fraction(1), Fraction(0)) == 0
