"""Rows follow the distribution that they are drawn from, and columns that are independent stay so."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from paravent.errors import InfeasibleError, PlanError
from paravent.private.graphical import sample as sampling
from paravent.private.graphical.fit import Noisy, fit
from paravent.private.graphical.network import dead_ends, walk
from paravent.private.graphical.sample import dealt, rounded, sample

STAR = [
    Noisy((0, 1), np.array([[400.0, 100.0], [150.0, 350.0]]), 1.0),
    Noisy((0, 2), np.array([[250.0, 250.0], [100.0, 400.0]]), 1.0),
]
"""Columns 1 and 2 depend on column 0 and, given it, not on one another."""


def given_the_first(codes: list[np.ndarray]) -> float:
    """How sure it is that columns 1 and 2 hang together where column 0 is known: the smaller p-value of two tests."""
    values = []
    for value in (0, 1):
        inside = codes[0] == value
        table = np.bincount(2 * codes[1][inside] + codes[2][inside], minlength=4).reshape(2, 2)
        values.append(float(stats.chi2_contingency(table, correction=False)[1]))
    return min(values)


def test_conditionally_independent_columns_are_drawn_independently() -> None:
    beliefs = fit((2, 2, 2), STAR, steps=500).beliefs
    codes = sample(beliefs, 10_000, np.random.default_rng(7))
    assert given_the_first(codes) > 1e-6
    pair = np.bincount(2 * codes[0] + codes[1], minlength=4) / 10_000
    np.testing.assert_allclose(pair, [0.4, 0.1, 0.15, 0.35], atol=0.001)  # rounded, not drawn: no sampling error


def test_rows_dealt_in_order_would_be_noticed() -> None:
    """The planted error: without the shuffle inside a parent's cell, both columns are dealt in step."""
    in_order = mock.Mock(wraps=np.random.default_rng(7))
    in_order.random.side_effect = lambda shape: np.full(shape, 0.5)
    in_order.permutation.side_effect = np.arange
    codes = sample(fit((2, 2, 2), STAR, steps=500).beliefs, 10_000, in_order)
    assert given_the_first(codes) < 1e-6


@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(1, 6))
def test_rounding_keeps_sums_and_goes_to_a_neighbour(seed: int, rows: int, cells: int) -> None:
    rng = np.random.default_rng(seed)
    chances = rng.dirichlet(np.ones(cells), size=3)
    sums = np.array([rows, 1, 2 * rows])
    expected = chances * sums[:, None]
    found = rounded(expected, sums, rng)
    assert (found.sum(axis=1) == sums).all()
    assert (np.abs(found - expected) < 1 + 1e-6).all()


def test_rounding_is_fair() -> None:
    rng = np.random.default_rng(3)
    found = rounded(np.tile([0.2, 0.5, 1.3], (20_000, 1)), np.full(20_000, 2), rng)
    np.testing.assert_allclose(found.mean(axis=0), [0.2, 0.5, 1.3], atol=0.02)


def test_every_group_is_dealt_by_its_own_chances() -> None:
    group = np.array([2, 0, 2, 0, 2, 2])
    cells = dealt(np.array([[1.0, 0.0], [0.5, 0.5], [0.25, 0.75]]), group, np.random.default_rng(0))
    assert cells[group == 0].tolist() == [0, 0]
    assert sorted(cells[group == 2].tolist()) == [0, 1, 1, 1]
    assert sampling.flat([np.array([1, 0]), np.array([2, 1])], [2, 3], 2).tolist() == [5, 1]


def test_a_cell_shut_by_one_mask_is_not_opened_by_the_next() -> None:
    """Counts leave column 2 only cell 0, which the first mask shuts: the other cells are drawn, and cell 0 is not."""
    sizes, first = (2, 2, 3), {0: (), 1: (), 2: ()}
    tables = {
        (0,): Noisy((0,), np.array([1.0, 1.0]), 1.0),
        (1,): Noisy((1,), np.array([1.0, 1.0]), 1.0),
        (2,): Noisy((2,), np.array([9.0, -1.0, -1.0]), 1.0),
    }
    never = {(0, 2): np.array([[True, False, False]] * 2), (1, 2): np.array([[False, True, False]] * 2)}
    for order in (never, dict(reversed(never.items()))):
        codes = walk(sizes, first, tables, 500, np.random.default_rng(1), order)
        assert set(codes[2].tolist()) == {2}


@given(st.integers(0, 2**32 - 1), st.permutations(range(4)))
def test_a_walk_never_ends_in_what_is_impossible(seed: int, order: list[int]) -> None:
    """Against every cell of the whole table: what is drawn is possible, and refused only where nothing is."""
    rng, sizes = np.random.default_rng(seed), (2, 3, 2, 3)
    pairs = [(0, 1), (1, 2), (0, 3), (1, 3), (2, 3)]
    never = {pair: rng.random([sizes[i] for i in pair]) < 0.4 for pair in pairs}
    whole = np.zeros(sizes, dtype=bool)
    for (a, b), mask in never.items():
        whole |= mask.reshape([size if i in (a, b) else 1 for i, size in enumerate(sizes)])
    tables = {(i,): Noisy((i,), rng.normal(0, 1, size), 1.0) for i, size in enumerate(sizes)}
    if whole.all():
        with pytest.raises(InfeasibleError, match="no row is left"):
            dead_ends(order, sizes, never)
        return
    codes = walk(sizes, dict.fromkeys(order, ()), tables, 200, rng, never)
    assert not whole[tuple(codes)].any()


def test_masks_that_no_memory_holds_are_refused() -> None:
    never = {(i, 9): np.zeros((100, 100), dtype=bool) for i in range(9)}
    with pytest.raises(PlanError, match="Rule out less, or take wider cells"):
        dead_ends(range(10), [100] * 10, never)
