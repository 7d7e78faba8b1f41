"""What a table is like, counted by hand."""

from __future__ import annotations

import math

import polars as pl
import pytest

import paravent as pv
from paravent.knowledge.cube.tables import SHAPES, Sub, made_up

TABLE_24 = pl.DataFrame(
    {
        "sex": list("MFMMMFFFFMMM"),
        "zip": [
            "13050",
            "13051",
            "13050",
            "13050",
            "13051",
            "13050",
            "13061",
            "13061",
            "13060",
            "13061",
            "13060",
            "13061",
        ],
        "education": [
            "5e",
            "3e",
            "Seconde",
            "Seconde",
            "C12",
            "C12",
            "C12",
            "Master",
            "Master",
            "Doctorat",
            "Doctorat",
            "Doctorat",
        ],
        "salary": [1200, 1300, 1200, 1300, 1500, 1500, 1600, 2000, 2100, 3000, 4000, 4500],
    }
)
"""Ben Fredj 2017, table 24: ten different rows, eight of them alone."""
QUASI = ["sex", "zip", "education"]


def test_table_24() -> None:
    found = pv.knowledge.describe(TABLE_24, QUASI)
    assert (found.rows, found.columns, found.tuples) == (12, 3, 10)
    assert found.density == pytest.approx(2 / 12)
    assert found.uniqueness == pytest.approx(8 / 12)
    assert found.joint == pytest.approx(8 / 12 * math.log2(12) + 4 / 12 * math.log2(6))
    sex = -(7 / 12 * math.log2(7 / 12) + 5 / 12 * math.log2(5 / 12))
    zip_code = 2 * (4 / 12) * math.log2(3) + 2 * (2 / 12) * math.log2(6)
    education = 2 / 12 * math.log2(12) + 2 * (2 / 12) * math.log2(6) + 2 * (3 / 12) * math.log2(4)
    assert found.bits == pytest.approx(sex + zip_code + education)
    assert found.entropy == pytest.approx((sex + zip_code / 2 + education / math.log2(6)) / 3)
    assert found.values == pytest.approx((2 * 4 * 6) ** (1 / 3))
    assert found.most_values == 6
    assert found.skew == pytest.approx(((7 / 12 - 1 / 2) * 2 + (4 / 12 - 1 / 4) * 4 / 3 + (3 / 12 - 1 / 6) * 6 / 5) / 3)
    assert found.depth == 1.0
    assert found.ordered == 0.0
    assert (found.classes, found.class_entropy, found.majority) == (0, 0.0, 0.0)


def test_a_plan_names_columns_trees_and_the_sensitive_column() -> None:
    people = pl.DataFrame({"age": [20, 21, 26, 31], "sex": ["f", "m", "f", "m"], "ill": ["yes", "no", "no", "no"]})
    plan = pv.Plan({"age": pv.Quasi(pv.intervals(5, 10)), "sex": pv.Quasi(), "ill": pv.Sensitive()}, [])
    found = pv.knowledge.describe(people, plan)
    assert found.depth == (3 + 1) / 2  # fives, tens and the root; a column without a tree has the root alone
    assert found.ordered == 0.5
    assert found.classes == 2
    assert found.class_entropy == pytest.approx(0.25 * 2 + 0.75 * math.log2(4 / 3))
    assert found.majority == 0.75


def test_columns_that_tell_one_another_are_correlated() -> None:
    twice = pl.DataFrame({"a": ["x", "y"] * 100, "b": ["u", "v"] * 100, "c": ["p", "p", "q", "q"] * 50})
    assert pv.knowledge.describe(twice, ["a", "b"]).correlation == pytest.approx(1.0)
    assert pv.knowledge.describe(twice, ["a", "c"]).correlation == 0.0
    assert pv.knowledge.describe(twice, ["a", "b", "c"]).correlation == pytest.approx(1 / 3)


def test_numbers_that_rise_together_are_correlated_though_none_comes_twice() -> None:
    rising = pl.DataFrame({"a": range(50), "b": [x**3 for x in range(50)]})
    assert pv.knowledge.describe(rising, ["a", "b"]).correlation == pytest.approx(1.0)


def test_a_missing_cell_is_a_value() -> None:
    holes = pl.DataFrame({"a": ["x", None, "x", None], "b": [1, 1, None, 1]})
    found = pv.knowledge.describe(holes, ["a", "b"])
    assert (found.tuples, found.most_values) == (3, 2)
    assert found.entropy == pytest.approx((1 + (0.25 * 2 + 0.75 * math.log2(4 / 3))) / 2)


def test_a_column_with_one_value_says_nothing() -> None:
    same = pl.DataFrame({"a": ["x"] * 5, "b": list("uvuvw")})
    found = pv.knowledge.describe(same, ["a", "b"])
    assert found.correlation == 0.0
    assert found.skew == pytest.approx((1 + (2 / 5 - 1 / 3) * 3 / 2) / 2)


@pytest.mark.parametrize(
    ("shape", "rows", "columns"),
    [("uniform", 5000, 6), ("dense", 5000, 3), ("correlated", 5000, 6), ("skewed", 2000, 6), ("sparse", 2000, 4)],
)
def test_made_up_tables_are_what_they_are_called(shape: str, rows: int, columns: int) -> None:
    made = made_up(next(each for each in SHAPES if each == shape), rows, columns, seed=1)
    assert pv.knowledge.describe(made.frame, list(made.trees)).shape == shape


def test_what_is_not_there_gets_a_sentence() -> None:
    with pytest.raises(pv.PlanError, match=r"no column 'zpi'.*'zip'"):
        pv.knowledge.describe(TABLE_24, ["zpi"])
    with pytest.raises(pv.PlanError, match="no quasi-identifier"):
        pv.knowledge.describe(TABLE_24, [])
    with pytest.raises(pv.TableError, match="no rows"):
        pv.knowledge.describe(TABLE_24.clear(), QUASI)


def test_descriptors_come_back_from_a_dictionary() -> None:
    found = pv.knowledge.describe(TABLE_24, QUASI)
    assert pv.knowledge.Descriptors.from_dict({**found.to_dict(), "other": 1}) == found


def test_the_same_table_of_the_grid_is_drawn_each_time() -> None:
    sub = Sub("skewed", 500, 4, 1)
    first, second = (sub.take(made_up("skewed", 500, 4, 1))[0].frame for _ in range(2))
    assert first.equals(second)
