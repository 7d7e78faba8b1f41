"""What the plan says that a column can hold, as cells to count."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest

from paravent.methods.synthetic.coding import Grid, coding_of


@pytest.mark.parametrize(
    ("told", "step", "points"),
    [
        ({"from": 0, "to": 99}, Fraction(1), 100),
        ({"from": 0, "to": 10**9}, None, None),
        ({"from": -5, "to": 10**7 + 3}, None, None),
        ({"from": 0, "to": 1, "step": 0.25}, Fraction(1, 4), 5),
        ({"from": 0.5, "to": 2.5, "step": 0.5}, Fraction(1, 2), 5),
    ],
)
def test_a_grid_reaches_from_end_to_end(told: dict[str, Any], step: Fraction | None, points: int | None) -> None:
    grid = coding_of("pay", told, 8)
    assert isinstance(grid, Grid)
    low, high = Fraction(str(told["from"])), Fraction(str(told["to"]))
    if step is not None:
        assert (grid.step, grid.points) == (step, points)
    assert grid.low == low
    assert grid.step.denominator == 1 or step is not None  # whole numbers stay whole
    assert low + grid.step * grid.points > high >= low + grid.step * (grid.points - 1)


def test_values_are_counted_in_their_cells_and_others_in_the_last() -> None:
    grid = coding_of("age", {"from": 0, "to": 99, "cuts": [18, 65]}, 8)
    cells = pl.Series([0, 17, 18, 64, 65, 99, 100, -1, None])
    assert grid.codes(cells).tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 3]
    back = grid.values(np.array([0] * 200 + [1] * 200 + [3]), pl.Int64(), np.random.default_rng(1))
    assert back[:200].is_between(0, 17).all()
    assert back[200:400].is_between(18, 64).all()
    assert {back[:200].min(), back[:200].max()} == {0, 17}
    assert back[400] is None


@pytest.mark.parametrize(("high", "step"), [(99, 1), (4095, 1), (4096, 2), (8191, 2), (8192, 3)])
def test_many_whole_numbers_are_coded_by_as_few_steps_as_needed(high: int, step: int) -> None:
    """At most 4096 points, a whole number apart."""
    coding = coding_of("pay", {"from": 0, "to": high}, 32)
    assert isinstance(coding, Grid)
    assert coding.step == step
