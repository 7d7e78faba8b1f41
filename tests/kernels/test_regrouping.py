"""Regrouping equals its twin, keeps exact books, keeps what is demanded, and more work never costs more."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paravent.kernels import SEARCHED, CutAxis, Demand, DemandKind, Style
from paravent.kernels.demands import demand_holds
from paravent.kernels.regrouping import regroup
from tests.kernels.test_partition import tree
from tests.kernels.twins.regrouping import Prices, regroup_twin

seeds = st.integers(0, 2**32 - 1)


class Case(NamedTuple):
    codes: np.ndarray
    axes: list[CutAxis]
    start: np.ndarray
    k: int
    column: np.ndarray


def axis_of(rng: np.random.Generator) -> CutAxis:
    size = int(rng.integers(1, 9))
    ruler = np.cumsum(rng.integers(0, 60, size)).astype(np.int64)
    style = Style(int(rng.integers(3)))
    if style is not Style.TREE:
        return CutAxis(style, ruler, int(rng.integers(1, 40)))
    costs, _ = tree(rng, size)
    return CutAxis(
        style, ruler, 0, costs.parent, costs.first, costs.last, np.ascontiguousarray(costs.climb.max() - costs.climb)
    )


def case(seed: int, rows: int = 40) -> Case:
    rng = np.random.default_rng(seed)
    axes = [axis_of(rng) for _ in range(int(rng.integers(1, 4)))]
    n = int(rng.integers(4, rows))
    k = int(rng.integers(1, max(2, n // 3)))
    codes = np.stack([rng.integers(0, axis.size, n) for axis in axes], axis=1).astype(np.int32)
    start = np.empty(n, dtype=np.int32)
    start[rng.permutation(n)] = np.minimum(np.arange(n) // k, max(n // k - 1, 0))
    return Case(codes, axes, start, k, rng.integers(0, 3, n).astype(np.int32))


def cost_of(c: Case, of_row: np.ndarray) -> int:
    prices = Prices(c.axes)
    parts = [c.codes[of_row == part] for part in np.unique(of_row)]
    return sum(prices.label([tuple(row) for row in part.tolist()]) * len(part) for part in parts)


@settings(max_examples=150, deadline=None)
@given(seed=seeds, work=st.sampled_from([0, 300, 5_000, 60_000]), planned=st.sampled_from([None, 40_000, 200_000]))
def test_regrouping_equals_its_twin(seed: int, work: int, planned: int | None) -> None:
    c = case(seed)
    found = regroup(c.codes, c.axes, c.start, k=c.k, work=work, planned=planned, seed=seed)
    of_row, cost, start_cost = regroup_twin(c.codes, c.axes, c.start, k=c.k, work=work, planned=planned, seed=seed)
    np.testing.assert_array_equal(found.of_row, of_row)
    assert (found.cost, found.start_cost) == (cost, start_cost)
    assert start_cost == cost_of(c, c.start)
    assert cost == cost_of(c, found.of_row) <= start_cost
    assert np.bincount(found.of_row).min() >= c.k


def widened(axis: CutAxis, leaves: int = 300) -> CutAxis:
    """The same tree with further leaves under its root, which no row has."""
    if axis.style is not Style.TREE:
        return axis
    n, inner, root = axis.size, len(axis.parent) - axis.size, len(axis.parent) - 1 + leaves
    up = np.where(axis.parent < 0, -1, axis.parent + leaves)
    more = np.arange(n, n + leaves)
    last = np.r_[axis.last[n:-1], n + leaves - 1] if inner else np.array([n + leaves - 1])
    first, cost = axis.first[n:], axis.node_cost[n:]
    if not inner:  # a leaf alone gets a root
        first, cost, up, root = np.array([0]), np.array([40]), np.array([n + leaves]), n + leaves
    return CutAxis(
        Style.TREE,
        np.arange(n + leaves),
        0,
        np.r_[up[:n], np.full(leaves, root), up[n:] if inner else [-1]].astype(np.int32),
        np.r_[axis.first[:n], more, first].astype(np.int32),
        np.r_[axis.last[:n], more, last].astype(np.int32),
        np.r_[axis.node_cost[:n], np.zeros(leaves), cost].astype(np.int64),
    )


@settings(max_examples=60, deadline=None)
@given(seed=seeds, work=st.sampled_from([300, 5_000, 60_000]))
def test_trees_too_large_for_a_table_equal_the_twin_too(seed: int, work: int) -> None:
    c = case(seed)
    axes = [widened(axis) for axis in c.axes]
    found = regroup(c.codes, axes, c.start, k=c.k, work=work, seed=seed)
    of_row, cost, _ = regroup_twin(c.codes, axes, c.start, k=c.k, work=work, seed=seed)
    np.testing.assert_array_equal(found.of_row, of_row)
    assert found.cost == cost


@settings(max_examples=100, deadline=None)
@given(seed=seeds, kind=st.sampled_from(sorted(SEARCHED)), guarded=st.booleans())
def test_demands_and_guards_are_kept(seed: int, kind: DemandKind, guarded: bool) -> None:
    c = case(seed)
    shares = np.bincount(c.column, minlength=int(c.column.max()) + 1) / len(c.column)
    demand = {
        DemandKind.DISTINCT: Demand(kind, 0, 2),
        DemandKind.ENTROPY: Demand(kind, 0, 1.5),
        DemandKind.RECURSIVE: Demand(kind, 0, 2, 3.0),
        DemandKind.SHARE: Demand(kind, 0, 0.7),
        DemandKind.DISTANCE: Demand(kind, 0, 0.4, whole=shares),
    }[kind]

    def held(of_row: np.ndarray, part: int) -> bool:
        return demand_holds(demand, np.bincount(c.column[of_row == part], minlength=len(shares)))

    def guard(sizes: np.ndarray, histograms: list[tuple[np.ndarray, np.ndarray, np.ndarray]]) -> np.ndarray:
        starts, values, counts = histograms[0]
        answers = []
        for i in range(len(sizes)):
            seen = np.zeros(len(shares), dtype=np.int64)
            seen[values[starts[i] : starts[i + 1]]] = counts[starts[i] : starts[i + 1]]
            answers.append(demand_holds(demand, seen))
        return np.array(answers)

    begun = {frozenset(np.flatnonzero(c.start == part).tolist()) for part in np.unique(c.start)}
    told = {"judged": [c.column], "guard": guard} if guarded else {"sensitive": [c.column], "demands": [demand]}
    found = regroup(c.codes, c.axes, c.start, k=c.k, work=8_000, seed=seed, **told)  # type: ignore[arg-type]
    of_row, cost, _ = regroup_twin(c.codes, c.axes, c.start, k=c.k, work=8_000, seed=seed, **told)  # type: ignore[arg-type]
    np.testing.assert_array_equal(found.of_row, of_row)
    assert found.cost == cost == cost_of(c, found.of_row)
    for part in np.unique(found.of_row):
        untouched = frozenset(np.flatnonzero(found.of_row == part).tolist()) in begun
        assert untouched or held(found.of_row, int(part))


@settings(max_examples=60, deadline=None)
@given(seed=seeds)
def test_more_work_never_costs_more(seed: int) -> None:
    c = case(seed, rows=150)
    planned = 300_000
    costs = [
        regroup(c.codes, c.axes, c.start, k=c.k, work=work, planned=planned, seed=seed).cost
        for work in range(0, 400_000, 23_000)
    ]
    assert costs == sorted(costs, reverse=True)


def test_rows_that_belong_together_come_together() -> None:
    codes = np.array([[0], [5], [0], [5], [1], [4]], dtype=np.int32)
    axis = CutAxis(Style.SPAN, np.arange(6, dtype=np.int64))
    found = regroup(codes, [axis], np.array([0, 0, 1, 1, 0, 1], dtype=np.int32), k=3, work=10_000)
    assert (found.start_cost, found.cost) == (30, 6)
    assert found.of_row[[0, 2, 4]].tolist() == [found.of_row[0]] * 3


def test_nonsense_is_refused() -> None:
    c = case(3)
    with pytest.raises(ValueError, match="at least k rows"):
        regroup(c.codes, c.axes, c.start, k=len(c.codes) + 1, work=1)
    with pytest.raises(ValueError, match="of at least k rows each"):
        regroup(c.codes, c.axes, np.arange(len(c.codes), dtype=np.int32), k=2, work=1)
    axis = CutAxis(Style.SET, np.arange(9, dtype=np.int64), -1)
    with pytest.raises(ValueError, match="costs must not be negative"):
        regroup(np.zeros((3, 1), dtype=np.int32), [axis], np.zeros(3, dtype=np.int32), k=1, work=1)
