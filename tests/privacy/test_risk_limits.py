"""Limits of the risk: promises about the sizes of classes."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import polars as pl
import pytest

from paravent.errors import InfeasibleError, PlanError
from paravent.privacy import AverageRisk, KAnonymity, MaximumRisk, PopulationUniqueness, SampleUniqueness
from paravent.privacy.classes import Classes
from paravent.privacy.verify import verify_frame


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


def test_what_is_reachable_is_named() -> None:
    for model in (MaximumRisk(0.2), AverageRisk(0.2)):
        with pytest.raises(InfeasibleError, match=r"reaches 0\.25"):
            model.check_feasible(sized(4))


@pytest.mark.parametrize(
    "make",
    [
        lambda: MaximumRisk(0),
        lambda: MaximumRisk(1.1),
        lambda: AverageRisk(-1),
        lambda: SampleUniqueness(2),
        lambda: PopulationUniqueness(0.1, 0),
        lambda: PopulationUniqueness(0.1, 100, estimator="guess"),
    ],
)
def test_bad_parameters(make: Callable[[], object]) -> None:
    with pytest.raises(PlanError, match=r"must be|above high"):
        make()


def test_where_no_estimate_fits_every_unique_counts() -> None:
    classes = sized(1, 1, 1, 4)  # no class of two rows: the negative binomial has nothing to hold on to
    model = PopulationUniqueness(0.5, 70, estimator="snb")
    assert model.level(classes) == 3 / 7
    assert PopulationUniqueness(0.42, 70, estimator="snb").holds(classes).tolist() == [False, False, False, True]


def test_two_rows_alike_are_not_unique() -> None:
    assert SampleUniqueness(0).holds(sized(1, 2, 3)).tolist() == [False, True, True]


def test_a_single_row_is_all_unique() -> None:
    verdict = verify_frame(pl.DataFrame({"age": ["20"]}), ["age"], [SampleUniqueness(0.6)])
    assert verdict.levels == {"privacy.sample_uniques": 1.0}
    assert not verdict


def test_a_population_is_a_number_of_people_or_a_share() -> None:
    """With the share 1.0 the table is the population: two of ten are unique. Half a person there is not."""
    assert PopulationUniqueness(0.2, 1.0).level(sized(1, 1, 8)) == pytest.approx(0.2)
    assert repr(PopulationUniqueness(0.2, 2000.0)) == repr(PopulationUniqueness(0.2, 2000))
    with pytest.raises(PlanError, match="neither a number of people nor a sampling fraction"):
        PopulationUniqueness(0.2, 2000.5).check_feasible(sized(100))
