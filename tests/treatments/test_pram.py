"""PRAM: matrices that are what they say, values drawn by them, counts that can be had back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import paravent as pv
from paravent.errors import PlanError, TableError
from paravent.treatments import PRAM, true_counts
from paravent.treatments.pram.transitions import invariant_matrix, mixed, transition, two_stages, uniform_matrix

from .plans import released, run, treated

SEEDS = st.integers(0, 2**32 - 1)


def stochastic(rng: np.random.Generator, size: int) -> np.ndarray:
    matrix = rng.random((size, size)) * (rng.random((size, size)) < 0.7) + np.eye(size)
    return matrix / matrix.sum(axis=1, keepdims=True)


def jobs(rows: int = 60_000) -> pl.DataFrame:
    rng = np.random.default_rng(9)
    return pl.DataFrame({"job": rng.choice(list("abcd"), rows, p=[0.6, 0.3, 0.08, 0.02])})


def counts_of(cells: pl.Series) -> np.ndarray:
    found = dict(cells.value_counts().iter_rows())
    return np.array([found.get(value, 0) for value in "abcd"])


@given(SEEDS, st.integers(1, 8), st.floats(0.01, 1))
def test_invariant_matrices_keep_expected_counts_and_minima(seed: int, size: int, alpha: float) -> None:
    rng = np.random.default_rng(seed)
    counts, least = rng.integers(1, 1000, size), rng.choice([0, 0.3, 0.8, 1.0], size)
    matrix = mixed(invariant_matrix(least, counts), alpha)
    assert counts @ matrix == pytest.approx(counts)
    assert matrix.sum(axis=1) == pytest.approx(1)
    assert (matrix >= 0).all()
    assert (np.diag(matrix) >= least - 1e-12).all()  # a peer's minimum is none for rare values
    assert (matrix[least == 1] == np.eye(size)[least == 1]).all()  # nor can it leave single values alone
    assert (matrix[:, least == 1] == np.eye(size)[:, least == 1]).all()


@given(SEEDS, st.integers(1, 8))
def test_two_stages_make_any_matrix_invariant(seed: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 100, size)
    matrix = two_stages(stochastic(rng, size), counts)
    assert counts @ matrix == pytest.approx(counts)
    assert matrix.sum(axis=1) == pytest.approx(1)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=8))
def test_uniform_matrices_stay_with_the_minimum(least: list[float]) -> None:
    matrix = uniform_matrix(np.array(least))
    assert np.diag(matrix).tolist() == least
    assert matrix.sum(axis=1) == pytest.approx(1)


def test_transitions_are_as_frequent_as_the_matrix_says() -> None:
    """Each cell within four binomial deviations; what has no probability never occurs (a peer lets it)."""
    rng = np.random.default_rng(4)
    matrix = stochastic(rng, 6)
    codes = rng.integers(0, 6, 120_000)
    found = transition(codes, matrix, rng.random(len(codes)))
    for code in range(6):
        n = int((codes == code).sum())
        seen = np.bincount(found[codes == code], minlength=6)
        allowed = 4 * np.sqrt(n * matrix[code] * (1 - matrix[code]))
        assert (np.abs(seen - n * matrix[code]) <= allowed).all()
        assert (seen[matrix[code] == 0] == 0).all()
    ends = transition(np.zeros(2, dtype=np.int64), np.array([[0.3, 0.7, 0.0]] * 3), np.array([0.0, np.nextafter(1, 0)]))
    assert ends.tolist() == [0, 1]


def test_released_counts_are_the_original_ones_in_expectation() -> None:
    """Within four deviations of a matrix that moves a third of the values."""
    frame = jobs()
    before, after = counts_of(frame["job"]), counts_of(treated(PRAM("job", minimum=0.5), frame)["job"])
    matrix = invariant_matrix(np.full(4, 0.5), before)
    deviation = np.sqrt((before[:, None] * matrix * (1 - matrix)).sum(axis=0))
    assert (np.abs(after - before) < 4 * deviation).all()
    assert (treated(PRAM("job", minimum=0.5), frame)["job"] != frame["job"]).mean() > 0.2


@pytest.mark.parametrize("pram", [PRAM("job", minimum=0.6, invariant=False), PRAM("job", minimum=0.6, alpha=0.5)])
def test_true_counts_are_unbiased_and_know_their_error(pram: PRAM) -> None:
    """The mean of 200 estimates within four standard errors; their spread is the one that was told, within a fifth."""
    frame = jobs(2000)
    estimates, told = [], []
    for seed in range(200):
        found = treated(pram, frame, 1000 + seed)
        matrix = pram._table(dict(found["job"].value_counts().iter_rows()))
        counts = true_counts(found["job"], matrix)
        assert counts["value"].to_list() == list("abcd")
        assert counts["estimate"].sum() == pytest.approx(2000)
        estimates.append(counts["estimate"].to_numpy())
        told.append(counts["deviation"].to_numpy())
    truth = counts_of(frame["job"])
    spread = np.std(estimates, axis=0)
    assert np.abs(np.mean(estimates, axis=0) - truth).max() < 4 * spread.max() / np.sqrt(200)
    if pram.invariant is False:
        assert np.mean(told, axis=0) == pytest.approx(spread, rel=0.2)
        biased = counts_of(treated(pram, frame)["job"])
        assert biased[3] > 3 * truth[3]  # what a rare value looks like without correction


def test_strata_get_their_own_values_only_and_rows_stay_where_they_are() -> None:
    """A peer brings values of other strata in, and returns missing values in other rows."""
    rng = np.random.default_rng(2)
    group = rng.choice(["x", "y"], 5000)
    value = np.where(group == "x", rng.choice(list("abc"), 5000), rng.choice(list("def"), 5000))
    frame = pl.DataFrame({"g": group, "v": value}).with_columns(
        v=pl.when(pl.Series(rng.random(5000) > 0.1)).then(pl.col("v"))
    )
    found = treated(PRAM("v", minimum=0.3, within="g"), frame)
    assert set(found.filter(pl.col("g") == "x")["v"].drop_nulls()) == set("abc")
    assert set(found.filter(pl.col("g") == "y")["v"].drop_nulls()) == set("def")
    assert (found["v"].is_null() == frame["v"].is_null()).all()
    assert found["g"].equals(frame["g"])
    assert (found["v"] != frame["v"]).mean() == pytest.approx(0.7 * 2 / 3, abs=0.05)


def test_a_person_has_one_draw_for_a_value() -> None:
    persons = np.repeat(np.arange(2000), 5)
    frame = pl.DataFrame({"v": np.repeat(np.array(list("ab"))[np.arange(2000) % 2], 5)})
    found = treated(PRAM("v", minimum=0.5), frame, persons=persons)["v"].to_numpy().reshape(-1, 5)
    assert (found == found[:, :1]).all()
    assert (found[:, 0] != frame["v"].to_numpy()[::5]).mean() == pytest.approx(0.25, abs=0.04)


def test_columns_keep_their_type() -> None:
    frame = pl.DataFrame(
        {
            "whole": [1, 2, 3, None] * 50,
            "yes": [True, False, None, True] * 50,
            "level": pl.Series(["low", "high", "low", None] * 50, dtype=pl.Enum(["low", "mid", "high"])),
        }
    )
    done = run(PRAM(("whole", "yes", "level"), minimum=0.4), frame)
    for name in frame.columns:
        cells = done.cells[name].cells
        assert cells.dtype == frame[name].dtype
        assert (cells.is_null() == frame[name].is_null()).all()
        assert not cells.alias(name).equals(frame[name])
    matrix = {"low": {"mid": 1.0}, "mid": {"mid": 1.0}, "high": {"high": 1.0}}
    assert set(treated(PRAM("level", matrix=matrix), frame)["level"].drop_nulls()) == {"mid", "high"}


GIVEN = {"a": {"a": 0.7, "b": 0.3}, "b": {"a": 0.4, "b": 0.6}, "c": {"c": 1.0}, "d": {"c": 0.5, "d": 0.5}}


def test_a_given_matrix_is_taken_and_published_as_it_is() -> None:
    """Its columns need not add up to 1, as a peer's manual has it; the one that is used is the one that was given."""
    frame = jobs(5000)
    release = released(PRAM("job", matrix=GIVEN), frame, order="source")
    moves = set(zip(frame["job"], release.frame["job"], strict=True))
    assert moves == {(value, to) for value, row in GIVEN.items() for to in row}
    shown = {(start, end): chance for start, end, chance in release.tables["pram_job"].iter_rows()}
    assert shown == {(value, to): chance for value, row in GIVEN.items() for to, chance in row.items()}
    counts = true_counts(release.frame["job"], release.tables["pram_job"])
    error = (counts["estimate"].to_numpy() - counts_of(frame["job"])) / np.maximum(counts["deviation"].to_numpy(), 1)
    assert np.abs(error).max() < 4


