"""Equivalence classes of any frame, whatever its columns are called."""

from __future__ import annotations

import polars as pl
import pytest

from paravent.privacy.grouping import cell_codes, class_sizes


@pytest.mark.parametrize("name", ["*", "^.*$", "size", "q0", "a b", "é", ""])
def test_a_name_is_never_a_pattern(name: str) -> None:
    frame = pl.DataFrame({"other": [1, 2, 3], name: ["x", "x", "y"]})
    assert class_sizes(frame, [name]).tolist() == [1, 2]
    assert class_sizes(frame, [name, "other"]).tolist() == [1, 1, 1]


@pytest.mark.parametrize("dtype", [pl.String, pl.Categorical])
def test_codes_do_not_depend_on_what_the_process_has_read_before(dtype: type[pl.DataType]) -> None:
    first = cell_codes(pl.Series(["uno", "dos", "uno", "tres"], dtype=dtype)).tolist()
    pl.Series(["tres", "quatro", "dos"]).cast(pl.Categorical)
    assert cell_codes(pl.Series(["uno", "dos", "uno", "tres"], dtype=dtype)).tolist() == first == [1, 2, 1, 3]
