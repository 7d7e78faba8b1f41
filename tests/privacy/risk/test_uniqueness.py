"""Population uniqueness: another tool's figures, samples drawn from the models themselves, and laws."""

from __future__ import annotations

from math import comb, log

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paravent.errors import PlanError
from paravent.privacy.grouping import class_sizes
from paravent.privacy.risk.frequencies import Frequencies
from paravent.privacy.risk.pitman import _nodes, _start, fit_pitman
from paravent.privacy.risk.population import Population
from paravent.privacy.risk.snb import estimate_classes, fit_snb, snb
from paravent.privacy.risk.uniqueness import PopulationUniqueness, population_uniqueness
from paravent.privacy.risk.zayatz import zayatz

USA = 317_238_626


@pytest.fixture(scope="module")
def sizes(adult: pl.DataFrame) -> np.ndarray:
    return class_sizes(adult, adult.columns[:8])


def test_adult_in_the_usa_as_another_tool_estimates_it(sizes: np.ndarray, golden_adult: dict[str, str]) -> None:
    found = population_uniqueness(sizes, Population.of(USA, rows=30_162))
    assert found.zayatz == pytest.approx(float(golden_adult["ZAYATZ"]), abs=1e-15)
    assert found.pitman == pytest.approx(float(golden_adult["PITMAN"]), abs=1e-10)
    assert found.chosen == "pitman"
    assert found.share == pytest.approx(float(golden_adult["DANKAR"]), abs=1e-10)


def expected_classes(fraction: float, alpha: float, beta: float, rows: int) -> float:
    """The chance that a class of 1 + NB(α, β) people shows so many rows, by summing over its sizes."""
    total, chance = 0.0, beta**alpha  # of 1 person
    for size in range(1, 3_000):
        if size >= rows:
            total += chance * comb(size, rows) * fraction**rows * (1 - fraction) ** (size - rows)
        chance *= (alpha + size - 1) / size * (1 - beta)
    return total


@pytest.mark.parametrize(("fraction", "alpha", "beta"), [(0.2, 0.5, 0.1), (0.5, 2.0, 0.5), (0.01, 0.3, 0.02)])
def test_snb_meets_the_expected_numbers_of_classes(fraction: float, alpha: float, beta: float) -> None:
    ones, twos = (10_000 * expected_classes(fraction, alpha, beta, rows) for rows in (1, 2))
    fit = fit_snb(10_000, ones, twos, fraction)
    assert fit is not None
    assert (fit.alpha, fit.beta) == pytest.approx((alpha, beta), rel=1e-6)
    assert fit.uniques == pytest.approx(10_000 * beta**alpha, rel=1e-6)


def test_why_another_tool_finds_no_snb_estimate(sizes: np.ndarray, golden_adult: dict[str, str]) -> None:
    """It multiplies by (1 − z)^(α + 2) where the model divides: its equation for classes of two rows is not what the
    model expects, as counting over all sizes shows. It reports 0 for "no solution"; ours solves both equations."""
    assert float(golden_adult["SNB"]) == 0
    fraction, alpha, beta = 0.2, 0.5, 0.1
    z = (1 - fraction) * (1 - beta)
    front = fraction**2 * alpha * (1 - beta) * beta**alpha * (2 - (1 - alpha) * z) / 2
    truth = expected_classes(fraction, alpha, beta, 2)
    assert front / (1 - z) ** (alpha + 2) == pytest.approx(truth, rel=1e-9)
    assert front * (1 - z) ** (alpha + 2) < 0.1 * truth

    sample, people = Frequencies.of(sizes), Population.of(USA, rows=30_162)
    fit = fit_snb(estimate_classes(sample, people.fraction), sample.uniques, sample.of_size(2), people.fraction)
    assert fit is not None
    z, q = (1 - people.fraction) * (1 - fit.beta), people.fraction
    ones = fit.classes * q * (fit.beta / (1 - z)) ** fit.alpha * (1 + fit.alpha * z / (1 - z))
    assert ones == pytest.approx(sample.uniques, rel=1e-6)
    assert 0 < fit.uniques / USA < sample.uniques / 30_162


