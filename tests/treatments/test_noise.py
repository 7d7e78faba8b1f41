"""Noise: what each kind keeps, exactly or in expectation, and what it never does."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paravent.errors import InfeasibleError, PlanError
from paravent.treatments import Noise
from paravent.treatments.noise.adding import additive, correlated, multiplicative, standard_normal
from paravent.treatments.noise.limits import reflected, rounded
from paravent.treatments.noise.rotation import rotated, rows_needed
from paravent.treatments.noise.whole import Rows

from .plans import released, run, treated

ORACLE = tomllib.loads((Path(__file__).parents[1] / "oracles" / "perturbation.toml").read_text())["noise"]
MANY = 40_000


def sample(rows: int = MANY) -> np.ndarray:
    """Three columns, the first two with a correlation of 0.8, the third of another size."""
    rng = np.random.default_rng(11)
    drawn = rng.standard_normal((rows, 3))
    return np.column_stack((drawn[:, 0], 0.8 * drawn[:, 0] + 0.6 * drawn[:, 1], 1000 + 50 * drawn[:, 2]))


def normal(rows: int = MANY, seed: int = 5) -> np.ndarray:
    return standard_normal((rows, 3), np.random.default_rng(seed))


def test_the_worked_example() -> None:
    """Table 19: the noise that is given there, as multiples of the deviation."""
    days = np.array(ORACLE["days"], dtype=float)[:, None]
    noise = np.array(ORACLE["noise"])[:, None]
    found = additive(days, 0.5, noise / (0.5 * days.std()), outliers=False, rescale=False)
    assert found[:, 0] == pytest.approx(ORACLE["published"])
    assert found.mean() == pytest.approx(ORACLE["mean"])
    assert days.var() == pytest.approx(ORACLE["variance_before"], abs=0.005)
    assert found.var() == pytest.approx(ORACLE["variance_after"], abs=0.005)


@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(0, 40), st.floats(0.01, 10), st.booleans())
def test_turned_rows_keep_means_and_covariances(
    seed: int, columns: int, more: int, scale: float, collinear: bool
) -> None:
    rng = np.random.default_rng(seed)
    values = rng.standard_normal((rows_needed(columns) + more, columns)) * 10.0 ** rng.integers(-3, 6, columns)
    values += 10.0 ** rng.integers(-3, 5, columns)
    if collinear:
        values[:, -1] = values[:, 0] * 3 + 1
    found = rotated(values, scale, rng)
    size = np.abs(values).max(axis=0)
    assert np.abs(found.mean(axis=0) - values.mean(axis=0)) == pytest.approx(0, abs=1e-9 * size.max())
    spread = values.std(axis=0)
    before, after = (np.atleast_2d(np.cov(each / spread, rowvar=False)) for each in (values, found))
    assert after == pytest.approx(before, abs=1e-9)
    assert not np.isclose(found, values, rtol=1e-12).all(axis=1).any()


def test_turned_rows_keep_as_much_of_themselves_as_the_scale_says() -> None:
    values = sample()
    for scale in (0.1, 1.0):
        found = rotated(values, scale, np.random.default_rng(1))
        own = [np.corrcoef(values[:, j], found[:, j])[0, 1] for j in range(3)]
        assert own == pytest.approx([1 / np.sqrt(1 + scale**2)] * 3, abs=4 / np.sqrt(MANY))


def test_additive_noise_keeps_means_and_covariances_in_expectation() -> None:
    """Within four standard errors of noise with a known distribution: one failure in about 16 000 draws."""
    values, scale = sample(), 0.5
    found = additive(values, scale, normal(), outliers=False, rescale=False)
    spread = values.std(axis=0)
    assert np.abs(found.mean(axis=0) - values.mean(axis=0)) / spread == pytest.approx(0, abs=4 * scale / np.sqrt(MANY))
    before, after = np.cov((values / spread).T), np.cov((found / spread).T)
    apart = ~np.eye(3, dtype=bool)
    assert (after - before)[apart] == pytest.approx(0, abs=4 * np.sqrt(2 * scale**2 + scale**4) / np.sqrt(MANY))
    assert np.diag(after) == pytest.approx(1 + scale**2, abs=0.03)


def test_rescaled_noise_keeps_variances() -> None:
    values = sample()
    spread = values.std(axis=0)
    by_column = additive(values, 0.5, normal(), outliers=False, rescale=True)
    assert by_column.std(axis=0) / spread == pytest.approx(1, abs=0.02)
    assert np.corrcoef(by_column.T)[0, 1] == pytest.approx(0.8 / 1.25, abs=0.02)  # covariances shrink
    along = correlated(values, 0.5, normal(), rescale=True)
    assert np.cov((along / spread).T) == pytest.approx(np.cov((values / spread).T), abs=0.03)


def test_correlated_noise_keeps_means_and_correlations_in_expectation() -> None:
    values = sample()
    found = correlated(values, 0.5, normal(), rescale=False)
    assert np.abs(found.mean(axis=0) - values.mean(axis=0)) / values.std(axis=0) == pytest.approx(0, abs=0.01)
    assert np.corrcoef(found.T) == pytest.approx(np.corrcoef(values.T), abs=0.02)
    assert found.var(axis=0) / values.var(axis=0) == pytest.approx(1.25, abs=0.03)


def test_factors_have_mean_one_and_keep_signs_and_zeros() -> None:
    values = np.tile([-3.0, 0.0, 7.0], (MANY, 1))
    found = multiplicative(values, 0.2, normal())
    factors = found[:, [0, 2]] / values[:, [0, 2]]
    assert (factors > 0).all()
    assert (found[:, 1] == 0).all()
    assert factors.mean(axis=0) == pytest.approx(1, abs=4 * 0.2 / np.sqrt(MANY))
    assert factors.std(axis=0) == pytest.approx(0.2, abs=0.005)


def test_noise_of_people_is_their_own_and_equal_for_equal_values() -> None:
    persons, alike = np.arange(MANY) // 4, np.arange(MANY) // 2
    drawn = standard_normal((MANY, 1), np.random.default_rng(2), persons, alike)[:, 0]
    assert (drawn[0::2] == drawn[1::2]).all()
    assert drawn.std() == pytest.approx(1, abs=0.03)
    means = drawn.reshape(-1, 4).mean(axis=1)
    assert means.std() == pytest.approx(np.sqrt(0.75), abs=0.03)  # four rows do not average it away
    assert (drawn[0::4] - drawn[2::4]).std() == pytest.approx(1, abs=0.05)  # nor do differences


def test_people_get_noise_by_person() -> None:
    frame = pl.DataFrame({"pay": [100, 100, 200, 300, 300, 900] * 20})
    persons = np.repeat(np.arange(40), 3)
    found = treated(Noise("pay", whole=False), frame, persons=persons)["pay"].to_numpy()
    noise = found - frame["pay"].to_numpy()
    assert np.isclose(noise[0::6], noise[1::6]).all()
    assert not np.isclose(noise[0::6], noise[2::6]).any()
    with pytest.raises(PlanError, match="people have several rows here"):
        run(Noise("pay", kind="orthogonal"), frame, persons=persons)


def test_outliers_get_more() -> None:
    values = np.append(np.random.default_rng(1).standard_normal(MANY - 1), 300.0)[:, None]
    ones = np.ones((MANY, 1))
    width = additive(values, 0.1, ones, outliers=True, rescale=False) - values
    spread = float(Rows(values).robust_deviations[0])
    assert spread == pytest.approx(1, abs=0.03)
    assert width[-1] == pytest.approx(0.1 * 100, rel=0.05)  # a hundred times as far out as three deviations
    assert np.median(width) == pytest.approx(0.1 * spread)


@pytest.mark.parametrize("kind", ["additive", "correlated", "multiplicative", "orthogonal"])
@pytest.mark.parametrize("columns", ["a", ("a", "b"), ("a", "b", "day")])
def test_missing_values_stay_missing_and_seeds_repeat_bytes(kind: Any, columns: Any) -> None:
    """One column, several, with missing values (a peer fails on one column, another changes what is missing)."""
    if kind == "multiplicative" and "day" in columns:
        columns = ("a", "b")
    rng = np.random.default_rng(4)
    holes = rng.random((400, 2)) < 0.2
    frame = pl.DataFrame(
        {
            "a": rng.standard_normal(400).tolist(),
            "b": rng.integers(0, 90, 400).tolist(),
            "day": (rng.integers(0, 9999, 400).astype("datetime64[D]")).tolist(),
        }
    ).with_columns(pl.when(~pl.Series(holes[:, at])).then(pl.col(name)).alias(name) for at, name in enumerate("ab"))
    noise = Noise(columns, kind=kind, scale=0.3)
    found = treated(noise, frame)
    assert found.equals(treated(noise, frame))
    for name in noise.columns:
        assert (found[name].is_null() == frame[name].is_null()).all()
        assert (found[name] == frame[name]).mean() < 0.5
        assert not treated(noise, frame, seed=1)[name].equals(found[name])
    assert found.select(set(frame.columns) - set(noise.columns)).equals(
        frame.select(set(frame.columns) - set(noise.columns))
    )


def test_orthogonal_noise_keeps_covariances_of_all_rows_that_have_both() -> None:
    rng = np.random.default_rng(8)
    values = sample(600)
    values[rng.random(values.shape) < 0.3] = np.nan
    frame = pl.DataFrame(values, schema=["a", "b", "c"]).fill_nan(None).with_columns(g=pl.Series([0, 1] * 300))
    found = treated(Noise(("a", "b", "c"), kind="orthogonal", within="g"), frame)
    for some in (frame["g"] >= 0, frame["g"] == 1):
        for one in "abc":
            for other in "abc":
                both = [
                    each.filter(some).select(one, pl.col(other).alias("other")).drop_nulls() for each in (frame, found)
                ]
                before, after = (np.cov(each.to_numpy().T) for each in both)
                assert after == pytest.approx(before, rel=1e-9, abs=1e-9)


def test_groups_have_deviations_of_their_own_unless_they_are_small() -> None:
    rng = np.random.default_rng(3)
    size = np.repeat([1.0, 1000.0, 1.0], [3000, 3000, 5])
    frame = pl.DataFrame({"x": rng.standard_normal(6005) * size, "g": np.repeat(["a", "b", "c"], [3000, 3000, 5])})
    noise = treated(Noise("x", scale=0.1, within="g"), frame)["x"].to_numpy() - frame["x"].to_numpy()
    assert noise[:3000].std() == pytest.approx(0.1, rel=0.1)
    assert noise[3000:6000].std() == pytest.approx(100, rel=0.1)
    assert noise[6000:].std() > 10  # of the whole column: five rows would tell their deviation


def test_whole_numbers_stay_whole_and_within_limits() -> None:
    ages = np.random.default_rng(2).integers(0, 100, MANY)
    frame = pl.DataFrame({"age": ages})
    done = run(Noise("age", scale=0.2, low=0, high=110), frame)
    found = done.cells["age"].cells
    assert found.dtype == pl.Int64
    assert 0 <= found.min() <= found.max() <= 110
    assert "thrown back" in done.trace[0]
    assert treated(Noise("age", scale=0.2, whole=False), frame)["age"].dtype == pl.Float64
    between = treated(Noise("age", quantiles=(0.1, 0.9)), frame)["age"]
    assert np.quantile(ages, 0.1) <= between.min() <= between.max() <= np.quantile(ages, 0.9)


def test_rounding_at_random_keeps_the_mean() -> None:
    found = rounded(np.full((MANY, 1), 2.3), np.random.default_rng(1))
    assert set(found[:, 0]) == {2.0, 3.0}
    assert found.mean() == pytest.approx(2.3, abs=4 * np.sqrt(0.21 / MANY))


@given(st.lists(st.floats(-1e6, 1e6), min_size=1), st.floats(-100, 0), st.floats(0.5, 100))
def test_nothing_passes_a_limit(values: list[float], low: float, high: float) -> None:
    given_values = np.array(values)[:, None]
    found, count = reflected(given_values, np.array([low]), np.array([high]))
    assert ((low <= found) & (found <= high)).all()
    inside = (low <= given_values) & (given_values <= high)
    assert (found == given_values)[inside].all()
    assert count == (~inside).sum()


def test_noise_is_more_than_a_line() -> None:
    """A peer's restricted noise maps values linearly, with nothing drawn: all would be known from two rows."""
    frame = pl.DataFrame(sample(500), schema=["a", "b", "c"])
    for kind in ("additive", "correlated", "multiplicative", "orthogonal"):
        found = treated(Noise(("a", "b"), kind=kind), frame)["a"].to_numpy()
        slope = np.diff(found[frame["a"].arg_sort()]) / np.diff(frame["a"].sort())
        assert slope.std() > 0.1


