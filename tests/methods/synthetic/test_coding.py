"""What the plan says that a column can hold, as cells to count."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import paravent as pv
from paravent.methods.synthetic.coding import Grid, Listed, coding_of
from paravent.private.domains import Categories
from paravent.table.cells import parse_columns


@pytest.mark.parametrize(
    ("told", "step", "points"),
    [
        ({"from": 0, "to": 99}, Fraction(1), 100),
        ({"from": 0, "to": 10**9}, None, None),
        ({"from": -5, "to": 10**7 + 3}, None, None),
        ({"from": 0, "to": 1, "step": 0.25}, Fraction(1, 4), 5),
        ({"from": 0.5, "to": 2.5, "step": 0.5}, Fraction(1, 2), 5),
    ],
)
def test_a_grid_reaches_from_end_to_end(told: dict[str, Any], step: Fraction | None, points: int | None) -> None:
    grid = coding_of("pay", told, 8)
    assert isinstance(grid, Grid)
    low, high = Fraction(str(told["from"])), Fraction(str(told["to"]))
    if step is not None:
        assert (grid.step, grid.points) == (step, points)
    assert grid.low == low
    assert grid.step.denominator == 1 or step is not None  # whole numbers stay whole
    assert low + grid.step * grid.points > high >= low + grid.step * (grid.points - 1)


def test_values_are_counted_in_their_cells_and_others_in_the_last() -> None:
    grid = coding_of("age", {"from": 0, "to": 99, "cuts": [18, 65]}, 8)
    cells = pl.Series([0, 17, 18, 64, 65, 99, 100, -1, None])
    assert grid.codes(cells).tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 3]
    back = grid.values(np.array([0] * 200 + [1] * 200 + [3]), pl.Int64(), np.random.default_rng(1))
    assert back[:200].is_between(0, 17).all()
    assert back[200:400].is_between(18, 64).all()
    assert {back[:200].min(), back[:200].max()} == {0, 17}
    assert back[400] is None


@pytest.mark.parametrize(("high", "step"), [(99, 1), (4095, 1), (4096, 2), (8191, 2), (8192, 3)])
def test_many_whole_numbers_are_coded_by_as_few_steps_as_needed(high: int, step: int) -> None:
    """At most 4096 points, a whole number apart."""
    coding = coding_of("pay", {"from": 0, "to": high}, 32)
    assert isinstance(coding, Grid)
    assert coding.step == step


SPELLED = ["1", "2", "10"], ["1.0", "2.0", "10.0"], ["01", "02", "10"], ["1", "2.00", "1e1"]


@pytest.mark.parametrize("listed", SPELLED, ids=str)
@pytest.mark.parametrize("dtype", [pl.Int64, pl.UInt8, pl.Float64, pl.Float32, pl.Decimal(10, 2)], ids=str)
def test_numbers_are_matched_by_value_however_they_are_spelled(listed: list[str], dtype: Any) -> None:
    cells = pl.Series([1, 2, 10, 3, None]).cast(dtype)
    assert Listed("code", tuple(listed)).codes(cells).tolist() == [0, 1, 2, 3, 3]
    assert Categories(tuple(listed)).codes(cells).tolist() == [0, 1, 2, 3, 4]


def test_texts_are_matched_by_their_letters() -> None:
    """Two postcodes are not one because they are the same number; a number may be written as a float is."""
    cells = pl.Series(["01000", "1000", "1000.0", "x", None])
    assert Listed("zip", ("01000", "1000")).codes(cells).tolist() == [0, 1, 1, 2, 2]
    assert Listed("zip", ("1000",)).codes(cells).tolist() == [1, 0, 0, 1, 1]
    assert Listed("zip", ("01000",)).codes(cells).tolist() == [0, 0, 0, 1, 1]  # as in a column of numbers
    assert Listed("version", ("1", "1.0")).codes(pl.Series(["1", "1.0"])).tolist() == [0, 0]


def test_a_number_that_two_values_could_be_is_the_one_that_is_spelled_plainly_or_none() -> None:
    assert Listed("code", ("01", "1")).codes(pl.Series([1.0, 1.5])).tolist() == [1, 2]
    assert Listed("code", ("01", "001")).codes(pl.Series([1])).tolist() == [2]


def test_one_cell_does_not_move_the_others() -> None:
    """A half turns the whole column into floats, and nobody else's cell may change by that."""
    listed = Listed("code", ("01", "2", "3"))
    for cells in ([1, 2, 3], [1.0, 2.0, 3.0, 2.5]):
        assert listed.codes(pl.Series(cells))[:3].tolist() == [0, 1, 2]


