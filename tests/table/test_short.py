"""Short columns have a way of their own, which must lead to the same end."""

import polars as pl
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_series_equal

from paravent.table.cells import _parse, parse_columns
from paravent.table.short import parse_short

_CELLS = st.one_of(
    st.none(),
    st.integers(-(2**70), 2**70).map(str),
    st.integers(-200, 200).map(str),
    st.floats(allow_nan=True, allow_infinity=True).map(str),
    st.decimals(-1000, 1000, places=2).map(str),
    st.sampled_from(
        ["", "-0", "-0.0", "0", "007", "+1", "1e5", ".5", "5.", "?", "NA", "-", "nurse", "1,5", "1,234", "١"]
    ),
    st.sampled_from(["2020-01-31", "31.12.1999", "03/04/2001", "12:30", "2020-01-01T10:00:00"]),
    st.text(max_size=4),
)


@given(st.lists(_CELLS, min_size=1, max_size=8), st.sampled_from([".", ","]), st.booleans())
def test_the_short_way_and_the_long_way_agree(cells: list[str | None], decimal: str, numbers: bool) -> None:
    values = pl.Series("a", cells, dtype=pl.String)
    short = parse_short(values, decimal, numbers)
    if short is None:
        return
    long = _parse(values, decimal, numbers)
    found = parse_columns([values], decimal, numbers)[0]
    assert_series_equal(short, long.values, check_exact=True)
    assert found.notes == long.notes
    assert found.reason == long.reason


@given(st.lists(st.one_of(st.integers(-99, 99).map(str), st.none()), min_size=1, max_size=9))
def test_plain_numbers_take_the_short_way(cells: list[str | None]) -> None:
    found = parse_short(pl.Series("a", cells, dtype=pl.String), ".", True)
    assert (found is None) == (set(cells) == {None})
    assert found is None or found.dtype == pl.Int64
