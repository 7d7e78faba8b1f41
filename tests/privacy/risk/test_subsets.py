"""Quasi-identifier search: another tool's figures for Adult, the course's table, and a plain count."""

from __future__ import annotations

from itertools import combinations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paravent as pv
from paravent.errors import TableError
from paravent.privacy.grouping import cell_codes, dense_codes
from paravent.privacy.risk.subsets import quasi_identifiers
from paravent.profiling.subsets import count_subsets

PATIENTS = pl.DataFrame(
    {
        "zip": [13053, 13068, 13068, 13053, 14853, 14853, 14850, 14850, 13053, 13053, 13068, 13068],
        "age": [28, 29, 21, 23, 49, 48, 47, 49, 31, 37, 36, 35],
        "sex": list("MMFMMFMFMMFF"),
        "nationality": ["ru", "us", "jp", "us", "in", "ru", "us", "us", "us", "in", "jp", "us"],
    }
)


def test_distinction_and_separation_of_adult(adult: pl.DataFrame, golden_adult: dict[str, str]) -> None:
    found = quasi_identifiers(adult, adult.columns[:8], max_size=8)
    assert len(found.subsets) == 255
    rows = {name: figures for name, figures in golden_adult.items() if name[0].islower()}
    assert len(rows) == 37
    for name, figures in rows.items():
        distinction, separation = map(float, figures.split())
        subset = found[name.split(", ")]
        assert subset.distinction == pytest.approx(distinction, abs=1e-12)
        assert subset.separation == pytest.approx(separation, abs=1e-12)


def test_which_columns_of_the_patients_single_somebody_out() -> None:
    found = quasi_identifiers(PATIENTS, max_size=4)
    assert {subset.columns for subset in found.minimal} == {
        columns
        for size in range(1, 5)
        for columns in combinations(PATIENTS.columns, size)
        if _singled_out(PATIENTS, columns)
        and not any(_singled_out(PATIENTS, part) for k in range(1, size) for part in combinations(columns, k))
    }
    assert [subset.columns for subset in found.minimal][:2] == [("age",), ("zip", "sex")]
    assert found["age"].singled_out == _singled_out(PATIENTS, ("age",)) == 10


def _singled_out(frame: pl.DataFrame, columns: tuple[str, ...]) -> int:
    return frame.group_by(columns).len().filter(pl.col("len") == 1).height


cells = st.sampled_from([None, "a", "b", "c"])


@settings(max_examples=60)
@given(st.lists(st.tuples(cells, cells, cells, cells), min_size=1, max_size=30), st.integers(1, 4))
def test_all_sets_as_the_profile_counts_them(rows: list[tuple[str | None, ...]], max_size: int) -> None:
    frame = pl.DataFrame(rows, schema=dict.fromkeys(["q-1", "q 2", "q.3", "q4"], pl.String), orient="row")
    found = quasi_identifiers(frame, max_size=max_size)
    codes = {name: dense_codes(cell_codes(frame[name])) for name in frame.columns}
    assert found.subsets == tuple(count_subsets(codes, frame.height, max_size))


def test_the_strongest_come_first_and_it_prints() -> None:
    found = pv.quasi_identifiers(PATIENTS, ["zip", "sex", "nationality"], max_size=2)
    strongest = found.strongest(3)
    assert strongest[0].singled_out >= strongest[1].singled_out >= strongest[2].singled_out
    assert "single somebody out" in str(found)
    assert str(quasi_identifiers(pl.DataFrame({"x": [1, 1]}))) == "No set of up to 1 columns singles anybody out."
    document = found.to_dict()
    assert document["max_size"] == 2
    assert len(document["sets"]) == 7  # type: ignore[arg-type]


def test_bad_demands() -> None:
    with pytest.raises(TableError, match="no column 'x'"):
        quasi_identifiers(PATIENTS, ["x"])
    with pytest.raises(TableError, match="named twice"):
        quasi_identifiers(PATIENTS, ["zip", "zip"])
    with pytest.raises(TableError, match="at least 1"):
        quasi_identifiers(PATIENTS, max_size=0)
    wide = pl.DataFrame({f"c{j}": [1, 2] for j in range(40)})
    with pytest.raises(TableError, match="Lower the size"):
        quasi_identifiers(wide, max_size=8)
    assert quasi_identifiers(PATIENTS, []).subsets == ()


def test_an_empty_table_singles_nobody_out() -> None:
    found = quasi_identifiers(pl.DataFrame({"x": []}, schema={"x": pl.Int64}))
    assert found["x"].singled_out == 0
