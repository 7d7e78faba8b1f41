"""Reading released cells back, numbers that the original lacks among them."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent.errors import TableError
from paravent.hierarchy.cells import read_interval
from paravent.methods.method import Axis
from paravent.table.kinds import Kind
from paravent.utility.reading import Reading

from .conftest import axis_of

AGE = axis_of("age", ["20", "25", "30", "40"], numeric=True)


def read(*labels: str | float | None, axis: Axis = AGE) -> Reading:
    return Reading.of(axis, pl.DataFrame({axis.name: list(labels)}, strict=False))


def test_a_number_that_the_column_lacks_stands_for_the_nearest() -> None:
    reading = read("27.5", "27.4", "99", "25")
    assert [reading.covers[code] for code in reading.codes] == [range(1, 2), range(1, 2), range(3, 4), range(1, 2)]
    assert reading.moved[reading.codes].tolist() == [True, True, True, False]
    assert reading.only[reading.codes].tolist() == [-1, -1, -1, 1]
    assert reading.expected is not None
    assert reading.expected[reading.codes].tolist() == [27.5, 27.4, 99, 25]  # statistics take it as it is written


def test_the_same_number_written_otherwise_is_the_same() -> None:
    reading = read(25.0, 30.5)
    assert reading.moved[reading.codes].tolist() == [False, True]
    assert reading.only[reading.codes].tolist() == [1, -1]


@pytest.mark.parametrize(
    ("label", "ranks", "bounds"),
    [
        ("[20, 30[", [0, 1], (20, 29)),
        ("[20, 30)", [0, 1], (20, 29)),
        ("]20, 30]", [1, 2], (21, 30)),
        ("22-35", [1, 2], (22, 35)),
        ("22 .. 35", [1, 2], (22, 35)),
        ("[0, 100]", [0, 1, 2, 3], (20, 40)),
        ("< 25", [0], (20, 24)),
        (">= 30", [2, 3], (30, 40)),
        ("[31, 36]", [2], (31, 36)),  # holds no value: the one next to its middle stands for it
    ],
)
def test_intervals_as_other_tools_write_them(label: str, ranks: list[int], bounds: tuple[float, float]) -> None:
    reading = read(label)
    assert list(reading.covers[0]) == ranks
    assert reading.bounds is not None
    assert (reading.bounds[0][0], reading.bounds[1][0]) == bounds


def test_what_cannot_be_read_is_refused() -> None:
    for label in ("young", "[30, 20]", "[a, b["):
        with pytest.raises(TableError, match="column 'age': cell"):
            read(label)
    with pytest.raises(TableError, match="column 'job'"):
        read("17", axis=axis_of("job", ["a", "b"]))


def test_dates_between_the_known_ones() -> None:
    axis = Axis("day", Kind.DATE, np.array([0, 1], np.int32), ("2020-01-01", "2020-01-11"), None, np.array([0.0, 10.0]))
    axis = Axis("day", Kind.DATE, axis.codes, axis.values, None, np.array([18262.0, 18272.0]))
    reading = read("2020-01-03", axis=axis)
    assert reading.moved.tolist() == [True]
    assert reading.expected is not None
    assert reading.expected.tolist() == [18264.0]


def test_sums_and_membership_over_sets_ranges_and_stars() -> None:
    reading = read("{20, 40}", "[25, 30]", "*", "30", "27")
    order = reading.codes
    assert reading.total(np.array([1, 10, 100, 1000]))[order].tolist() == [1001, 110, 1111, 100, 10]
    asked = [reading.hold(order, np.full(5, rank)).tolist() for rank in (0, 1)]
    assert asked == [[True, False, True, False, False], [False, True, True, False, False]]
    assert reading.spread(np.ones(5, bool)).tolist() == pytest.approx([0.75, 0.5 + 0.25 + 1, 1.75, 0.75])


def test_a_tree_group_that_looks_like_a_number_is_a_group() -> None:
    axis = axis_of("n", ["10", "11", "20"], numeric=True, paths=[["10", "1", "*"], ["11", "1", "*"], ["20", "2", "*"]])
    assert list(read("1", axis=axis).covers[0]) == [0, 1]


@pytest.mark.parametrize("text", ["", "[1, 2", "1, 2", "a-b", "[2, 1]", "--"])
def test_no_interval(text: str) -> None:
    assert read_interval(text) is None


def test_a_missing_number_that_is_released_as_missing_has_lost_nothing() -> None:
    frame = pl.DataFrame({"age": [30, None, 50], "town": ["a", "a", "b"]})
    plan = pv.Plan(
        {"age": pv.Quasi(missing="own value"), "town": pv.Quasi()}, [pv.KAnonymity(1)], pv.methods.AsIs(), person=None
    )
    assert pv.anonymize(frame, plan).measure()["utility.gcp"] == 0


def test_a_label_stands_for_the_mean_of_what_it_covers() -> None:
    reading = read("[20, 30]", "{20, 40}", "*")
    assert reading.expected is not None
    assert reading.expected[reading.codes[:2]].tolist() == [25, 30]
    assert np.isnan(reading.expected[reading.codes[2]])
