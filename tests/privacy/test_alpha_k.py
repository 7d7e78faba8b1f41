"""(α, k)-anonymity: worked tables, and what is reachable."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from paravent.errors import InfeasibleError, PlanError
from paravent.privacy import AlphaKAnonymity
from paravent.privacy.classes import Classes

ORACLES = tomllib.loads((Path(__file__).parents[1] / "oracles/models.toml").read_text())
Make = Callable[..., Classes]


@pytest.mark.parametrize("table", [t for t in ORACLES["table"] if "alpha" in t], ids=lambda table: table["name"])
def test_alpha_of_worked_tables(table: dict, classes_of: Make) -> None:
    classes, expected = classes_of(table["classes"]), max(Fraction(a) for a in table["alpha"])
    assert AlphaKAnonymity(1, 1, "s").level(classes) == float(expected)
    assert AlphaKAnonymity(float(expected), 4, "s").holds(classes).all()
    assert not AlphaKAnonymity(float(expected) - 1e-12, 4, "s").holds(classes).all()
    assert not AlphaKAnonymity(1, int(classes.sizes.max()) + 1, "s").holds(classes).any()


def test_alpha_names_what_is_reachable(classes_of: Make) -> None:
    whole = classes_of([["a", "a", "b"]])
    with pytest.raises(InfeasibleError, match=r"Ask for alpha of at least 0\.6667"):
        AlphaKAnonymity(0.5, 2, "s").check_feasible(whole)
    AlphaKAnonymity(0.6667, 2, "s").check_feasible(whole)
    with pytest.raises(InfeasibleError, match="k of at most 3"):
        AlphaKAnonymity(1, 4, "s").check_feasible(whole)


@pytest.mark.parametrize(
    "make",
    [
        lambda: AlphaKAnonymity(0, 2, "s"),
        lambda: AlphaKAnonymity(0.5, 2.5, "s"),
        lambda: AlphaKAnonymity(0.5, 2, ""),
    ],
)
def test_bad_parameters(make: Callable[[], object]) -> None:
    with pytest.raises(PlanError, match=r"must be|above high"):
        make()
