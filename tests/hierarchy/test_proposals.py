from __future__ import annotations

import math
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from paravent.errors import TreeError
from paravent.hierarchy.builders import balanced, by_frequency, dates, flat, intervals, prefixes
from paravent.hierarchy.fitting import fit
from paravent.hierarchy.proposals import propose
from paravent.table.domain import Domain
from paravent.table.kinds import Kind

Make = Callable[..., Domain]


@pytest.mark.parametrize(
    ("values", "kind", "name", "spec", "words"),
    [
        (range(17, 91), Kind.INTEGER, "age", intervals(5, 10, 20), "ages from 17 to 90"),
        (range(1, 100), Kind.INTEGER, "hours-per-week", intervals(2, 10, 20), "numbers from 1 to 99"),
        (range(30), Kind.INTEGER, "children", intervals(2, 10, 20), "intervals of 2, 10, 20"),
        (
            range(0, 400_000, 1000),
            Kind.INTEGER,
            "pay",
            intervals(2000, 10_000, 20_000, 100_000, 200_000),
            "20000",
        ),
        (
            [i / 100 for i in range(150, 211)],
            Kind.FLOAT,
            "height",
            intervals(0.02, 0.1, 0.2),
            "intervals of 0.02, 0.1, 0.2",
        ),
        (["13053", "13068", "14850", "14853"], Kind.NOMINAL, "town", prefixes(), "codes of 5 characters"),
        ([1305, 1306, 1406, 14850], Kind.INTEGER, "zip code", prefixes(), "codes of 5 characters"),
        ([13053, 13068, 14850, 14853], Kind.INTEGER, "pay", intervals(1000), "numbers"),
        (["low", "mid", "high", "top"], Kind.ORDINAL, "grade", balanced(), "4 ordered values"),
        (["a", "b", "c", "d"], Kind.NOMINAL, "team", flat(), "write groups"),
        ([f"name {i}" for i in range(40)], Kind.NOMINAL, "town", by_frequency(), "rare ones gathered"),
        ([f"I said {i}" for i in range(40)], Kind.TEXT, "remark", flat(), "free text"),
        (["x", "y"], Kind.NOMINAL, "sex", flat(), "2 values"),
        ([1, 2, 3], Kind.INTEGER, "class", flat(), "3 values"),
        ([date(1950 + i, 3, 1) for i in range(60)], Kind.DATE, "born", dates("month", "year", "decade"), "59 years"),
        ([date(2019, 1 + i, 5) for i in range(12)], Kind.DATE, "visit", dates("month", "quarter"), "334 days"),
        ([date(2019, 1, 1 + i) for i in range(12)], Kind.DATE, "visit", dates("week"), "11 days"),
        ([datetime(2019, 1, 1, i) for i in range(12)], Kind.DATE, "visit", dates("hour", "day"), "hour, day"),
        ([time(i) for i in range(12)], Kind.DATE, "visit", dates("hour"), "times of day"),
    ],
)
def test_a_sensible_tree(domain_of: Make, values: Any, kind: Kind, name: str, spec: object, words: str) -> None:
    proposed, reason = propose(domain_of(values, kind, name=name))
    assert proposed == spec
    assert words in reason


def test_crowded_numbers_are_grouped_by_order(domain_of: Make) -> None:
    gains = domain_of([0, *range(100, 100_000, 700)], Kind.INTEGER, counts=[27_000, *[10] * 143])
    spec, reason = propose(gains)
    assert spec == balanced()
    assert "95% of the rows hold one value" in reason


VALUES = {
    Kind.INTEGER: st.integers(-(2**63), 2**63 - 1) | st.integers(-1000, 100_000),
    Kind.FLOAT: st.floats() | st.floats(0, 100),
    Kind.ORDINAL: st.text(max_size=8),
    Kind.NOMINAL: st.text(max_size=8)
    | st.integers(10_000, 99_999).map(str)
    | st.sampled_from(["a~b", "{a, b}", "a", "b"]),
    Kind.TEXT: st.text(max_size=30),
    Kind.DATE: st.dates() | st.dates(date(2020, 1, 1), date(2020, 3, 1)),
}


@settings(max_examples=300)
@given(
    st.sampled_from(list(VALUES)),
    st.sampled_from(["age", "zip", "x"]),
    st.data(),
)
def test_it_builds_for_any_column(domain_of: Make, kind: Kind, name: str, data: st.DataObject) -> None:
    drawn = data.draw(st.lists(VALUES[kind], min_size=1, max_size=40, unique_by=str))
    values = sorted(drawn, key=lambda x: (math.isnan(x), x)) if kind is Kind.FLOAT else sorted(drawn)
    assume(kind is Kind.DATE or kind.is_numeric or not {"", "*"} & set(map(str, values)))
    counts = data.draw(st.lists(st.integers(1, 1000), min_size=len(values), max_size=len(values)))
    domain = domain_of(values, kind, name=name, counts=counts)
    spec, reason = propose(domain)
    assert reason
    fitted = fit(spec.build(domain), domain)
    assert [fitted.tree.leaves[leaf] for leaf in fitted.order] == domain.text


@given(st.sampled_from([timedelta(seconds=1), timedelta(days=1), timedelta(days=400)]), st.integers(1, 60))
def test_it_builds_for_moments(domain_of: Make, step: timedelta, n: int) -> None:
    stamps = domain_of([datetime(1999, 12, 31, 23, 59) + step * i for i in range(n)], Kind.DATE)
    assert propose(stamps)[0].build(stamps).n_leaves == n
    clock = domain_of([time(i % 24, i) for i in range(n)], Kind.DATE)
    assert propose(clock)[0].build(clock).n_leaves == n


def test_signs_of_the_grammar_are_no_values(domain_of: Make) -> None:
    for text in ("", "*"):
        spec, _ = propose(domain_of([text, "b"]))
        with pytest.raises(TreeError, match="make it missing"):
            spec.build(domain_of([text, "b"]))


def test_an_empty_column_is_flat(domain_of: Make) -> None:
    assert propose(domain_of([], Kind.INTEGER, dtype=pl.Int64))[0] == flat()


@pytest.mark.parametrize(
    ("texts", "labels"),
    [
        (["(29,44]", "(0,15]", "(44,60]", "(15,29]"], {"(0,29]", "(29,60]"}),
        (["20-29", "10-19", "30-39", "40-49"], {"10-29", "30-49"}),
        (["[0, 5[", "[5, 10[", "[10, 20[", "[20, 90["], {"[0, 10[", "[10, 90["}),
        (["< 18", "18-64", ">= 65", "65 ~ 64"], set()),
        (["<18", "18-29", "30-64", ">=65"], {"<= 29", ">= 30"}),
        (["(0,15]", "(10,20]", "(20,30]", "(30,40]"], set()),
        (["(0,15]", "(15,20]", "unknown", "(30,40]"], set()),
    ],
)
def test_intervals_written_as_texts_are_merged_with_their_neighbours(texts: list[str], labels: set[str]) -> None:
    domain = Domain("band", Kind.NOMINAL, pl.Series(sorted(texts)), np.ones(len(texts), dtype=np.int64))
    spec, reason = propose(domain)
    found = set(spec.build(domain).labels) - set(texts) - {"*"}
    if labels:
        assert "written as texts" in reason
        assert found == labels
    else:
        assert "written as texts" not in reason
