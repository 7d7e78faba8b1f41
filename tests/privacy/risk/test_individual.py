"""Individual and household risk of surveys: another tool's figures on two tables, and the law behind them."""

from __future__ import annotations

from collections.abc import Callable
from math import comb

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paravent.errors import TableError
from paravent.privacy.risk.household import household_risk
from paravent.privacy.risk.individual import approximate_risk, exact_risk, individual_risk

KEYS = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
Reference = Callable[..., pl.DataFrame]


def test_the_survey_as_another_tool_sees_it(survey: pl.DataFrame, reference: Reference) -> None:
    golden = reference("golden/golden_sdc_testdata_risk.csv")
    found = individual_risk(survey, KEYS, "sampling_weight")
    np.testing.assert_allclose(found.risk, golden["risk"].to_numpy(), rtol=1e-10)
    np.testing.assert_array_equal(found.class_size, golden["fk"].to_numpy())
    np.testing.assert_allclose(found.population_size, golden["Fk"].to_numpy())
    assert found.average == pytest.approx(0.00235334, abs=5e-9)
    assert found.expected == pytest.approx(10.7783, abs=5e-5)
    home = household_risk(found.risk, survey["ori_hid"])
    np.testing.assert_allclose(home.risk, golden["hier_risk"].to_numpy(), rtol=1e-10)
    assert home.average == pytest.approx(0.01131287, abs=5e-9)


def test_the_example_of_capobianchi_polettini_and_lucarelli(reference: Reference) -> None:
    frame, golden = reference("golden/francdat.csv"), reference("golden/golden_sdc_francdat_risk.csv")
    found = individual_risk(frame, ["Key1", "Key2", "Key3", "Key4"], "w")
    np.testing.assert_allclose(found.risk, golden["risk"].to_numpy(), rtol=1e-10)
    np.testing.assert_array_equal(found.class_size, golden["fk"].to_numpy())


@pytest.mark.parametrize(
    ("rows", "people"), [(1, 2.0), (1, 90.0), (2, 5.0), (3, 4.0), (4, 300.0), (10, 11.0), (40, 60.0)]
)
def test_exact_is_the_mean_of_one_over_the_class_size(rows: int, people: float) -> None:
    p = rows / people
    mean = sum(comb(size - 1, rows - 1) * p**rows * (1 - p) ** (size - rows) / size for size in range(rows, 4_000))
    assert exact_risk(np.array([rows]), np.array([people]))[0] == pytest.approx(mean, rel=1e-9)


@given(st.integers(1, 200), st.floats(1.0, 500.0))
def test_risk_lies_between_that_of_population_and_sample(rows: int, weight: float) -> None:
    size, people = np.array([rows]), np.array([rows * weight])
    exact, approximate = exact_risk(size, people)[0], approximate_risk(size, people)[0]
    # Jensen: E[1/F] is at least 1 / E[F]; and F is at least f.
    assert 1 / people[0] * (1 - 1e-9) <= exact <= 1 / rows * (1 + 1e-9)
    assert approximate == pytest.approx(exact, rel=0.05)


def test_classes_that_are_complete_have_their_own_risk() -> None:
    """Weights of 1, or calibrated ones below it: everybody is in the table."""
    for risk in (exact_risk, approximate_risk):
        np.testing.assert_array_equal(risk(np.array([1, 4, 4]), np.array([1.0, 4.0, 3.5])), [1, 0.25, 0.25])


@pytest.mark.parametrize("bad", [0.0, -2.0, None, float("nan"), float("inf")])
def test_weights_that_are_none(bad: float | None) -> None:
    frame = pl.DataFrame({"q": [1, 2, 3], "w": [5.0, bad, 5.0]})
    with pytest.raises(TableError, match=r"column 'w': 1 survey weights .* \(first: row 2\)"):
        individual_risk(frame, ["q"], "w")


def test_weights_that_do_not_fit() -> None:
    frame = pl.DataFrame({"q": [1, 2], "w": ["a", "b"]})
    with pytest.raises(TableError, match="must be numbers"):
        individual_risk(frame, ["q"], "w")
    with pytest.raises(TableError, match="no column 'v'"):
        individual_risk(frame, ["q"], "v")
    with pytest.raises(TableError, match="3 numbers for 2 rows"):
        individual_risk(frame, ["q"], np.ones(3))


def test_missing_cells_are_equal_to_one_another() -> None:
    frame = pl.DataFrame({"q": [None, None, 1], "w": [2.0, 3.0, 4.0]})
    found = individual_risk(frame, ["q"], "w")
    assert found.class_size.tolist() == [2, 2, 1]
    assert found.population_size.tolist() == [5, 5, 4]


@given(st.lists(st.tuples(st.integers(0, 4), st.floats(0, 1)), min_size=1, max_size=30))
def test_a_household_is_found_with_any_of_its_members(rows: list[tuple[int, float]]) -> None:
    risk = np.array([r for _, r in rows])
    found = household_risk(risk, pl.Series("home", [home for home, _ in rows])).risk
    for (home, own), whole in zip(rows, found, strict=True):
        members = np.array([r for other, r in rows if other == home])
        assert whole == pytest.approx(1 - np.prod(1 - members), abs=1e-12)
        assert whole >= own - 1e-12


def test_somebody_without_a_household() -> None:
    with pytest.raises(TableError, match=r"column 'home': 1 rows name no household \(first: row 2\)"):
        household_risk(np.array([0.1, 0.2]), pl.Series("home", ["a", None]))


def test_an_empty_survey() -> None:
    found = individual_risk(pl.DataFrame({"q": [], "w": []}, schema={"q": pl.Int64, "w": pl.Float64}), ["q"], "w")
    assert (found.average, found.highest, found.above(0.1)) == (0, 0, 0)
    assert household_risk(found.risk, pl.Series("home", [], dtype=pl.Int64)).average == 0
