"""Intervals in every way of writing hold exactly the values that their ends say, by all digits."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from paravent.hierarchy.cells import CellReader, Form, Line, ReadColumn, place_of, read_interval
from paravent.hierarchy.cells.places import as_places
from paravent.table.kinds import Kind
from paravent.table.line import to_line
from paravent.table.text import as_text

# How each way of writing takes a low and a high end, and which of them it leaves out.
BETWEEN = {
    "[{}, {}]": (False, False),
    "[{},{}]": (False, False),
    "[{}; {}]": (False, False),
    "[{} : {}]": (False, False),
    "[{}, {}[": (False, True),
    "[{}, {})": (False, True),
    "]{}, {}]": (True, False),
    "({}, {}]": (True, False),
    "]{}, {}[": (True, True),
    "({}, {})": (True, True),
    "{}~{}": (False, False),
    "{}..{}": (False, False),
    "{} .. {}": (False, False),
}
DASHES = {"{}-{}": (False, False), "{} - {}": (False, False), "{}–{}": (False, False)}
BEYOND = {"< {}": True, "<= {}": False, "≤ {}": False, "<{}": True, "> {}": True, ">= {}": False, "≥ {}": False}

whole = st.integers(-20, 20) | st.integers(2**53 - 3, 2**53 + 6) | st.integers(-(2**62), 2**62)
reals = st.sampled_from([-2.5, -1.0, 0.0, 0.1, 0.25, 0.30000000000000004, 0.3, 1e9, 1e-300]) | st.integers(-5, 5).map(
    float
)
days = st.dates(dt.date(1969, 12, 1), dt.date(1970, 2, 1))
moments = st.datetimes(dt.datetime(1999, 12, 31), dt.datetime(2000, 1, 2))
clocks = st.times()
KINDS: list[tuple[Kind, pl.DataType, st.SearchStrategy[Any]]] = [
    (Kind.INTEGER, pl.Int64(), whole),
    (Kind.FLOAT, pl.Float64(), reals),
    (Kind.DATE, pl.Date(), days),
    (Kind.DATE, pl.Datetime("us"), moments),
    (Kind.DATE, pl.Time(), clocks),
]


def reader_of(values: list[Any], kind: Kind, dtype: pl.DataType) -> CellReader:
    column = pl.Series(values, dtype=dtype)
    return CellReader(tuple(as_text(column).to_list()), positions=to_line(column, kind))


@pytest.mark.parametrize(("kind", "dtype", "cells"), KINDS)
@given(data=st.data())
def test_every_way_to_write_an_interval(
    kind: Kind, dtype: pl.DataType, cells: st.SearchStrategy[Any], data: st.DataObject
) -> None:
    values = data.draw(st.lists(cells, min_size=1, max_size=8, unique=True))
    if data.draw(st.booleans()):
        values.sort()  # else in the order of some tree
    reader = reader_of(values, kind, dtype)
    ends = [data.draw(st.sampled_from(values) | cells) for _ in range(2)]
    low, high = sorted(ends)
    texts = as_text(pl.Series([low, high], dtype=dtype)).to_list()
    ways = BETWEEN | (DASHES if kind.is_numeric else {})
    for way, (open_low, open_high) in ways.items():
        expected = [
            i
            for i, value in enumerate(values)
            if (low < value if open_low else low <= value) and (value < high if open_high else value <= high)
        ]
        cell = reader.read(way.format(*texts))
        assert cell is not None, way
        assert cell.form is Form.INTERVAL
        assert list(cell.ranks) == expected, way
        assert list(reader.covers(way.format(*texts)) or ()) == expected
    for way, is_open in BEYOND.items():
        below = way[0] in "<≤"
        expected = [
            i
            for i, value in enumerate(values)
            if (value < low if below else value > low) or (value == low and not is_open)
        ]
        assert list(reader.covers(way.format(texts[0])) or ()) == expected, way


@pytest.mark.parametrize(("kind", "dtype", "cells"), KINDS)
@given(data=st.data())
def test_a_number_is_the_value_that_is_the_same_and_no_other(
    kind: Kind, dtype: pl.DataType, cells: st.SearchStrategy[Any], data: st.DataObject
) -> None:
    values = data.draw(st.lists(cells, min_size=1, max_size=8, unique=True))
    reader = reader_of(values, kind, dtype)
    asked = data.draw(cells)
    text = as_text(pl.Series([asked], dtype=dtype)).to_list()[0]
    respelled = f"{text}.0" if kind is Kind.INTEGER else f"+{text}" if kind is Kind.FLOAT and asked >= 0 else text
    for label in {text, respelled}:
        cell = reader.read(label)
        assert cell is not None
        assert list(cell.ranks) == [i for i, value in enumerate(values) if value == asked]
        assert (reader.covers(label) is not None) == (asked in values)


NUMBERS = st.builds(str, whole | reals) | st.sampled_from(
    ["1.", ".5", "+3", "1e2", "1e999", "-0", "007", "٣", "1,5", "inf", "nan"]
)
STAMPS = st.builds(str, days | moments | clocks) | st.sampled_from(
    [
        "2020-01-01 05:06",
        "2020-01-01T05:06:07Z",
        "2020-01-01 05:06:07.123456789+02:00",
        "2020-02-30",
        "0001-01-01 00:00:00+05:00",
        "24:00:00",
        "25:00:00",
        "10:60:00",
        "2020-1-5",
        "2020-01",
    ]
)


@given(st.lists(NUMBERS | STAMPS | st.text(max_size=4), max_size=12))
@example(["2020-01-01 05:06:07.1", "0001-01-01 00:00:00+05:00", "24:00:00"])
def test_many_places_are_those_of_each(texts: list[str]) -> None:
    column = pl.Series(texts, dtype=pl.String)
    together = np.stack([as_places(column, line) for line in Line]) if texts else np.zeros((3, 0))
    for i, text in enumerate(texts):
        placed = together[:, i][~np.isnan(together[:, i])]
        place = place_of(text)
        assert placed.tolist() == ([] if place is None else [place]), text


@pytest.mark.parametrize(
    "label",
    [
        "[1, 2020-01-01]",
        "[2020-01-01, 10:00:00]",
        "[2, 1]",
        "2020-01",
        "[20",
        "1e999-2e999",
        "< x",
        "--",
        "5--3",
        "1~2~3",
    ],
)
def test_what_is_no_interval(label: str) -> None:
    assert read_interval(label) is None


def test_numbers_are_no_days_and_days_no_numbers() -> None:
    days = reader_of([dt.date(1970, 1, 21), dt.date(1970, 1, 25)], Kind.DATE, pl.Date())
    assert days.read("[20, 30]") is None
    assert days.read("20-30") is None
    assert days.read("20") is None
    ages = reader_of([20, 25], Kind.INTEGER, pl.Int64())
    assert ages.read("[1970-01-01, 1970-02-01]") is None
    assert ages.read("< 1970-02-01") is None


def test_ends_that_doubles_confuse_are_compared_by_their_digits() -> None:
    """In k-map a value that is not covered must not be counted, however near it lies."""
    big = 2**60
    values = [big + step for step in (0, 1, 100, 101, 300)]
    reader = reader_of(values, Kind.INTEGER, pl.Int64())
    assert len({float(value) for value in values}) < len(values)
    for low, high in ((0, 1), (1, 100), (2, 101), (99, 299), (101, 102)):
        label = f"[{big + low}, {big + high}]"
        expected = [i for i, value in enumerate(values) if low <= value - big <= high]
        assert list(reader.covers(label) or ()) == expected
        found = ReadColumn.of(reader, [label])
        assert list(range(int(found.first[0]), int(found.last[0]) + 1)) == expected
