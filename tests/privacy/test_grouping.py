"""Equivalence classes of any frame, whatever its columns are called."""

from __future__ import annotations

import polars as pl
import pytest

from paravent.privacy.grouping import class_sizes


@pytest.mark.parametrize("name", ["*", "^.*$", "size", "q0", "a b", "é", ""])
def test_a_name_is_never_a_pattern(name: str) -> None:
    frame = pl.DataFrame({"other": [1, 2, 3], name: ["x", "x", "y"]})
    assert class_sizes(frame, [name]).tolist() == [1, 2]
    assert class_sizes(frame, [name, "other"]).tolist() == [1, 1, 1]
