"""Cells altered and rows left as they were."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings

from paravent.privacy.risk.hidden_failure import hidden_failure
from paravent.utility.measure import measure
from paravent.utility.subject import Subject

from .conftest import axis_of
from .small import Small, releases


@settings(max_examples=35, deadline=None)
@given(releases(("untouched", "tree", "set", "star", "perturbed")))
def test_the_same_rows_as_a_join_finds(made: tuple[Small, Subject, str]) -> None:
    table, subject, _ = made
    found = measure(subject)
    joined = hidden_failure(table.original, subject.released)
    assert found["risk.hidden_failure.count"] == joined.count
    assert found["risk.hidden_failure.rate"] == pytest.approx(joined.rate)
    assert subject.kept is not None
    intact = 0
    for name in table.original.columns:
        before = table.original[name].cast(pl.String).to_list()
        after = subject.released[name].cast(pl.String).to_list()
        intact += sum(after[i] == before[row] for i, row in enumerate(subject.kept.tolist()))
    assert found["utility.distortion"] == pytest.approx(1 - intact / table.original.height / table.original.width)


def test_columns_and_rows_that_are_gone_are_altered() -> None:
    axis = axis_of("a", ["1", "2", "3", "4"])
    original = pl.DataFrame({"name": list("wxyz"), "a": ["1", "2", "3", "4"], "b": [1, 2, 3, 4]})
    released = pl.DataFrame({"a": ["1", "*"], "b": [1, None]})
    found = measure(Subject((axis,), released, np.array([0, 1]), original=original))
    assert found["utility.distortion"] == pytest.approx(1 - 2 / 12)
    assert found["risk.hidden_failure.count"] == 1


def test_without_the_match_the_rows_are_still_looked_up() -> None:
    axis = axis_of("a", ["1", "2", "3"])
    original = pl.DataFrame({"a": ["1", "2", "3"], "b": ["x", "y", "z"]})
    released = pl.DataFrame({"a": ["3", "2"], "b": ["z", "x"]})
    found = measure(Subject((axis,), released, None, original=original))
    assert found["risk.hidden_failure.count"] == 1
    assert "nobody knows" in found.absent["utility.distortion"]
