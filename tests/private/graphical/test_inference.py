"""Inference on junction trees agrees with the whole joint table, written out."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paravent.private.graphical.beliefs import propagate
from paravent.private.graphical.descent import descend
from paravent.private.graphical.fit import Noisy, _Problem, estimated_total, fit
from paravent.private.graphical.junction import Columns, junction_tree, spread, without
from paravent.private.graphical.margins import margins, product, product_order, sums_onto

SIZES = (2, 3, 2, 4, 2)
EVERY = tuple(range(len(SIZES)))
PAIRS = list(combinations(EVERY, 2))
SETS = st.lists(st.sampled_from([*PAIRS, (0, 1, 2), (1, 3, 4)]), max_size=6)


def joint(tables: dict[Columns, np.ndarray]) -> np.ndarray:
    """The distribution whose potentials are the tables, cell by cell."""
    product = np.ones(SIZES)
    for columns, table in tables.items():
        product = product * spread(table, columns, EVERY)
    return product / product.sum()


def onto(whole: np.ndarray, columns: Columns) -> np.ndarray:
    return whole.sum(axis=tuple(column for column in EVERY if column not in columns))


@given(SETS)
def test_a_junction_tree_covers_every_set_and_its_shared_columns_hang_together(sets: list[Columns]) -> None:
    tree = junction_tree(sets, SIZES)
    assert {column for clique in tree.cliques for column in clique} == set(EVERY)
    assert all(any(set(columns) <= set(clique) for clique in tree.cliques) for columns in sets)
    for column in EVERY:  # the cliques of a column are one connected piece: one of them has no parent with it
        inside = [i for i, clique in enumerate(tree.cliques) if column in clique]
        tops = [i for i in inside if tree.parents[i] < 0 or column not in tree.cliques[tree.parents[i]]]
        assert len(tops) == 1
    for i, parent in enumerate(tree.parents):
        shared = set(tree.cliques[i]) & set(tree.cliques[parent]) if parent >= 0 else set()
        assert set(tree.separators[i]) == shared
        assert parent < i


@given(SETS, st.integers(0, 2**32 - 1))
def test_beliefs_are_those_of_the_joint_table(sets: list[Columns], seed: int) -> None:
    rng = np.random.default_rng(seed)
    given_ = {columns: rng.random([SIZES[column] for column in columns]) + 0.01 for columns in sets}
    given_[(3,)] = np.array([0.0, 1.0, 2.0, 0.5])  # a cell that nobody is in
    tree = junction_tree(given_, SIZES)
    potentials = [np.ones([SIZES[column] for column in clique]) for clique in tree.cliques]
    for columns, table in given_.items():
        home = tree.home(columns, SIZES)
        potentials[home] *= spread(table, columns, tree.cliques[home])
    beliefs, log_sum = propagate(tree, SIZES, potentials)
    product = np.ones(SIZES)
    for columns, table in given_.items():
        product = product * spread(table, columns, EVERY)
    assert log_sum == pytest.approx(np.log(product.sum()), abs=1e-9)
    whole = joint(given_)
    for size in (1, 2, 3):
        for columns in combinations(EVERY, size):
            np.testing.assert_allclose(beliefs.of(columns), onto(whole, columns), atol=1e-12)


def test_exact_counts_are_met_and_what_is_not_measured_is_independent() -> None:
    rng = np.random.default_rng(1)
    whole = 1000 * joint({(0, 1): rng.random((2, 3)), (1, 2): rng.random((3, 2)), (3,): rng.random(4)})
    measured = [Noisy(columns, onto(whole, columns), 1.0) for columns in [(0, 1), (1, 2), (3,)]]
    fitted = fit(SIZES, measured, steps=2000)
    assert fitted.total == pytest.approx(1000)
    for noisy in measured:
        np.testing.assert_allclose(fitted.counts(noisy.columns), noisy.counts, atol=0.5)
    apart = np.outer(onto(whole, (0,)), onto(whole, (3,))) / 1000
    np.testing.assert_allclose(fitted.counts((0, 3)), apart, atol=0.5)
    np.testing.assert_allclose(fitted.counts((4,)), [500, 500], atol=1e-6)


def test_exact_counts_weigh_more_than_vague_ones() -> None:
    vague, exact = Noisy((0,), np.array([900.0, 100.0]), 100.0), Noisy((0,), np.array([400.0, 600.0]), 1.0)
    fitted = fit((2,), [vague, exact], steps=500)
    np.testing.assert_allclose(fitted.counts((0,)), [400.05, 599.95], atol=0.5)
    assert estimated_total([Noisy((0,), np.array([10.0, 10.0]), 1.0), Noisy((0,), np.array([40.0, 40.0]), 2.0)]) == (
        pytest.approx((20 / 2 + 80 / 8) / (1 / 2 + 1 / 8))
    )


def test_impossible_cells_stay_empty_and_the_rest_fits() -> None:
    never = {(0, 1): np.array([[False, True, False], [False, False, False]])}
    measured = [Noisy((0,), np.array([600.0, 400.0]), 1.0), Noisy((1,), np.array([300.0, 500.0, 200.0]), 1.0)]
    fitted = fit(SIZES, measured, impossible=never, steps=3000)
    pair = fitted.counts((0, 1))
    assert pair[0, 1] == 0
    # 500 are in the middle cell and none of the 600: one of the two must give way, by as much as hurts least.
    np.testing.assert_allclose(pair.sum(axis=1)[0], 600 - pair.sum(axis=1)[1] + 400, atol=1)
    assert pair[1].sum() > 440
    assert fitted.counts((2,)).sum() == pytest.approx(1000)


def test_a_count_that_noise_hides_bends_nothing_and_one_that_stands_out_does() -> None:
    """The same pair of columns, counted as dependent: with little noise it is believed, with much it is not."""
    pair = np.array([[450.0, 50.0], [50.0, 450.0]])
    for sigma, low, high in [(1.0, 445, 452), (3000.0, 250, 300)]:
        alone = [Noisy((i,), np.array([500.0, 500.0]), 1.0) for i in (0, 1)]
        fitted = fit((2, 2), [*alone, Noisy((0, 1), pair, sigma)], steps=500)
        assert low < fitted.counts((0, 1))[0, 0] < high


@given(SETS, st.integers(0, 2**32 - 1))
def test_the_slope_is_that_of_the_loss(sets: list[Columns], seed: int) -> None:
    """By differences of the loss along a random direction."""
    rng = np.random.default_rng(seed)
    measured = [Noisy(columns, rng.normal(30, 20, [SIZES[c] for c in columns]), 5.0) for columns in [*sets, (2,)]]
    problem = _Problem(SIZES, measured, {(0, 1): rng.random((2, 3)) < 0.2}, 100.0)
    along_the_slope(problem, rng)


def along_the_slope(problem: _Problem, rng: np.random.Generator) -> None:
    point, way = rng.normal(0, 1, (2, len(problem.prices)))
    _, slope, _ = problem.judged(point)
    step = 1e-5
    change = problem.judged(point + step * way)[0] - problem.judged(point - step * way)[0]
    assert change / (2 * step) == pytest.approx(float(slope @ way), rel=1e-4, abs=1e-3)


@given(SETS, st.integers(0, 2**32 - 1))
def test_margins_and_products_are_those_of_the_whole_table(sets: list[Columns], seed: int) -> None:
    table = np.random.default_rng(seed).random(SIZES)
    found = margins(table, EVERY, sums_onto(EVERY, sets, SIZES))
    for columns in sets:
        np.testing.assert_allclose(found[columns], onto(table, columns), rtol=1e-12)
    factors = {columns: found[columns] for columns in sets}
    whole = np.ones(SIZES)
    for columns, factor in factors.items():
        whole = whole * spread(factor, columns, EVERY)
    got = product(factors, product_order(list(factors), SIZES), EVERY, SIZES)
    np.testing.assert_allclose(got, whole, rtol=1e-12)


@pytest.mark.parametrize("shape", [(3, 20, 4), (5, 30, 1), (5, 4, 1), (2, 3, 40), (9, 2, 3), (1, 1, 1)])
def test_every_way_to_sum_an_axis_is_the_same(shape: tuple[int, ...]) -> None:
    table = np.random.default_rng(2).random(shape)
    for axis in range(3):
        np.testing.assert_allclose(without(table, axis), table.sum(axis=axis), rtol=1e-12)


def test_descent_finds_the_lowest_point_of_a_long_valley() -> None:
    scale = np.geomspace(1, 1e6, 40)
    lowest, about = np.linspace(-3, 3, 40), scale * np.tile([1, 5], 20)
    judge = lambda x: (0.5 * float(scale @ (x - lowest) ** 2), scale * (x - lowest), about)  # noqa: E731
    np.testing.assert_allclose(descend(judge, np.zeros(40), 500, 0.0), lowest, atol=1e-4)
    assert (descend(judge, np.zeros(40), 0, 0.0) == 0).all()
