"""δ-presence: the literature's two examples, people who fit no class, and what is reachable."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from paravent.errors import InfeasibleError, PlanError
from paravent.privacy import DeltaPresence
from paravent.privacy.classes import Classes

ORACLES = tomllib.loads((Path(__file__).parents[1] / "oracles/models.toml").read_text())


@pytest.mark.parametrize("case", ORACLES["presence"], ids=lambda case: case["name"])
def test_presence(case: dict) -> None:
    classes = Classes(np.array([case["rows"]]), {}, {"public": np.array([case["people"]])})
    share = Fraction(case["share"])
    assert DeltaPresence(1, "public").level(classes) == float(share)
    assert DeltaPresence(float(share), "public").holds(classes).all()
    assert not DeltaPresence(float(share) - 1e-9, "public").holds(classes).any()
    assert DeltaPresence(1, "public", low=float(share)).holds(classes).all()
    assert not DeltaPresence(1, "public", low=float(share) + 1e-9).holds(classes).any()


def test_people_who_fit_no_class_are_known_to_be_absent() -> None:
    classes = Classes(np.array([3]), {}, {"public": np.array([4])}, beyond={"public": 2})
    assert DeltaPresence(0.75, "public").holds(classes).all()
    assert not DeltaPresence(0.75, "public", low=0.1).holds(classes).any()


def test_what_is_reachable_is_named() -> None:
    whole = Classes(np.array([30]), {}, {"p": np.array([100])})
    with pytest.raises(InfeasibleError, match=r"at least 0\.3"):
        DeltaPresence(0.2, "p").check_feasible(whole)
    with pytest.raises(InfeasibleError, match=r"low of at most 0\.3"):
        DeltaPresence(0.9, "p", low=0.4).check_feasible(whole)
    with pytest.raises(InfeasibleError, match="population 20 people"):
        DeltaPresence(0.9, "p").check_feasible(Classes(np.array([30]), {}, {"p": np.array([20])}))


@pytest.mark.parametrize(
    "make",
    [
        lambda: DeltaPresence(0.2, "p", low=0.3),
        lambda: DeltaPresence(0, "p"),
        lambda: DeltaPresence(0.5, ""),
    ],
)
def test_bad_parameters(make: Callable[[], object]) -> None:
    with pytest.raises(PlanError, match=r"must be|above high"):
        make()