def test_the_published_matrix_is_made_of_what_is_published() -> None:
    """Frequencies of the original, and values of suppressed rows, do not come out with it."""
    frame = jobs(400).with_columns(
        sex=pl.Series(["f", "m"] * 200), job=pl.when(pl.int_range(400) == 7).then(pl.lit("astronaut")).otherwise("job")
    )
    frame = frame.with_columns(sex=pl.when(pl.int_range(400) == 7).then(pl.lit("x")).otherwise("sex"))
    roles = {"sex": pv.Quasi(pv.flat()), "job": pv.Insensitive()}
    pram = PRAM("job", minimum={"a": 0.5, "b": 0.5})
    plan = pv.Plan(roles, pv.KAnonymity(5), pv.methods.AsIs(), treat=[pram], suppression=0.01, person=None)
    release = pv.anonymize(frame, plan)
    assert release.frame.height == 399
    table = release.tables["pram_job"]
    assert sorted(table["from"].unique()) == list("abcd")
    counts = counts_of(release.frame["job"])
    expected = invariant_matrix(np.array([0.5, 0.5, 1, 1]), counts)
    assert table["probability"].to_numpy() == pytest.approx(expected[expected > 0])
    assert true_counts(release.frame["job"], table)["estimate"].to_numpy() == pytest.approx(counts)


