"""Thresholds next to what floats can tell."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from paravent.privacy.exact import _compare_log, at_most, gain_within_log, log_is_below


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
