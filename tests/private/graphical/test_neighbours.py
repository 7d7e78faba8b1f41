"""Ordered columns: blocks of neighbours, and what a fit makes of them."""

from __future__ import annotations

import numpy as np
import pytest

from paravent.private.graphical.fit import Noisy, _Problem, fit
from paravent.private.graphical.neighbours import block_starts, blocks_over
from tests.private.graphical.test_inference import along_the_slope


@pytest.mark.parametrize(
    ("size", "starts"),
    [
        (1, []),
        (12, []),
        (13, [[0, 4, 8, 12]]),
        (49, [[*range(0, 48, 4), 48], [0, 16, 32, 48]]),
        (51, [[*range(0, 50, 4), 50], [0, 16, 32, 48, 50]]),
    ],
)
def test_blocks_hold_four_neighbours_or_four_blocks_and_never_the_last_cell(size: int, starts: list[list[int]]) -> None:
    assert [found.tolist() for found in block_starts(size)] == starts


def test_only_ordered_columns_have_blocks() -> None:
    assert blocks_over((0, 1), (60, 3), ()) == []
    assert blocks_over((0, 1), (60, 3), (1,)) == []  # too short
    wide, narrow = blocks_over((0, 1), (60, 14), (0, 1))
    assert (wide.size, narrow.size) == (5 * 5, 16 * 5)  # the short column has blocks of one width
    table = np.arange(60.0 * 14).reshape(60, 14)
    assert wide.summed(table)[0, 0] == table[:16, :4].sum()
    np.testing.assert_array_equal(narrow.spread(narrow.summed(table))[4:8, 13], [table[4:8, 13].sum()] * 4)
    assert narrow.cells().sum() == table.size


def test_the_slope_is_that_of_the_loss_with_blocks_too() -> None:
    rng = np.random.default_rng(3)
    sizes = (50, 3, 14)
    measured = [Noisy(c, rng.normal(30, 9, [sizes[i] for i in c]), 5.0) for c in [(0,), (1,), (2,), (0, 1), (0, 2)]]
    problem = _Problem(sizes, measured, {}, 900.0, (0, 2))
    assert len(problem.prices) == problem.length + (5 + 14) * 3 + 5 * 5 + 14 * 5
    along_the_slope(problem, rng)
    theta = rng.normal(0, 1, problem.length)
    np.testing.assert_allclose(problem.tables(problem._parted(theta)), theta, atol=1e-12)


def distances(shape: np.ndarray, seed: int) -> tuple[float, float]:
    """How far fits are from the true counts of two columns, without and with an order of the first."""
    rng, sizes, sigma = np.random.default_rng(seed), (61, 3), 40.0
    true = np.zeros(sizes)
    true[:60, 0], true[:60, 1] = 300 * shape, 300 * (1 - shape)
    alone = [Noisy((0,), true.sum(axis=1), 1.0), Noisy((1,), true.sum(axis=0), 1.0)]
    measured = [*alone, Noisy((0, 1), true + rng.normal(0, sigma, sizes), sigma)]
    plain, smooth = (fit(sizes, measured, ordered=ordered, steps=300).counts((0, 1)) for ordered in ((), (0,)))
    return float(np.abs(plain - true).sum()), float(np.abs(smooth - true).sum())


def test_neighbours_that_are_alike_come_nearer_to_the_truth() -> None:
    found = [distances(0.2 + 0.6 * np.sin(np.linspace(0, np.pi, 60)), seed) for seed in range(5)]
    assert all(smooth < 0.7 * plain for plain, smooth in found)


def test_neighbours_that_differ_are_not_made_alike() -> None:
    """Every other value of the column is another: as far as counts stand out of the noise, they stay so."""
    found = [distances(np.where(np.arange(60) % 2, 0.9, 0.1), seed) for seed in range(5)]
    assert all(smooth < 1.15 * plain for plain, smooth in found)
