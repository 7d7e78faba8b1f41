"""δ-disclosure: values that are absent, and a strict bound on both sides."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from paravent.errors import PlanError
from paravent.privacy import DeltaDisclosure
from paravent.privacy.classes import Classes

Make = Callable[..., Classes]


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
    assert DeltaDisclosure(1e-300, "s").holds(classes_of([["a", "a", "b"]])).all()


@pytest.mark.parametrize("delta", [0, -1, math.inf, math.nan, None, True])
def test_bad_deltas(delta: object) -> None:
    with pytest.raises(PlanError, match="DeltaDisclosure"):
        DeltaDisclosure(delta, "s")  # type: ignore[arg-type]
