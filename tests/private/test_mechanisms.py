"""The noise has the law that the accounting assumes. A wrong scale is noticed.

The noise is secure and has no seed. Each test asks for a p-value that a right law gives once in ten million runs.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paravent.errors import PlanError
from paravent.private import mechanisms
from paravent.private.mechanisms import float_above, gaussian, laplace, opendp, root_above, select
from tests.private.laws import discrete_gaussian, discrete_laplace, p_value

pytestmark = pytest.mark.secure

RARE = 1e-7
DRAWS = 20_000
REACH = 60


def places(draws: np.ndarray) -> np.ndarray:
    return np.clip(draws, -REACH, REACH) + REACH


def test_gaussian_noise_has_its_law_and_a_short_scale_is_seen() -> None:
    draws = places(gaussian(np.zeros(DRAWS, dtype=np.int64), Fraction(9)))
    assert p_value(draws, discrete_gaussian(9, REACH)) > RARE
    assert p_value(draws, discrete_gaussian(9 * 1.1**2, REACH)) < RARE  # what noise 10 % short looks like


def test_laplace_noise_has_its_law_and_a_short_scale_is_seen() -> None:
    draws = places(laplace(np.zeros(DRAWS, dtype=np.int64), Fraction(5, 2)))
    assert p_value(draws, discrete_laplace(2.5, REACH)) > RARE
    assert p_value(draws, discrete_laplace(2.75, REACH)) < RARE


def test_selection_has_its_law_and_a_missing_half_is_seen() -> None:
    scores, epsilon = np.array([0, 1, 2, 7]), Fraction(1)
    draws = np.array([select(scores, epsilon, 2) for _ in range(4_000)])
    weight = np.exp(scores / 4)  # ε · score / 2Δ
    assert p_value(draws, weight / weight.sum()) > RARE
    forgotten = np.exp(scores / 2)  # without the 2 of the exponential mechanism
    assert p_value(draws, forgotten / forgotten.sum()) < RARE


def test_the_maps_that_opendp_proves_are_the_costs_that_we_charge() -> None:
    assert mechanisms._gaussian(3.0).map(2.0) == pytest.approx(2**2 / (2 * 9), rel=1e-12)
    assert mechanisms._laplace(2.5).map(1) == pytest.approx(1 / 2.5, rel=1e-12)
    epsilon, sensitivity = 0.5, 3
    chosen = mechanisms._noisy_max(2 * sensitivity / epsilon)
    assert chosen.map(sensitivity) == pytest.approx(epsilon**2 / 8, rel=1e-12)
    dp = opendp()  # opendp 0.15 undercharged this fourfold
    pure = dp.measurements.make_noisy_max(
        dp.whole_numbers, dp.metrics.linf_distance(T="i64"), dp.measures.max_divergence(), 2 * sensitivity / epsilon
    )
    assert pure.map(sensitivity) == pytest.approx(epsilon, rel=1e-12)


def test_shapes_are_kept_and_counts_are_moved_by_the_noise_only() -> None:
    counts = np.arange(6).reshape(2, 3) * 10**12
    for noisy in (gaussian(counts, Fraction(1)), laplace(counts, Fraction(1))):
        assert noisy.shape == (2, 3)
        assert noisy.dtype == np.int64
        assert np.abs(noisy - counts).max() < 200
    assert gaussian(np.zeros(0, dtype=np.int64), Fraction(1)).shape == (0,)
    assert select(np.array([0, 10**9, 0]), Fraction(1), 1) == 1


@pytest.mark.parametrize("scale", [Fraction(0), Fraction(-1)])
def test_a_scale_of_zero_is_no_way_to_the_exact_answer(scale: Fraction) -> None:
    counts = np.zeros(3, dtype=np.int64)
    with pytest.raises(PlanError, match="sigma2 must be positive"):
        gaussian(counts, scale)
    with pytest.raises(PlanError, match="scale must be positive"):
        laplace(counts, scale)
    with pytest.raises(PlanError, match="epsilon must be positive"):
        select(counts, scale, 1)


def test_floats_are_refused() -> None:
    with pytest.raises(PlanError, match="whole numbers, not to float64"):
        laplace(np.array([0.5]), Fraction(1))


def test_bad_selections_are_refused() -> None:
    with pytest.raises(PlanError, match="sensitivity must be at least 1, not 0"):
        select(np.array([1]), Fraction(1), 0)
    with pytest.raises(PlanError, match="nothing to select from"):
        select(np.zeros(0, dtype=np.int64), Fraction(1), 1)


@given(st.fractions(min_value=Fraction(1, 10**12), max_value=10**12))
def test_scales_are_rounded_up_and_by_little(number: Fraction) -> None:
    assert number <= Fraction(float_above(number)) <= number * (1 + Fraction(1, 2**52))
    assert number <= Fraction(root_above(number)) ** 2 <= number * (1 + Fraction(1, 2**50))


def test_a_scale_beyond_all_numbers_is_refused() -> None:
    with pytest.raises(PlanError, match="narrow its bounds"):
        laplace(np.array([1]), Fraction(10**400))
    assert root_above(Fraction(2) ** 100) >= 2.0**50


def test_the_floating_point_attack_finds_nothing() -> None:
    """Mironov 2012: noise added to floats leaves low bits that tell 0 from 1. Ours are whole numbers: every output of
    one table is an output of its neighbour."""
    naive = np.random.default_rng(1).laplace(0, 1, 20_000)
    fine = lambda outputs: np.mean(np.abs(outputs * 2.0**53 % 1) > 0)  # noqa: E731
    assert fine(0 + naive) > 0.05  # finer than 2^-53: only f = 0 gives that
    assert fine(1 + naive) == 0
    for count in (0, 1):
        assert fine(laplace(np.full(2_000, count), Fraction(1)).astype(float)) == 0


def test_a_seed_repeats_itself_and_keeps_the_laws() -> None:
    zeros = np.zeros(DRAWS, dtype=np.int64)
    draw = lambda: np.random.default_rng(3)  # noqa: E731
    assert (laplace(zeros, Fraction(5, 2), unsafe=draw()) == laplace(zeros, Fraction(5, 2), unsafe=draw())).all()
    assert p_value(places(laplace(zeros, Fraction(5, 2), unsafe=draw())), discrete_laplace(2.5, REACH)) > 1e-3
    assert math.isclose(gaussian(zeros, Fraction(100), unsafe=draw()).std(), 10, rel_tol=0.03)
    assert select(np.array([0, 100]), Fraction(1), 1, unsafe=draw()) == 1
