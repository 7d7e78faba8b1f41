"""Statistics of a release against NumPy, and what happens where there is nothing to compute."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent.utility.measure import measure
from paravent.utility.subject import Subject

from .conftest import axis_of


def subject_of(
    before: dict[str, list[float]], after: dict[str, list[object]], kept: list[int] | None = None
) -> Subject:
    axes = tuple(axis_of(name, [repr(v) for v in values], numeric=True) for name, values in before.items())
    released = pl.DataFrame({name: [None if v is None else str(v) for v in values] for name, values in after.items()})
    rows = np.arange(released.height) if kept is None else np.array(kept)
    return Subject(axes, released, rows)


def by_hand(x: np.ndarray, y: np.ndarray) -> dict[str, float]:
    pair = np.triu_indices(x.shape[1], 1)
    c, d = np.cov(x.T, bias=True), np.cov(y.T, bias=True)
    r, s = np.corrcoef(x.T), np.corrcoef(y.T)
    return {
        "data": float(np.mean(np.abs(x - y) / np.abs(x))),
        "means": float(np.mean(np.abs(x.mean(0) - y.mean(0)) / np.abs(x.mean(0)))),
        "variances": float(np.mean(np.abs(np.diag(c) - np.diag(d)) / np.diag(c))),
        "covariances": float(np.mean(np.abs(c[pair] - d[pair]) / np.abs(c[pair]))),
        "correlations": float(np.mean(np.abs(r[pair] - s[pair]))),
    }


def test_the_five_components_of_perturbed_numbers() -> None:
    rng = np.random.default_rng(7)
    x = rng.normal(100, 15, (200, 3)) @ np.array([[1, 0.4, 0.1], [0, 1, 0.3], [0, 0, 1]])
    y = x + rng.normal(0, 5, x.shape)
    names = ["a", "b", "c"]
    found = measure(
        subject_of(
            {n: x[:, j].tolist() for j, n in enumerate(names)}, {n: y[:, j].tolist() for j, n in enumerate(names)}
        )
    )
    expected = by_hand(x, y)
    for name, value in expected.items():
        assert found[f"utility.il.{name}"] == pytest.approx(100 * value), name
    assert found["utility.il"] == pytest.approx(100 * np.mean(list(expected.values())))
    assert found["utility.il1s"] == pytest.approx(np.mean(np.abs(x - y) / (np.sqrt(2) * x.std(0))))
    z, w = (x - x.mean(0)) / x.std(0), (y - x.mean(0)) / x.std(0)
    assert found["utility.sse"] == pytest.approx(100 * ((z - w) ** 2).sum() / (z**2).sum())
    old, new = (np.linalg.eigvalsh(np.cov(m.T, bias=True)) for m in (z, w))
    assert found["utility.eigenvalues"] == pytest.approx(np.abs(old - new).sum() / old.sum())


def test_intervals_count_as_the_mean_of_what_they_cover() -> None:
    found = measure(subject_of({"a": [1.0, 2.0, 6.0, 7.0]}, {"a": ["[1.0, 2.0]", "[1.0, 2.0]", "6.0", "7.0"]}))
    assert found["utility.il.means"] == pytest.approx(0)
    assert found["utility.sse"] == pytest.approx(100 * 0.5 / 26)
    assert "utility.il.covariances" not in found  # it takes two columns


def test_suppressed_cells_are_left_out_of_means_and_taken_as_the_mean_beside_their_original() -> None:
    found = measure(subject_of({"a": [1.0, 2.0, 9.0]}, {"a": ["1.0", "2.0", "*"]}))
    assert found["utility.il.means"] == pytest.approx(100 * (4 - 1.5) / 4)
    assert found["utility.sse"] == pytest.approx(100 * 25 / 38)
    dropped = measure(subject_of({"a": [1.0, 2.0, 9.0]}, {"a": ["1.0", "2.0"]}, kept=[0, 1]))
    assert dropped["utility.sse"] == pytest.approx(found["utility.sse"])


def test_zero_before_counts_as_wholly_changed_when_something_is_after() -> None:
    found = measure(subject_of({"a": [0.0, 0.0, 2.0, -2.0]}, {"a": ["0.0", "1.0", "2.0", "-2.0"]}))
    assert found["utility.il.data"] == pytest.approx(100 / 4)
    assert found["utility.il.means"] == pytest.approx(100)


def test_large_numbers_with_a_small_spread() -> None:
    base = 1e9
    x = np.array([base, base + 1, base + 2, base + 3])
    found = measure(subject_of({"a": x.tolist()}, {"a": x.tolist()}))
    assert found["utility.il.variances"] == pytest.approx(0, abs=1e-9)


def test_what_does_not_apply_says_why() -> None:
    words = axis_of("job", ["a", "b"])
    found = measure(Subject((words,), pl.DataFrame({"job": ["a", "b"]}), np.arange(2)))
    assert "numbers" in found.absent["utility.il"]
    same = measure(subject_of({"a": [3.0, 3.0]}, {"a": ["3.0", "3.0"]}))
    assert "utility.sse" in same.absent
    starred = measure(subject_of({"a": [3.0, 4.0]}, {"a": ["*", "*"]}))
    assert "suppressed" in starred.absent["utility.il"]
    axes = subject_of({"a": [3.0, 4.0, 5.0]}, {"a": ["3.0"]}, kept=[0]).axes
    unmatched = measure(Subject(axes, pl.DataFrame({"a": ["3.0", "4.0"]}), None))
    assert "nobody knows" in unmatched.absent["utility.sse"]
    assert "utility.il.means" in unmatched


def test_columns_that_are_no_quasi_identifiers_take_part() -> None:
    axis = axis_of("a", ["1", "2", "3", "4"], numeric=True)
    original = pl.DataFrame({"a": [1, 2, 3, 4], "pay": [10.0, 20.0, 30.0, 45.0]})
    released = pl.DataFrame({"a": ["1", "2", "3", "4"], "pay": [10.0, 20.0, 30.0, 45.0]})
    swapped = released.with_columns(pay=pl.Series([45.0, 30.0, 20.0, 10.0]))
    assert measure(Subject((axis,), released, np.arange(4), original=original))["utility.il"] == pytest.approx(0)
    found = measure(Subject((axis,), swapped, np.arange(4), original=original))
    assert found["utility.il.means"] == pytest.approx(0)
    assert found["utility.il.correlations"] > 190


@pytest.mark.parametrize(("into", "others"), [("b", 2), ("b", 6), ("c", 2)])
def test_a_value_that_a_treatment_took_away_has_moved(into: str, others: int) -> None:
    """Where the only d is published as another value, it would have to move back."""
    recode = pv.treatments.Recode("job", mapping={"b": "b", "c": "c", "d": into})
    plan = pv.Plan({"job": pv.Quasi()}, pv.KAnonymity(1), treat=[recode])
    release = pv.anonymize(pl.DataFrame({"job": ["b", *["c"] * others, "d"]}), plan)
    assert release.measure()["utility.shift.job"] == 1 / (others + 2)


def test_dates_are_on_a_line_but_no_numbers_to_average() -> None:
    born = pl.date_range(pl.date(1990, 1, 1), pl.date(1990, 1, 8), eager=True).alias("born")
    plan = pv.Plan({"born": pv.Quasi()}, protect=[pv.KAnonymity(2)], method=pv.methods.Mondrian())
    assert not [name for name in pv.anonymize(born.to_frame(), plan).measure() if name.startswith("utility.il")]
