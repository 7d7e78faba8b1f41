"""Cleaning does what it is asked, says what it did, and keeps the identity of rows."""

import datetime as dt

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paravent.errors import TableError
from paravent.table.clean import clean
from paravent.table.read import read

TABLE = read(
    pl.DataFrame(
        {
            "age": [34, None, 219, 34, 40, 41],
            "job": ["clerk", "nurse", None, "clerk", "clerk", "nurse"],
            "fax": [None] * 6,
        },
        schema_overrides={"fax": pl.String},
    )
)


def test_nothing_happens_unasked() -> None:
    cleaned, report = clean(TABLE)
    assert cleaned is TABLE
    assert report.steps == ()
    assert "nothing was dropped" in str(report)
    assert report.dropped_rows.tolist() == []


def test_the_order_of_the_literature() -> None:
    """Columns without a value go first, else every row would go with them."""
    cleaned, report = clean(TABLE, empty_columns=True, missing_rows=True)
    assert cleaned.names == ["age", "job"]
    assert cleaned.rows.tolist() == [0, 3, 4, 5]
    assert report.dropped_columns == ("fax",)
    assert report.dropped_rows.tolist() == [1, 2]
    assert all(column.missing == 0 for column in cleaned.columns.values())
    assert "dropped 2 rows: missing values in 'age' (1), 'job' (1)" in str(report)


def test_rows_without_a_value_in_named_columns() -> None:
    cleaned, _ = clean(TABLE, missing_rows=["job"])
    assert cleaned.rows.tolist() == [0, 1, 3, 4, 5]


def test_duplicates_keep_their_first_row() -> None:
    assert clean(TABLE, duplicates=True)[0].rows.tolist() == [0, 1, 2, 4, 5]
    cleaned, report = clean(TABLE, duplicates=["job"])
    assert cleaned.rows.tolist() == [0, 1, 2]
    assert "the same as an earlier row in 'job'" in str(report)


def test_outliers_by_bounds_and_by_fences() -> None:
    cleaned, report = clean(TABLE, outliers={"age": (0, 110)})
    assert cleaned.rows.tolist() == [0, 1, 3, 4, 5]
    assert "'age' outside of 0 to 110 (1)" in str(report)
    assert clean(TABLE, outliers={"age": (40, None)})[0].rows.tolist() == [1, 2, 4, 5]
    # Quartiles of 34, 34, 40, 41, 219 are 34 and 41, so the fences stand at 23.5 and 51.5.
    assert clean(TABLE, outliers="iqr")[0].rows.tolist() == [0, 1, 3, 4, 5]
    assert "23.5 to 51.5" in str(clean(TABLE, outliers={"age": "iqr"})[1])


def test_imputation_is_told_cell_by_cell() -> None:
    cleaned, report = clean(TABLE, empty_columns=True, impute=True)
    assert cleaned.frame["age"].to_list() == [34, 40, 219, 34, 40, 41]
    assert cleaned.frame["job"].to_list() == ["clerk", "nurse", "clerk", "clerk", "clerk", "nurse"]
    assert len(cleaned) == 6
    assert [step.rows.tolist() for step in report.steps if step.rows is not None] == [[1], [2]]
    assert report.dropped_rows.tolist() == []
    assert TABLE.frame["age"][1] is None


def test_imputation_of_dates_and_ordinals() -> None:
    table = read(
        pl.DataFrame(
            {
                "born": [dt.date(2000, 1, 1), None, dt.date(2010, 1, 1), dt.date(2020, 1, 1)],
                "risk": ["high", "low", None, "medium"],
            }
        )
    )
    cleaned, _ = clean(table, impute={"born": "median", "risk": "median"})
    assert cleaned.frame.row(1)[0] == dt.date(2010, 1, 1)
    assert cleaned.frame.row(2)[1] == "medium"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"missing_rows": True, "impute": True}, "Choose one"),
        ({"missing_rows": ["x"]}, "missing_rows names a column 'x' that is not there"),
        ({"outliers": {"job": (0, 1)}}, "outliers are numbers, column 'job' is nominal"),
        ({"outliers": {"age": (5, 1)}}, "5 is above 1"),
        ({"outliers": {"age": 3}}, "are \\(lowest, highest\\)"),
        ({"impute": ["fax"]}, "no value to impute from"),
        ({"impute": {"job": "median"}}, "has no median"),
        ({"impute": {"job": "mean"}}, "is 'median' or 'mode'"),
    ],
)
def test_mistakes(arguments: dict, sentence: str) -> None:
    with pytest.raises(TableError, match=sentence):
        clean(TABLE, **arguments)


@settings(max_examples=60, deadline=None)
@given(
    cells=st.lists(
        st.tuples(st.none() | st.integers(0, 9), st.none() | st.sampled_from("ab")), min_size=1, max_size=30
    ),
    flags=st.tuples(st.booleans(), st.booleans(), st.booleans()),
)
def test_every_row_is_kept_or_reported(cells: list[tuple[int | None, str | None]], flags: tuple[bool, ...]) -> None:
    table = read(
        pl.DataFrame(
            cells,
            schema={
                "a": pl.Int64,
                "b": pl.String,
            },
            orient="row",
        ).with_row_index("id")
    )
    cleaned, report = clean(
        table,
        missing_rows=flags[0],
        duplicates=["a", "b"] if flags[1] else False,
        outliers={"a": (1, 8)} if flags[2] else None,
    )
    assert np.array_equal(np.sort(np.concatenate([cleaned.rows, report.dropped_rows])), np.arange(len(cells)))
    assert cleaned.frame["id"].to_list() == cleaned.rows.tolist()
    assert report.rows_after == len(cleaned)
    assert report.to_dict()["rows"]["before"] == len(cells)


def test_values_that_look_alike_get_one_spelling() -> None:
    table = read(pl.DataFrame({"disease": ["flu", "Flu", "flu", "flu\u200b", None], "n": [1, 2, 3, 4, 5]}))
    cleaned, report = clean(table, alike=True)
    assert cleaned.frame["disease"].to_list() == ["flu", "flu", "flu", "flu", None]
    assert report.steps[0].rows is not None
    assert report.steps[0].rows.tolist() == [1, 3]
    assert "'Flu' → 'flu' (1)" in str(report)
    assert "Flu" not in str(report.to_dict())  # what is passed on names no value
    again, nothing = clean(cleaned, alike=["disease"])
    assert again.frame.equals(cleaned.frame)
    assert not nothing.steps
    assert len(report.dropped_rows) == 0


def test_spellings_of_an_ordinal_column_leave_its_order() -> None:
    order = ("low", "Low", "high")
    table = read(pl.DataFrame({"level": ["low", "low", "Low", "high"]}), kinds={"level": order})
    cleaned, _ = clean(table, alike=True)
    assert cleaned.columns["level"].order == ("low", "high")
