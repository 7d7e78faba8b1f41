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
from paravent.privacy.risk.suda import _dis, suda

KEYS = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]


@pytest.fixture(scope="module")
def golden(reference: Callable[..., pl.DataFrame]) -> pl.DataFrame:
    return reference("golden/golden_sdc_testdata_suda2.csv")


def rows_like(frame: pl.DataFrame, row: int, columns: tuple[str, ...]) -> int:
    """How many rows share the values of one in some columns."""
    return frame.filter(pl.all_horizontal([pl.col(name).eq_missing(frame[name][row]) for name in columns])).height


def test_scores_agree_with_another_tool_wherever_it_misses_no_set(survey: pl.DataFrame, golden: pl.DataFrame) -> None:
    """It overlooks sets: 56 rows that differ from all others in the seven columns get a score of 0 from it, although
    whoever is alone in all columns is alone in some smallest set of them. Each set that we find is counted here."""
    found, theirs = suda(survey, KEYS, fraction=0.01), golden["score"].to_numpy()
    differ = np.flatnonzero(found.score != theirs)
    assert len(differ) == 66
    assert (found.score[theirs > 0] > 0).all()
    assert ((theirs == 0) & (found.score > 0)).sum() == 56
    for row in differ.tolist():
        sets = found.sets_of(row)
        for columns in sets:
            assert rows_like(survey, row, columns) == 1
            for smaller in combinations(columns, len(columns) - 1):
                assert not smaller or rows_like(survey, row, smaller) > 1
        points = [factorial(7 - len(columns)) for columns in sets]
        assert found.score[row] == sum(points)
        parts = {sum(chosen) for size in range(len(points)) for chosen in combinations(points, size)}
        assert theirs[row] in parts  # some of our sets, and not all
    every_unique = survey.select(pl.len().over(KEYS).alias("n"))["n"].to_numpy() == 1
    np.testing.assert_array_equal(found.score > 0, every_unique)


def test_dis_scores_are_theirs_given_their_scores(survey: pl.DataFrame, golden: pl.DataFrame) -> None:
    weight = survey.group_by(KEYS).len()["len"].to_numpy()
    dis, overall = _dis(golden["score"].to_numpy().astype(float), weight, len(KEYS), 0.01)
    np.testing.assert_allclose(dis, golden["dis"].to_numpy(), atol=1e-6)
    assert overall == pytest.approx(157 * 0.01 / (157 * 0.01 + 124 * 0.99))


def test_contributions_of_the_columns(survey: pl.DataFrame) -> None:
    found = suda(survey, KEYS)
    sizes = np.bitwise_count(found.mask)
    points = np.array([factorial(7 - int(size)) for size in sizes], dtype=float)
    for j, name in enumerate(KEYS):
        share = points[(found.mask >> np.uint64(j) & np.uint64(1)) == 1].sum() / points.sum()
        assert found.column_contributions[name] == pytest.approx(share)
    assert max(found.column_contributions, key=found.column_contributions.__getitem__) == "relat"  # as theirs say


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
