"""β-likeness: skewness, and what the enhanced model adds."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from paravent.errors import PlanError
from paravent.privacy import BetaLikeness
from paravent.privacy.classes import Classes

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


def test_a_whole_table_gains_nothing(classes_of: Make) -> None:
    assert BetaLikeness(0, "s").holds(classes_of([["a", "a", "b"]])).all()
    assert BetaLikeness(0, "s").holds(classes_of([["a", "a"]])).all()  # one value: −ln 1 is 0, and so is its gain


@pytest.mark.parametrize("wrong", [{"beta": -1}, {"beta": math.inf}, {"beta": "1"}, {"kind": "plain"}, {"column": 3}])
def test_bad_parameters(wrong: dict) -> None:
    with pytest.raises(PlanError, match="BetaLikeness"):
        BetaLikeness(**{"beta": 1, "column": "s", **wrong})