def test_a_release_has_noise_that_only_the_table_gives() -> None:
    frame = pl.DataFrame(sample(300), schema=["a", "b", "c"])
    release = released(Noise(("a", "b"), kind="correlated"), frame, order="source")
    assert release.frame.equals(released(Noise(("a", "b"), kind="correlated"), frame, order="source").frame)
    assert release.frame["c"].equals(frame["c"])
    assert not np.isclose(release.frame["a"].to_numpy(), frame["a"].to_numpy()).any()
    assert "correlated noise of 0.1 deviations on 'a', 'b'" in release.trace[0]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"scale": 0}, "scale must be above 0"),
        ({"scale": 25}, r"Write 10 % as 0\.1"),
        ({"scale": float("nan")}, "scale must be above 0"),
        ({"kind": "orthogonal", "low": 0}, "limits or whole numbers would move them"),
        ({"kind": "orthogonal", "rescale": True}, "rescale is for additive and correlated"),
        ({"kind": "correlated", "outliers": True}, "outliers is for additive"),
        ({"low": 3, "high": 2}, "the first below the second"),
        ({"low": 3, "quantiles": (0.1, 0.9)}, "in place of low and high"),
        ({"quantiles": (0.9, 0.1)}, "two shares"),
        ({"within": "x"}, "named in within and is treated itself"),
        ({"kind": "fuzzy"}, "kind must be 'additive' or"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, Any], told: str) -> None:
    with pytest.raises(PlanError, match=told):
        Noise("x", **options)


@pytest.mark.parametrize(
    ("noise", "told"),
    [
        (Noise("word"), "column 'word' is nominal, and noise needs numbers or dates"),
        (Noise("same"), "fewer than two different values"),
        (Noise("day", low=3), "holds dates, and a number as limit"),
        (Noise("day", kind="multiplicative"), "holds dates, and a factor"),
        (Noise("x", low=2), "values beyond low or high already"),
        (Noise("huge"), "infinite numbers"),
    ],
)
def test_what_does_not_fit_the_table_is_refused(noise: Noise, told: str) -> None:
    day = pl.Series([1, 2, 3], dtype=pl.Int32).cast(pl.Date)
    frame = pl.DataFrame({"x": [1.5, 2.5, 3.5], "word": ["a", "b", "c"], "same": [1, 1, 1], "day": day})
    with pytest.raises(PlanError, match=told):
        run(noise, frame.with_columns(huge=pl.Series([1.0, 2.0, float("inf")])))


def test_too_few_rows_to_turn_are_refused() -> None:
    frame = pl.DataFrame({"x": [1.5, 2.5, 3.5]})
    with pytest.raises(InfeasibleError, match=r"fewer than 4.*kind='correlated'"):
        run(Noise("x", kind="orthogonal"), frame)