def test_snb_finds_the_uniques_of_a_population_of_its_kind() -> None:
    rng = np.random.default_rng(3)
    people = 1 + rng.negative_binomial(0.5, 0.1, 200_000)
    of_person = np.repeat(np.arange(len(people)), people)
    drawn = rng.choice(len(of_person), len(of_person) // 5, replace=False)
    classes = np.bincount(of_person[drawn])
    sample = Frequencies.of(classes[classes > 0])
    found = snb(sample, Population.of(len(of_person), rows=len(drawn)))
    assert found == pytest.approx(int((people == 1).sum()), rel=0.02)


def test_pitman_finds_the_parameters_of_a_partition_of_its_kind() -> None:
    """Guests of a restaurant sit down by the rule that Pitman's formula describes."""
    rng = np.random.default_rng(7)
    theta, alpha, rows = 50.0, 0.5, 4_000
    tables: list[int] = []
    for guest in range(rows):
        if rng.random() * (guest + theta) < theta + alpha * len(tables):
            tables.append(1)
        else:
            weights = np.array(tables) - alpha
            tables[int(rng.choice(len(tables), p=weights / weights.sum()))] += 1
    fit = fit_pitman(Frequencies.of(np.array(tables)))
    assert fit is not None
    assert fit.alpha == pytest.approx(alpha, abs=0.05)
    assert fit.theta == pytest.approx(theta, rel=0.35)


@pytest.mark.parametrize(("first", "last"), [(1, 0), (1, 1), (5, 70_000), (1, 1_000_000), (100_000, 1_234_567)])
@pytest.mark.parametrize(("theta", "alpha"), [(0.5, 0.5), (1e4, 0.7), (1e7, 0.01)])
def test_long_sums_are_shortened_without_loss(first: int, last: int, theta: float, alpha: float) -> None:
    places, weights = _nodes(first, last)
    numbers = np.arange(first, last + 1.0)
    for term in (
        lambda i: np.log(theta + alpha * i),
        lambda i: 1 / (theta + alpha * i),
        lambda i: (i / (theta + i)) ** 2,
    ):
        assert weights @ term(places) == pytest.approx(term(numbers).sum(), rel=1e-10, abs=1e-15)


def test_zayatz_by_hand() -> None:
    # 2 of 4 people are drawn and both are alone; one of size 1 or 2 in the population, in the sample's proportion.
    found = zayatz(Frequencies.of(np.array([1, 1, 2])), Population(8, 4))
    alone = [4 / 8, 2 * 4 / 8 * 4 / 7]
    assert found == pytest.approx(2 * (2 * alone[0] / (2 * alone[0] + alone[1])) / (4 / 8))


some_sizes = st.lists(st.integers(1, 12), min_size=1, max_size=60).map(np.array)


@given(some_sizes, st.floats(0.001, 1.0))
def test_nobody_is_unique_there_who_is_not_unique_here(sizes: np.ndarray, fraction: float) -> None:
    found = population_uniqueness(sizes, Population.of(fraction, rows=int(sizes.sum())))
    here = float((sizes == 1).sum() / sizes.sum())
    for share in (found.zayatz, found.pitman, found.snb, found.share):
        assert share is None or 0 <= share <= here


@given(some_sizes)
def test_a_table_that_is_its_own_population_needs_no_estimate(sizes: np.ndarray) -> None:
    found = population_uniqueness(sizes, Population.of(1.0, rows=int(sizes.sum())))
    assert found.share == found.pitman == found.zayatz == found.snb == (sizes == 1).sum() / sizes.sum()


@given(some_sizes, st.floats(0.001, 0.999))
def test_dankars_rule(sizes: np.ndarray, fraction: float) -> None:
    found = population_uniqueness(sizes, Population.of(fraction, rows=int(sizes.sum())))
    if fraction <= 0.1:
        assert found.chosen == ("zayatz" if found.pitman is None else "pitman")
    else:
        assert found.share == min(share for share in (found.zayatz, found.snb) if share is not None)


@pytest.mark.parametrize("sizes", [[1], [5], [1] * 30, [2] * 30, [1, 1, 40]])
def test_odd_tables_get_an_answer(sizes: list[int]) -> None:
    found = population_uniqueness(np.array(sizes), Population.of(0.05, rows=sum(sizes)))
    assert 0 <= found.share <= 1
    assert found.share == (1 if set(sizes) == {1} else found.share)
    assert (found.share == 0) == (1 not in sizes)


def test_an_empty_table() -> None:
    assert population_uniqueness(np.array([], dtype=int), Population(100, 0)).share == 0


def test_a_model_that_does_not_fit_says_so() -> None:
    found = PopulationUniqueness(Population(100, 10), None, 0.1, None, "zayatz")
    measures = {measure.name: measure for measure in found.measures()}
    assert np.isnan(measures["risk.population.uniques.pitman"].value)
    assert "does not fit" in measures["risk.population.uniques.pitman"].meaning
    assert "assumes that" in measures["risk.population.uniques"].meaning


@pytest.mark.parametrize("population", [0, -3, 0.0, -0.5, 1.5, float("nan"), float("inf"), True, "many"])
def test_a_population_that_is_none(population: float) -> None:
    with pytest.raises(PlanError, match="population"):
        Population.of(population, rows=10)


def test_a_population_smaller_than_its_sample() -> None:
    with pytest.raises(PlanError, match="smaller than the table, which has 10 rows"):
        Population.of(9, rows=10)
    assert Population.of(10, rows=10).fraction == 1


def ewens_log_likelihood(sizes: np.ndarray, theta: float, alpha: float) -> float:
    """Pitman's sampling formula as it is printed, factor by factor."""
    rows, classes = int(sizes.sum()), len(sizes)
    value = sum(log(theta + i * alpha) for i in range(1, classes)) - sum(log(theta + i) for i in range(1, rows))
    return value + sum(log(j - alpha) for size in sizes.tolist() for j in range(1, size))


@pytest.mark.parametrize("seed", range(6))
def test_a_sample_of_ewens_model_is_fitted_on_the_boundary(seed: int) -> None:
    """Hoppe's urn: the estimate is the θ by which as many classes are expected as there are, and nobody does better."""
    rng = np.random.default_rng(seed)
    theta, rows = 12.0, 600
    sizes: list[int] = []
    for guest in range(rows):
        drawn = rng.random() * (guest + theta)
        if drawn < theta:
            sizes.append(1)
        else:
            sizes[int(np.searchsorted(np.cumsum(sizes), drawn - theta, side="right"))] += 1
    found = np.array(sizes)
    fit = fit_pitman(Frequencies.of(found))
    assert fit is not None
    best = ewens_log_likelihood(found, fit.theta, fit.alpha)
    grid = [(t, a) for t in np.geomspace(1, 100, 25).tolist() for a in (0.0, 0.001, 0.01, 0.05, 0.1, 0.3)]
    assert best >= max(ewens_log_likelihood(found, t, a) for t, a in grid) - 1e-6
    if fit.alpha == 0:
        assert sum(fit.theta / (fit.theta + i) for i in range(rows)) == pytest.approx(len(found), rel=1e-9)
        assert fit.uniques(10**6) == pytest.approx(fit.theta, rel=1e-3)


def test_alpha_near_0_is_no_misfit_and_dankars_rule_takes_it() -> None:
    """Few rare classes beside large ones: the likelihood falls from α = 0 on. Ewens' model expects θ uniques among
    everybody; the rule took the higher estimate of Zayatz while this counted as no fit."""
    sizes = np.array([1] * 6 + [2] * 6 + [5] * 6 + [20] * 6 + [60] * 6)
    found = population_uniqueness(sizes, Population.of(0.01, rows=int(sizes.sum())))
    assert found.chosen == "pitman"
    fit = fit_pitman(Frequencies.of(sizes))
    assert fit is not None
    assert fit.alpha == 0
    assert found.pitman == pytest.approx(fit.uniques(sizes.sum() * 100) / (sizes.sum() * 100))
    assert found.share < 0.7 * found.zayatz


@given(some_sizes)
def test_pitman_fits_wherever_ewens_model_does(sizes: np.ndarray) -> None:
    sample = Frequencies.of(sizes)
    fit = fit_pitman(sample) if 1 < sample.classes < sample.rows else None
    if fit is not None and fit.alpha == 0:
        for alpha in (0.01, 0.1):
            assert ewens_log_likelihood(sizes, fit.theta, 0.0) >= ewens_log_likelihood(sizes, fit.theta, alpha) - 1e-9


def test_the_search_begins_at_the_moment_estimates_of_hoshino() -> None:
    """100 rows in 74 classes, 60 of them of one row and 10 of two: c = 60 · 59 / 10 = 354,
    θ = (100 · 74 · 354 − 60 · 99 · (148 + 354)) / (120 · 74 + 60 · 354 − 100 · 354) = 362 280 / 5 280, and
    α = (99 · 60 − 40 θ) / 7 400. Where no class is of two rows, one is taken to be."""
    theta, alpha = _start(Frequencies.of(np.array([1] * 60 + [2] * 10 + [5] * 4)))
    assert theta == pytest.approx(3019 / 44)
    assert alpha == pytest.approx(19 / 44)
    # 50 rows in 14 classes, 10 of one row and none of two: c = 90, θ = 70 920 / 3 320, α = (490 − 40 θ) / 700 < 0.
    assert _start(Frequencies.of(np.array([1] * 10 + [10] * 4))) == (1.0, 0.5)
