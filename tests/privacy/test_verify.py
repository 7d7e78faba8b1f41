"""The verifier: the literature's releases, frames of any type, placeholders, and brute force."""

from __future__ import annotations

import datetime
import tomllib
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paravent.errors import TableError
from paravent.privacy import KAnonymity, LDiversity
from paravent.privacy.frame_cells import suppressed_cells
from paravent.privacy.verify import blank_rows, derive_classes, verify_frame

TABLES = tomllib.loads((Path(__file__).parents[1] / "oracles/verdicts.toml").read_text())["table"]
cells = st.one_of(st.none(), st.sampled_from(["a", "b", "*", "[1, 2]", "é ~", ""]))


@pytest.mark.parametrize("as_enum", [False, True])
@pytest.mark.parametrize("table", TABLES, ids=lambda table: table["name"])
def test_worked_releases(table: dict, as_enum: bool) -> None:
    frame = pl.DataFrame(table["rows"], schema=[*table["quasi"], "s"], orient="row")
    if as_enum:
        frame = frame.with_columns(pl.col(name).cast(pl.Enum(frame[name].unique().sort())) for name in table["quasi"])
    verdict = verify_frame(frame, table["quasi"], [KAnonymity(table["k"]), LDiversity(table["distinct"], "s")])
    assert verdict
    assert verdict.levels == {"privacy.k": table["k"], "privacy.distinct_l.s": table["distinct"]}
    assert len(verdict.classes) == table["classes"]
    assert not verify_frame(frame, table["quasi"], [KAnonymity(table["k"] + 1)])
    assert not verify_frame(frame, table["quasi"], [LDiversity(table["distinct"] + 1, "s")])


@given(st.lists(st.tuples(cells, cells, cells), min_size=1, max_size=40))
def test_classes_by_brute_force(rows: list[tuple]) -> None:
    frame = pl.DataFrame(rows, schema={"a": pl.String, "b b": pl.String, "s": pl.String}, orient="row")
    classes = derive_classes(frame, ["a", "b b"], ["s"])
    assert sorted(classes.sizes.tolist()) == sorted(Counter(row[:2] for row in rows).values())
    histogram = classes.histograms["s"]
    found = [tuple(sorted(histogram.count[i:j])) for i, j in zip(histogram.start, histogram.start[1:], strict=False)]
    held: dict[tuple, Counter] = {}
    for row in rows:
        held.setdefault(row[:2], Counter())[row[2]] += 1
    assert sorted(found) == sorted(tuple(sorted(counts.values())) for counts in held.values())


def test_labels_of_other_types_are_grouped_by_value() -> None:
    day = datetime.date(2020, 1, 1)
    frame = pl.DataFrame(
        {
            "whole": [1, 1, 2, None],
            "wide": [-(2**62), -(2**62), 2**62, None],
            "float": [0.5, 0.5, 1.5, None],
            "flag": [True, True, False, None],
            "day": [day, day, day + datetime.timedelta(1), None],
            "none": pl.Series([None] * 4, dtype=pl.Null),
        }
    )
    for name in frame.columns[:-1]:
        assert sorted(derive_classes(frame, [name], [name]).sizes.tolist()) == [1, 1, 2], name
    assert derive_classes(frame, ["none"], []).sizes.tolist() == [4]
    assert sorted(derive_classes(frame, frame.columns, []).sizes.tolist()) == [1, 1, 2]


def test_more_columns_than_fit_one_key() -> None:
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 1000, (300, 12))
    rows[1::2] = rows[::2]  # pairs of equal rows; without the first column they would still be pairs
    frame = pl.DataFrame({f"q{i}": [f"v{value}" for value in rows[:, i]] for i in range(12)})
    assert (derive_classes(frame, frame.columns, []).sizes == 2).all()


def test_what_must_not_be_there_is_a_fault() -> None:
    frame = pl.DataFrame({"name": ["Ana", "Béa"], "age": ["*", "*"]})
    verdict = verify_frame(frame, ["age"], [KAnonymity(2)], absent=["name"])
    assert not verdict
    assert verdict.checks[0].holds
    assert "'name'" in verdict.why_not()


def test_a_mark_that_is_not_blank_is_a_fault() -> None:
    frame = pl.DataFrame({"age": ["*", "[1, 2]", "[1, 2]"], "s": ["flu", "flu", "cold"]})
    marked = np.array([True, False, False])
    assert not verify_frame(frame, ["age"], [KAnonymity(2)], marked=marked, allowed=1)
    blank = frame.with_columns(s=pl.Series([None, "flu", "cold"]))
    assert verify_frame(blank, ["age"], [KAnonymity(2)], marked=marked, allowed=1)
    assert not verify_frame(blank, ["age"], [KAnonymity(2)], marked=marked, allowed=0)


def test_blank_rows_of_enums_without_the_sign() -> None:
    frame = pl.DataFrame({"age": pl.Series(["a", None], dtype=pl.Enum(["a"])), "s": [None, None]})
    assert blank_rows(frame, ["age"]).tolist() == [False, False]


def test_an_empty_frame_is_no_release() -> None:
    frame = pl.DataFrame({"age": [], "s": []}, schema={"age": pl.String, "s": pl.String})
    verdict = verify_frame(frame, ["age"], [KAnonymity(1), LDiversity(1, "s", kind="entropy")])
    assert not verdict


def test_absent_columns_are_named() -> None:
    with pytest.raises(TableError, match="'zip'"):
        verify_frame(pl.DataFrame({"age": ["*"]}), ["age", "zip"], [KAnonymity(1)])


def test_a_release_without_rows_has_no_k() -> None:
    verdict = verify_frame(pl.DataFrame(schema={"age": pl.String, "ill": pl.String}), ["age"], [KAnonymity(2)])
    assert verdict.strict_k == 0
    assert not verdict.holds


def test_a_single_cell_that_is_starred_is_all_of_them() -> None:
    assert suppressed_cells(pl.DataFrame({"age": ["*"]}), ["age"]) == 1.0
    assert suppressed_cells(pl.DataFrame({"age": ["*", "3"]}), ["age"]) == 0.5
    assert suppressed_cells(pl.DataFrame({"age": []}, schema={"age": pl.String}), ["age"]) == 0.0


def test_stars_are_counted_in_dictionaries_as_in_texts() -> None:
    for dtype in (pl.String, pl.Categorical, pl.Enum(["x", "*", "y"])):
        frame = pl.DataFrame({"age": ["x", "*", "y", None]}, schema={"age": dtype})
        assert suppressed_cells(frame, ["age"]) == 0.25
        assert suppressed_cells(frame.filter(pl.col("age") != "*"), ["age"]) == 0.0  # the dictionary holds it still


def test_missing_cells_match_anything_unless_it_shows_whose_rows_they_are() -> None:
    """Somebody of unknown age may be 20 or 30: both stand beside one more person. Once the release shows that row 3 is
    of the same person as row 4, who is 30, that is nobody of 20."""
    frame = pl.DataFrame({"age": [20, 30, None, 30]})
    persons = np.array([0, 1, 2, 2])
    free = verify_frame(frame, ["age"], [KAnonymity(2)], wildcard=["age"], persons=persons)
    assert free
    assert free.levels == {"privacy.k": 2}
    linked = verify_frame(frame, ["age"], [KAnonymity(2)], wildcard=["age"], persons=persons, links=persons)
    assert not linked
    assert linked.levels == {"privacy.k": 1}
