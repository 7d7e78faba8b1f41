"""Special uniques: by definition, against another tool, and the same whatever the order of rows and columns."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from math import factorial

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paravent.errors import PlanError, TableError
from paravent.privacy.risk.suda import suda

KEYS = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]


@pytest.fixture(scope="module")
def golden(reference: Callable[..., pl.DataFrame]) -> pl.DataFrame:
    return reference("golden/golden_sdc_testdata_suda2.csv")


def rows_like(frame: pl.DataFrame, row: int, columns: tuple[str, ...]) -> int:
    """How many rows share the values of one in some columns."""
    return frame.filter(pl.all_horizontal([pl.col(name).eq_missing(frame[name][row]) for name in columns])).height


def test_scores_and_contributions_as_another_tool_finds_them(survey: pl.DataFrame, golden: pl.DataFrame) -> None:
    """Its run was told that the code 3 means missing, and leaves sets with a missing cell out."""
    coded = survey.select(pl.when(pl.col(name) == 3).then(None).otherwise(pl.col(name)).alias(name) for name in KEYS)
    found = suda(coded, KEYS, fraction=0.01, missing="unknown")
    np.testing.assert_array_equal(found.score, golden["score"].to_numpy())
    assert found.dis is not None
    np.testing.assert_allclose(found.dis, golden["dis"].to_numpy(), atol=1e-6)  # it computes with single precision
    theirs = dict(zip(KEYS, [10.24786, 33.50810, 13.10772, 47.80744, 22.02097, 92.85033, 20.92469], strict=True))
    for name, percent in theirs.items():
        assert 100 * found.column_contributions[name] == pytest.approx(percent, abs=5e-6)


def test_every_row_that_is_unique_has_a_set_that_says_so(survey: pl.DataFrame) -> None:
    found = suda(survey, KEYS, fraction=0.01)
    unique = survey.select(pl.len().over(KEYS).alias("n"))["n"].to_numpy() == 1
    np.testing.assert_array_equal(found.score > 0, unique)
    assert found.overall == pytest.approx(157 * 0.01 / (157 * 0.01 + 124 * 0.99))
    for row in np.flatnonzero(unique)[::10].tolist():
        for columns in found.sets_of(row):
            assert rows_like(survey, row, columns) == 1
            for smaller in combinations(columns, len(columns) - 1):
                assert not smaller or rows_like(survey, row, smaller) > 1
        assert found.score[row] == sum(factorial(7 - len(columns)) for columns in found.sets_of(row))


def by_definition(frame: pl.DataFrame, max_size: int) -> list[float]:
    """The score of each row: count all sets, keep the minimal ones, add up Elliot's points."""
    columns = frame.columns
    scores = []
    for row in range(frame.height):
        alone: list[set[str]] = []
        score = 0.0
        for size in range(1, max_size + 1):
            for subset in combinations(columns, size):
                if rows_like(frame, row, subset) == 1 and not any(smaller <= set(subset) for smaller in alone):
                    alone.append(set(subset))
                    product = 1
                    for i in range(size, min(max_size, len(columns) - 1) + 1):
                        product *= len(columns) - i
                    score += product
        scores.append(score)
    return scores


cells = st.sampled_from([None, "a", "b", "c"])


@settings(max_examples=25)
@given(st.lists(st.tuples(cells, cells, cells, cells), min_size=1, max_size=9), st.integers(1, 4))
def test_scores_by_definition(rows: list[tuple[str | None, ...]], max_size: int) -> None:
    frame = pl.DataFrame(rows, schema=dict.fromkeys(["q-1", "q 2", "q.3", "q4"], pl.String), orient="row")
    assert suda(frame, frame.columns, max_size=max_size).score.tolist() == by_definition(frame, max_size)


@given(st.lists(st.tuples(cells, cells, cells), min_size=1, max_size=25), st.randoms(use_true_random=False))
def test_the_order_of_rows_and_columns_does_not_matter(rows: list[tuple[str | None, ...]], random: object) -> None:
    frame = pl.DataFrame(rows, schema=dict.fromkeys("xyz", pl.String), orient="row")
    order = list(range(frame.height))
    random.shuffle(order)  # type: ignore[attr-defined]
    found, moved = suda(frame, ["x", "y", "z"], fraction=0.1), suda(frame[order], ["z", "x", "y"], fraction=0.1)
    assert moved.score.tolist() == found.score[order].tolist()
    assert found.dis is not None
    assert moved.dis is not None
    np.testing.assert_allclose(moved.dis, found.dis[order])
    np.testing.assert_allclose(moved.contribution[:, [1, 2, 0]], found.contribution[order])


def test_values_that_are_missing_can_be_unknown() -> None:
    frame = pl.DataFrame({"x": [None, "a", "a"], "y": ["u", "v", "u"]})
    assert suda(frame, ["x", "y"]).sets_of(0) == (("x",),)
    found = suda(frame, ["x", "y"], missing="unknown")
    assert found.sets_of(0) == ()
    assert found.sets_of(1) == (("y",),)
    assert found.sets_of(2) == (("x", "y"),)


def test_one_row_and_equal_rows() -> None:
    one = suda(pl.DataFrame({"x": [1], "y": [2]}), ["x", "y"], fraction=0.5)
    assert one.sets_of(0) == (("x",), ("y",))
    assert one.dis is not None
    assert one.dis.tolist() == [1]
    alike = suda(pl.DataFrame({"x": [1, 1], "y": [2, 2]}), ["x", "y"], fraction=0.5)
    assert (alike.uniques, alike.overall) == (0, 0)
    assert alike.column_contributions == {"x": 0, "y": 0}
    empty = suda(pl.DataFrame({"x": []}, schema={"x": pl.Int64}), ["x"], fraction=0.5)
    assert empty.uniques == 0
    assert {m.name for m in empty.measures()} >= {"risk.suda.uniques", "risk.suda.dis"}


def test_bad_demands() -> None:
    frame = pl.DataFrame({"x": [1, 2]})
    with pytest.raises(TableError, match="no column 'y'"):
        suda(frame, ["y"])
    with pytest.raises(PlanError, match="max_size"):
        suda(frame, ["x"], max_size=0)
    with pytest.raises(PlanError, match="sampling fraction"):
        suda(frame, ["x"], fraction=0)
    with pytest.raises(PlanError, match="between 1 and 63"):
        suda(frame, [])


def test_people_with_several_rows_are_counted_once() -> None:
    """Person 0 alone is of age 40, with both rows; two people share the age 30, whatever numbers they have."""
    frame = pl.DataFrame({"age": [30, 30, 40, 40]})
    found = suda(frame, ["age"], persons=np.array([9, 5, 0, 0]))
    assert [found.sets_of(row) for row in range(4)] == [(), (), (("age",),), (("age",),)]


def test_so_many_columns_as_it_takes() -> None:
    frame = pl.DataFrame({f"c{j}": [0, 1] for j in range(64)})
    assert suda(frame, frame.columns[:63], max_size=1).sets_of(0) == tuple((name,) for name in frame.columns[:63])
    with pytest.raises(PlanError, match="between 1 and 63"):
        suda(frame, frame.columns, max_size=1)
