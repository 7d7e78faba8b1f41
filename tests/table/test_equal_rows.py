"""Equal rows: the last row with an equal key, against a dictionary, with keys that collide on purpose, too."""

from __future__ import annotations

from datetime import date

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paravent.table import domain, equal_rows
from paravent.table.domain import distinct
from paravent.table.equal_rows import last_equal

keys = st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 6), max_size=80)


def plain(found: list[int]) -> list[int]:
    last = {key: row for row, key in enumerate(found)}
    return [last[key] for key in found]


@given(keys)
def test_the_last_row_with_an_equal_key(found: list[int]) -> None:
    assert last_equal(np.array(found, dtype=np.uint64)).tolist() == plain(found)


@given(keys)
def test_keys_that_collide_in_every_pass_are_sorted(found: list[int]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(equal_rows, "_MIX", np.uint64(0))
        assert last_equal(np.array(found, dtype=np.uint64)).tolist() == plain(found)


VALUES = {
    "floats": [1.5, None, float("nan"), -0.0, 0.0, 1e300, 1.5, -2.25],
    "wide whole numbers": [2**62, -(2**62), None, 2**62, 0, 7],
    "dates": [date(1, 1, 1), date(9999, 12, 31), None, date(1, 1, 1)],
    "strings": ["a", "", None, "a", "ä", "\0", "", "b" * 300],
}


@pytest.mark.parametrize("cells", VALUES.values(), ids=VALUES)
@pytest.mark.parametrize("hashes", [True, False])
def test_distinct_values_by_hand(cells: list[object], hashes: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(domain, "_WIDE", 2)
    if not hashes:  # two strings with one hash are told apart by the dictionary
        monkeypatch.setattr(domain, "_bits", lambda found: np.zeros(len(found)) if found.dtype == pl.String else None)
    codes, values, counts = distinct(pl.Series("value", cells))
    gone = [cell is None or str(cell) == "nan" for cell in cells]
    assert [int(code) == len(values) for code in codes] == gone
    known = values.to_list()
    assert [known[code] for code, out in zip(codes, gone, strict=True) if not out] == [
        cell for cell, out in zip(cells, gone, strict=True) if not out
    ]
    assert len(set(known)) == len(known) == len({cell for cell, out in zip(cells, gone, strict=True) if not out})
    assert counts.tolist() == [sum(cell == value for cell in cells) for value in known]
