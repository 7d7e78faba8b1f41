"""Limits of the risk, (α, k)-anonymity, k-map and δ-presence: promises about sizes, shares and people outside."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from paravent.errors import InfeasibleError, PlanError
from paravent.privacy import (
    AlphaKAnonymity,
    AverageRisk,
    DeltaPresence,
    KAnonymity,
    KMap,
    MaximumRisk,
    PopulationUniqueness,
    SampleUniqueness,
)
from paravent.privacy.classes import Classes
from paravent.privacy.verify import verify_frame

ORACLES = tomllib.loads((Path(__file__).parents[1] / "oracles/models.toml").read_text())
Make = Callable[..., Classes]


def sized(*sizes: int) -> Classes:
    return Classes(np.array(sizes), {})


@pytest.mark.parametrize("k", [1, 2, 3, 5, 7, 10, 1000])
def test_a_maximum_risk_is_k_anonymity(k: int) -> None:
    classes = sized(*range(1, 20), k, k + 1)
    risk = math.nextafter(1 / k, 1.0)
    assert MaximumRisk(min(risk, 1.0)).holds(classes).tolist() == KAnonymity(k).holds(classes).tolist()


def test_a_third_is_not_a_third_of_a_float() -> None:
    assert not MaximumRisk(1 / 3).holds(sized(3)).any()  # 0.333… as written is less than one third
    assert MaximumRisk(0.33334).holds(sized(3)).all()
    assert MaximumRisk(0.2).level(sized(5, 9)) == 0.2


def test_an_average_blames_the_small_classes() -> None:
    classes = sized(1, 9)
    assert AverageRisk(0.2).holds(classes).all()
    assert AverageRisk(0.2).level(classes) == 0.2
    assert AverageRisk(0.1).holds(classes).tolist() == [False, False]
    assert AverageRisk(0.15).holds(classes).tolist() == [False, True]
    assert AverageRisk(0.2).holds_in_part(classes).tolist() == [False, True]


def test_table_24_of_ben_fredj() -> None:
    original = sized(*[1] * 8, 2, 2)  # DM 16, average risk 83.33 %
    assert AverageRisk(1).level(original) == pytest.approx(10 / 12)
    assert MaximumRisk(1).level(original) == 1
    assert SampleUniqueness(0.5).level(original) == pytest.approx(8 / 12)
    assert not SampleUniqueness(0.66666666).holds(original).all()
    assert SampleUniqueness(0.66666667).holds(original).all()


def test_uniques_are_to_blame() -> None:
    assert SampleUniqueness(0.1).holds(sized(1, 1, 8)).tolist() == [False, False, True]
    assert SampleUniqueness(0.2).holds(sized(1, 1, 8)).tolist() == [True, True, True]


def test_wildcards_share_rows_between_classes() -> None:
    # The row with the open cell is compatible with both others: classes of 2, 2 and 3 overlap.
    frame = pl.DataFrame({"age": ["20", "30", None]})
    verdict = verify_frame(frame, ["age"], [AverageRisk(0.9), SampleUniqueness(0)], wildcard=["age"])
    assert verdict.levels["privacy.average_risk"] == pytest.approx((1 / 2 + 1 / 2 + 1 / 3) / 3)
    assert verdict


def test_population_uniqueness_agrees_with_the_estimates() -> None:
    from paravent.privacy.risk.population import Population
    from paravent.privacy.risk.uniqueness import population_uniqueness

    sizes = np.array([1] * 60 + [2] * 10 + [5] * 4)
    found = population_uniqueness(sizes, Population.of(2000, rows=100))
    classes = Classes(sizes, {})
    assert PopulationUniqueness(0.1, 2000).level(classes) == found.share
    assert PopulationUniqueness(0.1, 0.05, estimator="zayatz").level(classes) == found.zayatz
    assert PopulationUniqueness(0.1, 2000).holds(classes).tolist() == (sizes > 1).tolist()
    assert PopulationUniqueness(found.share, 2000).holds(classes).all()
    with pytest.raises(PlanError, match="smaller than the table"):
        PopulationUniqueness(0.1, 50).check_feasible(sized(100))


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


def test_population_models_name_what_is_reachable() -> None:
    whole = Classes(np.array([30]), {}, {"p": np.array([100])})
    with pytest.raises(InfeasibleError, match="k of at most 100"):
        KMap(101, "p").check_feasible(whole)
    with pytest.raises(InfeasibleError, match=r"at least 0\.3"):
        DeltaPresence(0.2, "p").check_feasible(whole)
    with pytest.raises(InfeasibleError, match=r"low of at most 0\.3"):
        DeltaPresence(0.9, "p", low=0.4).check_feasible(whole)
    with pytest.raises(InfeasibleError, match="population 20 people"):
        DeltaPresence(0.9, "p").check_feasible(Classes(np.array([30]), {}, {"p": np.array([20])}))
    with pytest.raises(InfeasibleError, match=r"reaches 0\.25"):
        MaximumRisk(0.2).check_feasible(sized(4))
    with pytest.raises(InfeasibleError, match=r"reaches 0\.25"):
        AverageRisk(0.2).check_feasible(sized(4))


@pytest.mark.parametrize(
    "make",
    [
        lambda: MaximumRisk(0),
        lambda: MaximumRisk(1.1),
        lambda: AverageRisk(-1),
        lambda: SampleUniqueness(2),
        lambda: PopulationUniqueness(0.1, 0),
        lambda: PopulationUniqueness(0.1, 100, estimator="guess"),
        lambda: KMap(0, "p"),
        lambda: KMap(2, ""),
        lambda: KMap(2, "p", count=3),  # type: ignore[arg-type]
        lambda: DeltaPresence(0.2, "p", low=0.3),
        lambda: DeltaPresence(0, "p"),
        lambda: AlphaKAnonymity(0, 2, "s"),
        lambda: AlphaKAnonymity(0.5, 2.5, "s"),  # type: ignore[arg-type]
    ],
)
def test_bad_parameters(make: Callable[[], object]) -> None:
    with pytest.raises(PlanError, match=r"must be|above high"):
        make()