NUMBERS = st.one_of(
    st.sampled_from(["1", "1.0", "1.50", "1.5", "01", "+1", "-0", "0", "007", "1e3", "1000", "9007199254740993"]),
    st.integers(-20, 20).map(str),
    st.decimals(-9, 9, places=2).map(str),
)


@given(cells=st.lists(NUMBERS, min_size=1, max_size=8), listed=st.lists(NUMBERS, min_size=1, max_size=8, unique=True))
@example(cells=["1000"], listed=["01000"])
@example(cells=["1.50", "2"], listed=["1.5", "1.50"])
@example(cells=["9007199254740993", "2.5"], listed=["9007199254740992", "9007199254740993"])
def test_one_word_in_a_file_does_not_move_the_others(cells: list[str], listed: list[str]) -> None:
    """A reader makes numbers of a column unless one cell is none; with a word more, everybody else stays where they
    were. Neighbouring tables would differ in every count otherwise."""
    for coding in (Listed("code", tuple(listed)), coding_of("code", {"from": -5, "to": 5, "step": 0.5}, 8)):
        found = []
        for more in ([], ["x"], ["2.25"], ["02"]):
            (read,) = parse_columns([pl.Series("code", [*cells, *more])])
            found.append(coding.codes(read.values)[: len(cells)].tolist())
        assert found == found[:1] * 4


@pytest.mark.parametrize(
    ("listed", "dtype"),
    [
        (("1", "2", "-3"), pl.Int64),
        (("1", "2.0"), pl.Int64),
        (("1", "2.5"), pl.Float64),
        (("01", "02", "10"), pl.String),
        (("1", "x"), pl.String),
        (("true", "false"), pl.Boolean),
        (("2001-12-31", "2002-01-01"), pl.Date),
        (("2001-1-1",), pl.String),
        (("99999999999999999999",), pl.String),
    ],
)
def test_the_plan_tells_the_type_of_a_column(listed: tuple[str, ...], dtype: Any) -> None:
    coding = Listed("code", listed)
    assert coding.dtype == dtype
    back = coding.values(np.arange(len(listed) + 1), coding.dtype, np.random.default_rng(0))
    assert back.dtype == dtype
    assert coding.codes(back).tolist() == [*range(len(listed)), len(listed)]


@pytest.mark.parametrize(
    ("listed", "ordered"),
    [
        (("17", "18", "40"), True),
        (("-1.5", "0", "2"), True),
        (("3", "1", "2"), False),
        (("01", "02"), False),
        (("low", "high"), False),
        (("1", "2", "x"), False),
    ],
)
def test_numbers_in_their_order_have_neighbours(listed: tuple[str, ...], *, ordered: bool) -> None:
    assert Listed("code", listed).ordered is ordered
    assert coding_of("age", {"from": 0, "to": 99}, 8).ordered


def test_grids_are_whole_where_their_bounds_and_steps_are() -> None:
    assert coding_of("age", {"from": 0, "to": 99}, 8).dtype == pl.Int64
    assert coding_of("age", {"from": 0, "to": 1, "step": 0.5}, 8).dtype == pl.Float64


@pytest.mark.parametrize("dtype", [pl.Int32, pl.Float64, pl.String], ids=str)
def test_values_are_written_back_in_the_type_of_their_column(dtype: Any) -> None:
    back = Listed("code", ("01", "2.0")).values(np.array([0, 1, 2]), dtype(), np.random.default_rng(0))
    assert back.dtype == dtype
    assert back.to_list() == (["01", "2.0", None] if dtype == pl.String else [1, 2, None])


def test_constraints_name_numbers_by_value_too() -> None:
    assert Listed("code", ("01", "02")).cells_of([1, 2.0]).tolist() == [True, True, False]
    with pytest.raises(pv.PlanError, match="has no value 3"):
        Listed("code", ("01", "02")).cells_of(3)


def test_a_tree_file_with_other_spellings_synthesizes_all_rows(tmp_path: Path) -> None:
    (tmp_path / "code.csv").write_text("01,low\n02,low\n10,high\n", encoding="utf-8")
    table = pl.DataFrame({"code": [1.0, 2.0, 10.0, 99.0] * 500, "ill": ["yes", "no"] * 1000})
    method = pv.methods.MST(domains={"code": str(tmp_path / "code.csv"), "ill": ["no", "yes"]})
    plan = pv.Plan({}, [pv.DifferentialPrivacy(epsilon=5)], method, person=None)
    release = pv.anonymize(table, plan)
    found = release.frame["code"]
    assert set(found) == {"01", "02", "10", None}  # as the plan spells them, whatever the table holds
    assert release.measure()["utility.marginals.1.mean"] < 0.3  # compared by value: 99 alone is amiss
    assert found.null_count() == pytest.approx(len(found) / 4, rel=0.1)  # 99 was not foreseen