def test_nothing_is_published_about_what_is_generalized_or_grouped() -> None:
    frame = jobs(300).with_columns(g=pl.Series(["x", "y", "z"] * 100))
    assert list(released(PRAM("job", within="g"), frame).tables) == ["release"]
    roles = {"job": pv.Quasi(), "g": pv.Insensitive()}
    plan = pv.Plan(roles, pv.KAnonymity(5), treat=[PRAM("job")], person=None)
    assert list(pv.anonymize(frame, plan).tables) == ["release"]


def test_the_trace_tells_the_minimum_of_the_plan_and_not_of_the_data() -> None:
    """The least probability of an invariant matrix is 1 − θ + θ·t, and t the share of the rarest value."""
    done = run(PRAM("job", minimum=0.5, alpha=0.4), jobs(500))
    assert done.trace[0].endswith("have another value; each stays with probability 0.8 or more.")
    assert list(done.figures) == ["changed.job"]


def test_a_release_repeats_its_bytes_and_its_plan(tmp_path: Path) -> None:
    frame = jobs(500)
    for pram in (PRAM("job"), PRAM("job", minimum={"a": 0.5}, alpha=0.5), PRAM("job", matrix=GIVEN, invariant=True)):
        release = released(pram, frame)
        assert release.frame.equals(released(pram, frame).frame)
        assert not release.frame.equals(released(pram, frame, seed=1).frame)
        release.plan.save(tmp_path / "plan.toml")
        assert pv.Plan.load(tmp_path / "plan.toml") == release.plan
        assert eval(f"pv.treatments.{pram!r}", {"pv": pv}) == pram
        assert "have another value" in release.trace[0]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"minimum": 80}, "minimum must lie between 0 and 1"),
        ({"minimum": {"a": -0.1}}, "minimum must lie between 0 and 1"),
        ({"alpha": 0}, "alpha must be above 0"),
        ({"matrix": {"a": {"a": 0.9}}}, "probabilities of 'a' in the matrix must .* add up to 1, not to 0.9"),
        ({"matrix": {"a": {"a": 1.2, "b": -0.2}, "b": {"b": 1}}}, "must lie between 0 and 1"),
        ({"matrix": {"a": {"a": 0.5, "b": 0.5}}}, "no row for 'b', which 'a' may become"),
        ({"matrix": GIVEN, "minimum": 0.5}, "in place of minimum"),
        ({"invariant": False, "within": "g"}, "needs a matrix"),
        ({"within": "job"}, "named in within and is treated itself"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, Any], told: str) -> None:
    with pytest.raises(PlanError, match=told):
        PRAM("job", **options)


@pytest.mark.parametrize(
    ("pram", "told"),
    [
        (PRAM("pay"), "column 'pay' is float, and PRAM is for categories"),
        (PRAM("id"), "column 'id' has 1200 different values"),
        (PRAM("job", matrix={"a": {"a": 1.0}}), "no row for the value 'b' of column 'job'"),
        (PRAM("size", matrix={"1": {"x": 1.0}, "x": {"x": 1.0}}), "'x' in the matrix is none"),
        (PRAM("job", minimum={"z": 0.5}), "has no value 'z', which minimum names"),
        (
            PRAM("job", matrix={"a": {"a": 0.5, "b": 0.5}, "b": {"b": 1.0}}, within="g"),
            "brings the value 'b' into a group of within where no row has it",
        ),
    ],
)
def test_what_does_not_fit_the_table_is_refused(pram: PRAM, told: str) -> None:
    frame = pl.DataFrame(
        {
            "pay": np.linspace(0, 1, 1200),
            "id": [f"p{i}" for i in range(1200)],
            "job": ["a", "b"] * 600,
            "g": ["x", "y"] * 600,
            "size": [1] * 1200,
        }
    )
    with pytest.raises(PlanError, match=told):
        run(pram, frame)


def test_counts_that_cannot_be_told_are_refused() -> None:
    same = pl.DataFrame({"from": ["a", "a", "b", "b"], "to": ["a", "b"] * 2, "probability": [0.5] * 4})
    with pytest.raises(PlanError, match="publishes different values alike"):
        true_counts(pl.Series(["a", "b"]), same)
    with pytest.raises(TableError, match="no row for the released value 'c'"):
        true_counts(pl.Series(["c"]), same)
    with pytest.raises(TableError, match="do not add up to 1"):
        true_counts(pl.Series(["a"]), pl.concat([same, same]))
    with pytest.raises(TableError, match="no column 'probability'"):
        true_counts(pl.Series(["a"]), same.drop("probability"))
