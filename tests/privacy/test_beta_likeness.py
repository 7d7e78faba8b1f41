"""β-likeness and δ-disclosure: exact thresholds, values that are absent, and what a level says."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from paravent.errors import PlanError
from paravent.privacy import BetaLikeness, DeltaDisclosure
from paravent.privacy.classes import Classes
from paravent.privacy.exact import _compare_log, at_most, gain_within_log, log_is_below

Make = Callable[..., Classes]


def test_skewness(classes_of: Make) -> None:
    # One in a hundred has the virus, one in two of the class: the belief is fifty times the one before.
    table = ["-"] * 99 + ["+"]
    classes = classes_of([["+", "-"]], among=table)
    assert BetaLikeness(49, "s", kind="basic").holds(classes).all()
    assert not BetaLikeness(48.999999, "s", kind="basic").holds(classes).any()
    assert BetaLikeness(49, "s", kind="basic").level(classes) == pytest.approx(49)
    assert not BetaLikeness(49, "s").holds(classes).any()  # −ln 0.01 is only 4.6
    assert BetaLikeness(49, "s").level(classes) == math.inf


def test_the_enhanced_model_bounds_frequent_values(classes_of: Make) -> None:
    table = ["flu"] * 5 + ["cold"] * 5
    certain = classes_of([["flu"] * 3], among=table)
    assert BetaLikeness(1, "s", kind="basic").holds(certain).all()  # from one half to certain is a gain of 1
    assert not BetaLikeness(1, "s").holds(certain).any()  # but −ln ½ is 0.69


def test_a_value_that_is_absent_is_ruled_out(classes_of: Make) -> None:
    # A peer skipped absent values, and called a class in which one was ruled out close.
    classes = classes_of([["a", "a", "b"], ["a", "a", "b", "c"]])
    model = DeltaDisclosure(100, "s")
    assert model.holds(classes).tolist() == [False, True]
    assert model.level(classes) == math.inf


def test_delta_is_strict_and_two_sided(classes_of: Make) -> None:
    classes = classes_of([["a", "a", "a", "b"], ["a", "b", "b", "b"]])
    level = DeltaDisclosure(1, "s").level(classes)
    assert level == pytest.approx(math.log(2))  # ¼ against ½
    assert not DeltaDisclosure(0.693147180559945, "s").holds(classes).any()
    assert DeltaDisclosure(0.693147180559946, "s").holds(classes).all()


def test_a_whole_table_holds_for_every_delta(classes_of: Make) -> None:
    whole = classes_of([["a", "a", "b"]])
    assert DeltaDisclosure(1e-300, "s").holds(whole).all()
    assert BetaLikeness(0, "s").holds(whole).all()
    assert BetaLikeness(0, "s").holds(classes_of([["a", "a"]])).all()  # one value: −ln 1 is 0, and so is its gain


@pytest.mark.parametrize("digits", ["0.40546", "0.4054651081", "0.40546510810816", "0.405465108108164381978"])
def test_logarithms_next_to_the_bound(digits: str) -> None:
    # ln(3/2) cut after some digits, and the same with one more in the last place: below and above it.
    below = Fraction(digits)
    above = below + Fraction(1, 10 ** (len(digits) - 2))
    assert (_compare_log(Fraction(3, 2), below), _compare_log(Fraction(3, 2), above)) == (1, -1)
    three, two = np.array([3, 2]), np.array([2, 3])
    assert not log_is_below(three, two, below).any()
    assert log_is_below(three, two, above).all()


def test_a_tie_that_floats_cannot_see() -> None:
    # 10^15 / (3 · 10^15 − 1) is above one third by less than a float can show; cross-multiplied it overflows 63 bits.
    over, under = np.array([10**15, 10**15, 10**15]), np.array([3 * 10**15 - 1, 3 * 10**15, 3 * 10**15 + 1])
    assert at_most(over, under, Fraction(1, 3)).tolist() == [False, True, True]
    assert at_most(over, under, Fraction(333333333333333333, 10**18)).tolist() == [False, False, True]


def test_gains_against_the_logarithm() -> None:
    # q = 1/2 and p/q = 1 + ln 2, rounded down and up at the seventeenth digit.
    low, high = 169314718055994530, 169314718055994531
    over = np.array([low, high])
    under = np.array([10**17, 10**17])
    assert gain_within_log(over, under, np.array([1, 1]), 2).tolist() == [True, False]


@pytest.mark.parametrize("wrong", [{"beta": -1}, {"beta": math.inf}, {"beta": "1"}, {"kind": "plain"}, {"column": 3}])
def test_bad_parameters(wrong: dict) -> None:
    with pytest.raises(PlanError, match="BetaLikeness"):
        BetaLikeness(**{"beta": 1, "column": "s", **wrong})


@pytest.mark.parametrize("delta", [0, -1, math.inf, math.nan, None, True])
def test_bad_deltas(delta: object) -> None:
    with pytest.raises(PlanError, match="DeltaDisclosure"):
        DeltaDisclosure(delta, "s")  # type: ignore[arg-type]
