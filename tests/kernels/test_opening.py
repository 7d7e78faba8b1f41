"""Opening labels equals its twin, keeps exact books, keeps what is demanded, and never ends worse than it began."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paravent.kernels import SEARCHED, CutAxis, Demand, DemandKind, Style
from paravent.kernels.demands import demand_holds
from paravent.kernels.opening import as_tree, has_room, open_labels
from tests.kernels.test_regrouping import Case, case, cost_of
from tests.kernels.twins.opening import open_labels_twin

seeds = st.integers(0, 2**32 - 1)


def on_trees(seed: int, rows: int = 40) -> Case:
    c = case(seed, rows)
    return c._replace(axes=[as_tree(axis) for axis in c.axes])


@settings(max_examples=150, deadline=None)
@given(seed=seeds, work=st.sampled_from([0, 2_000, 20_000, 100_000]), hot=st.sampled_from([0.2, 1.0, 4.0]))
def test_opening_equals_its_twin(seed: int, work: int, hot: float) -> None:
    c = on_trees(seed)
    asked: dict[str, Any] = {"k": c.k, "work": work, "hot": hot, "seed": seed}
    found = open_labels(c.codes, c.axes, c.start, **asked)
    of_row, cost, start_cost = open_labels_twin(c.codes, c.axes, c.start, **asked)
    np.testing.assert_array_equal(found.of_row, of_row)
    assert (found.cost, found.start_cost) == (cost, start_cost)
    assert start_cost == cost_of(c, c.start)
    assert cost_of(c, found.of_row) <= cost <= start_cost
    assert np.bincount(found.of_row).min() >= c.k


@settings(max_examples=100, deadline=None)
@given(seed=seeds, kind=st.sampled_from(sorted(SEARCHED)))
def test_demands_are_kept(seed: int, kind: DemandKind) -> None:
    c = on_trees(seed)
    shares = np.bincount(c.column, minlength=int(c.column.max()) + 1) / len(c.column)
    demand = {
        DemandKind.DISTINCT: Demand(kind, 0, 2),
        DemandKind.ENTROPY: Demand(kind, 0, 1.5),
        DemandKind.RECURSIVE: Demand(kind, 0, 2, 3.0),
        DemandKind.SHARE: Demand(kind, 0, 0.7),
        DemandKind.DISTANCE: Demand(kind, 0, 0.4, whole=shares),
    }[kind]

    def hold(of_row: np.ndarray) -> bool:
        parts = [np.bincount(c.column[of_row == part], minlength=len(shares)) for part in np.unique(of_row)]
        return all(demand_holds(demand, part) for part in parts)

    start = c.start if hold(c.start) else np.zeros_like(c.start)
    asked: dict[str, Any] = {"work": 30_000, "hot": 1.0, "seed": seed, "sensitive": [c.column], "demands": [demand]}
    found = open_labels(c.codes, c.axes, start, k=c.k, **asked)
    of_row, cost, _ = open_labels_twin(c.codes, c.axes, start, k=c.k, **asked)
    np.testing.assert_array_equal(found.of_row, of_row)
    assert cost_of(c, found.of_row) <= found.cost == cost
    assert hold(found.of_row) or not hold(start)


@settings(max_examples=60, deadline=None)
@given(seed=seeds)
def test_columns_without_trees_are_searched_in_pairs(seed: int) -> None:
    """What the labels cost is never less than what classes cost at their tightest spans and sets."""
    c = case(seed, rows=80)
    found = open_labels(c.codes, c.axes, c.start, k=c.k, work=30_000, hot=1.0, seed=seed)
    assert cost_of(c, found.of_row) <= found.cost <= found.start_cost
    assert np.bincount(found.of_row).min() >= c.k


def best(c: Case) -> int:
    """The least cost of all partitions into classes of at least k rows."""
    found = []
    for code in product(range(len(c.codes) // c.k), repeat=len(c.codes)):
        sizes = np.bincount(code)
        if sizes[sizes > 0].min() >= c.k:
            found.append(cost_of(c, np.array(code)))
    return min(found)


def test_the_optimum_of_tiny_tables_is_mostly_reached() -> None:
    met = asked = 0
    for seed in range(300):
        c = on_trees(seed, rows=9)._replace(k=3)
        if len(c.codes) < 6:
            continue
        found = open_labels(c.codes, c.axes, np.zeros_like(c.start), k=c.k, work=50_000, hot=2.0, seed=seed)
        least = best(c)
        assert found.cost >= least
        met, asked = met + (cost_of(c, found.of_row) == least), asked + 1
    assert asked >= 50
    assert met >= 0.7 * asked


def test_large_classes_move_their_labels() -> None:
    """Values in pairs of pairs, and start labels that say nothing."""
    rng = np.random.default_rng(1)
    axis = as_tree(CutAxis(Style.SPAN, np.arange(16, dtype=np.int64)))
    codes = np.stack([rng.integers(0, 16, 600) for _ in range(3)], axis=1).astype(np.int32)
    found = open_labels(codes, [axis] * 3, np.zeros(600, dtype=np.int32), k=60, work=4_000_000, hot=3.0)
    assert found.cost < 0.72 * found.start_cost
    assert np.bincount(found.of_row).min() >= 60


def test_seeds_matter() -> None:
    c = on_trees(7, rows=200)
    found = {
        open_labels(c.codes, c.axes, c.start, k=c.k, work=30_000, hot=1.0, seed=s).of_row.tobytes() for s in range(9)
    }
    assert len(found) > 1


def test_nonsense_is_refused() -> None:
    c = case(3)
    with pytest.raises(ValueError, match="at least k rows"):
        open_labels(c.codes, c.axes, c.start, k=len(c.codes) + 1, work=1, hot=1.0)
    with pytest.raises(ValueError, match="hot"):
        open_labels(c.codes, c.axes, c.start, k=c.k, work=1, hot=0.01)
    assert has_room(1000, c.axes)
    assert not has_room(2**33, c.axes)
