"""Rows that each ask for a k of their own."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import paravent as pv
from paravent.errors import InfeasibleError, PlanError
from paravent.methods.microaggregation.groups import by_own_k


def in_turn(rows: np.ndarray, k: int) -> tuple[np.ndarray, int]:
    """k rows after another, what is left over in the last group."""
    groups = max(1, len(rows) // k)
    return np.minimum(np.arange(len(rows)) // k, groups - 1), groups


@given(st.lists(st.integers(1, 6), min_size=1, max_size=30), st.integers(1, 4))
def test_everybody_is_in_a_group_as_large_as_they_ask(own: list[int], least: int) -> None:
    asked = np.array(own)
    if max(asked.max(), least) > len(own):
        with pytest.raises(InfeasibleError, match=f"there are only {len(own)} rows"):
            by_own_k(asked, least, in_turn)
        return
    of_row, count = by_own_k(asked, least, in_turn)
    assert sorted(set(of_row.tolist())) == list(range(count))
    sizes = np.bincount(of_row)[of_row]
    assert (sizes >= np.maximum(asked, least)).all()


def test_rows_of_one_k_go_together_and_what_is_left_over_joins_the_last() -> None:
    of_row, count = by_own_k(np.array([3, 1, 3, 1, 3]), 1, in_turn)
    assert count == 3
    assert of_row.tolist() == [0, 1, 0, 2, 0]
    of_row, count = by_own_k(np.array([2, 2, 2, 5, 1]), 1, in_turn)  # five rows for the one that asks for five
    assert (of_row.tolist(), count) == ([0] * 5, 1)
    of_row, count = by_own_k(np.array([3, 3, 3, 1, 1]), 2, in_turn)
    assert (of_row.tolist(), count) == ([0, 0, 0, 1, 1], 2)
    of_row, count = by_own_k(np.array([3, 3, 3, 1]), 2, in_turn)  # one row asks for two: it joins the three
    assert (of_row.tolist(), count) == ([0] * 4, 1)


@pytest.mark.parametrize("asked", [["few", "many"], [1.5, 2.0], [0, 2]], ids=["texts", "fractions", "nobody"])
def test_what_is_no_k_is_refused(asked: list[object]) -> None:
    table = pl.DataFrame({"age": range(20, 40), "wish": asked * 10})
    roles = {"age": pv.Quasi(), "wish": pv.Insensitive()}
    plan = pv.Plan(roles, [pv.KAnonymity(2)], pv.methods.MDAV(own_k="wish"), person=None)
    with pytest.raises(PlanError, match="own_k column 'wish' must hold whole numbers"):
        pv.anonymize(table, plan)
