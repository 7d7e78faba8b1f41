"""The search over labels: its start equals its twin, its cost is what its classes cost, nothing is below k."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paravent import kernels
from paravent.kernels import Demand, DemandKind, PricedLevel, local_search
from paravent.kernels.demands import demand_holds
from tests.kernels.twins.local import cover_twin

Case = tuple[list[np.ndarray], list[list[PricedLevel]], np.ndarray, np.ndarray]


def levels_of(rng: np.random.Generator, leaves: int) -> list[PricedLevel]:
    """Levels of pairs, fours, …, each dearer than the one below."""
    codes, cost, priced = np.arange(leaves), np.zeros(leaves, dtype=np.int64), []
    while True:
        priced.append(PricedLevel(codes.astype(np.int32), int(codes.max()) + 1, cost))
        if codes.max() == 0:
            return priced
        codes = codes // 2
        dearest = np.zeros(int(codes.max()) + 1, dtype=np.int64)
        np.maximum.at(dearest, codes, cost)
        cost = (dearest + rng.integers(1, 1000, len(dearest)))[codes]


def case(seed: int) -> Case:
    rng = np.random.default_rng(seed)
    sizes = [int(rng.integers(1, 9)) for _ in range(int(rng.integers(1, 5)))]
    priced_levels = [levels_of(rng, n) for n in sizes]
    rows = np.stack([rng.integers(0, n, int(rng.integers(6, 60))) for n in sizes[:1]], axis=1)
    rows = np.stack([rows[:, 0], *(rng.integers(0, n, len(rows)) for n in sizes[1:])], axis=1)
    tuples, weight = np.unique(rows, axis=0, return_counts=True)
    grid = np.stack(
        [a.reshape(-1) for a in np.meshgrid(*(np.arange(len(r)) for r in priced_levels), indexing="ij")], axis=1
    )
    nodes = grid[np.argsort(grid.sum(axis=1), kind="stable")].astype(np.int32)
    leaves = [np.ascontiguousarray(column, dtype=np.int32) for column in tuples.T]
    return leaves, priced_levels, weight.astype(np.int32), nodes


def least_possible(
    found: kernels.Cover, leaves: list[np.ndarray], priced_levels: list[list[PricedLevel]], weight: np.ndarray
) -> int:
    """What the classes cost at the lowest level of each column on which their rows agree: no label can cost less."""
    tuple_of = np.repeat(np.arange(len(weight)), weight)
    total = 0
    for label in np.unique(found.of_row):
        members = tuple_of[found.of_row == label]
        for column, priced in zip(leaves, priced_levels, strict=True):
            level = next(level for level in priced if len(set(level.codes[column[members]].tolist())) == 1)
            total += int(level.cost[column[members[0]]]) * len(members)
    return total


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), k=st.integers(1, 6), most=st.sampled_from([2, 3, 5, 400]))
def test_start_equals_twin(seed: int, k: int, most: int) -> None:
    leaves, priced_levels, weight, nodes = case(seed)
    found = local_search(leaves, priced_levels, weight, nodes, k=k, most=most, proposals=0)
    expected = cover_twin(leaves, priced_levels, weight, nodes, k=k, most=most)
    assert found.cost == expected.cost == found.start_cost
    np.testing.assert_array_equal(found.of_row, expected.of_row)


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), k=st.integers(1, 6), most=st.sampled_from([3, 400]))
def test_search_keeps_its_books(seed: int, k: int, most: int) -> None:
    leaves, priced_levels, weight, nodes = case(seed)
    asked = {"k": k, "most": most, "proposals": 5000, "seed": seed % 7}
    found = local_search(leaves, priced_levels, weight, nodes, **asked)  # type: ignore[arg-type]
    assert min(Counter(found.of_row.tolist()).values()) >= k
    assert len(found.of_row) == weight.sum()
    assert least_possible(found, leaves, priced_levels, weight) <= found.cost <= found.start_cost
    again = local_search(leaves, priced_levels, weight, nodes, **asked)  # type: ignore[arg-type]
    np.testing.assert_array_equal(found.of_row, again.of_row)


def demanding(seed: int, weight: np.ndarray) -> tuple[list[np.ndarray], list[Demand]]:
    """Two sensitive columns and demands on them that the whole table satisfies."""
    rng = np.random.default_rng(seed + 1)
    rows = int(weight.sum())
    sensitive = [rng.integers(0, size, rows).astype(np.int32) for size in (3, 4)]
    whole = np.bincount(sensitive[1]) / rows
    every = [
        Demand(DemandKind.DISTINCT, 0, 2),
        Demand(DemandKind.ENTROPY, 0, 1.5),
        Demand(DemandKind.RECURSIVE, 1, 2, 3.0),
        Demand(DemandKind.SHARE, 1, 0.8),
        Demand(DemandKind.DISTANCE, 1, 0.4, whole=whole),
    ]
    some = [demand for demand in every if rng.random() < 0.5]
    return sensitive, [d for d in some if demand_holds(d, np.bincount(sensitive[d.column]))]


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), k=st.integers(1, 5), most=st.sampled_from([8, 400]), coarse=st.integers(0, 30))
def test_demands_hold_from_the_start_on(seed: int, k: int, most: int, coarse: int) -> None:
    leaves, priced_levels, weight, nodes = case(seed)
    sensitive, demands = demanding(seed, weight)
    asked = {"k": k, "most": most, "coarse": coarse, "sensitive": sensitive, "demands": demands}
    start = local_search(leaves, priced_levels, weight, nodes, proposals=0, **asked)  # type: ignore[arg-type]
    expected = cover_twin(leaves, priced_levels, weight, nodes, **asked)  # type: ignore[arg-type]
    assert start.cost == expected.cost
    np.testing.assert_array_equal(start.of_row, expected.of_row)
    found = local_search(leaves, priced_levels, weight, nodes, proposals=4000, seed=seed % 5, **asked)  # type: ignore[arg-type]
    assert least_possible(found, leaves, priced_levels, weight) <= found.cost <= start.cost
    for label in np.unique(found.of_row):
        mine = found.of_row == label
        assert mine.sum() >= k
        for demand in demands:
            codes = sensitive[demand.column]
            assert demand_holds(demand, np.bincount(codes[mine], minlength=int(codes.max()) + 1))


@settings(max_examples=80, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), k=st.integers(1, 5))
def test_a_given_partition_is_never_made_worse(seed: int, k: int) -> None:
    leaves, priced_levels, weight, nodes = case(seed)
    best = local_search(leaves, priced_levels, weight, nodes, k=k, proposals=3000)
    classes = np.unique(best.of_row, return_inverse=True)[1].astype(np.int32).reshape(-1)
    each = np.zeros(int(classes.max()) + 1, dtype=np.int64)
    given = (classes, each)
    for c in range(len(each)):
        mine = np.repeat(np.arange(len(weight)), weight)[classes == c]
        for column, priced in zip(leaves, priced_levels, strict=True):
            level = next(level for level in priced if len(set(level.codes[column[mine]].tolist())) == 1)
            each[c] += level.cost[column[mine[0]]]
    cheap = nodes[-1:]  # without it everything would be one class
    found = local_search(leaves, priced_levels, weight, cheap, k=k, proposals=500, most=2, given=given)
    total = int(each[classes].sum())
    assert found.cost <= total <= best.cost
    assert min(Counter(found.of_row.tolist()).values()) >= k


def test_threads_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    leaves, priced_levels, weight, nodes = case(5)
    results = []
    for threads in ("1", "3"):
        monkeypatch.setenv("PARAVENT_THREADS", threads)
        results.append(local_search(leaves, priced_levels, weight, nodes, k=3, proposals=3000).of_row)
    np.testing.assert_array_equal(*results)


def test_seeds_matter() -> None:
    """Else the seed is not used."""
    found = set()
    leaves, priced_levels, weight, nodes = case(12)
    for seed in range(20):
        found.add(
            tuple(local_search(leaves, priced_levels, weight, nodes, k=2, proposals=300, seed=seed).of_row.tolist())
        )
    assert len(found) > 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"k": 100}, "weights"),
        ({"k": 0}, "weights"),
        ({"most": 1}, "most"),
        ({"most": 1000}, "most"),
        ({"cold": 0.0}, "hot"),
        ({"hot": 0.01}, "hot"),
        ({"demands": [Demand(DemandKind.DISTINCT, 0, 2)]}, "sensitive column 0"),
        ({"sensitive": [np.zeros(3, dtype=np.int32)]}, "3 codes for 2 rows"),
        ({"given": (np.array([0, 1], dtype=np.int32), np.zeros(2, dtype=np.int64))}, "given"),
    ],
)
def test_bad_arguments_are_refused(change: dict[str, Any], words: str) -> None:
    priced = [PricedLevel(np.zeros(2, dtype=np.int32), 1, np.zeros(2, dtype=np.int64))]
    leaf, weight, nodes = np.array([0, 1], dtype=np.int32), np.ones(2, dtype=np.int32), np.zeros((1, 1), dtype=np.int32)
    with pytest.raises(ValueError, match=words):
        local_search([leaf], [priced], weight, nodes, **{"k": 2, "proposals": 1, **change})  # type: ignore[arg-type]


def test_last_node_must_be_the_top() -> None:
    priced = [PricedLevel(np.arange(2, dtype=np.int32), 2, np.zeros(2, dtype=np.int64))]
    leaf, weight, nodes = np.array([0, 1], dtype=np.int32), np.ones(2, dtype=np.int32), np.zeros((1, 1), dtype=np.int32)
    with pytest.raises(ValueError, match="say nothing"):
        local_search([leaf], [priced], weight, nodes, k=2, proposals=1)
