"""The kernels of microaggregation give what their plain twins give, byte for byte."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paravent.kernels.micro import MicroColumn, mdav, refine, shortest_cuts
from tests.kernels.twins.micro import mdav_twin, shortest_cuts_twin


def made(rows: int, seed: int, kinds: str, *, few: bool) -> list[MicroColumn]:
    """Columns of all kinds; with `few` values there are many ties."""
    rng = np.random.default_rng(seed)
    columns = []
    for kind in kinds:
        codes = rng.integers(0, 4, rows).astype(np.int32)
        if kind == "l":
            columns.append(MicroColumn.line(rng.integers(-2, 3, rows) / 2 if few else rng.normal(size=rows)))
        elif kind == "o":
            columns.append(MicroColumn.order(codes, np.arange(4) / 4))
        elif kind == "n":
            columns.append(MicroColumn.name(codes, 4, 0.7))
        else:
            place = rng.normal(size=4)
            columns.append(MicroColumn.tabled(codes, (place[:, None] - place[None, :]) ** 2))
    return columns


@given(
    st.integers(0, 400),
    st.integers(1, 12),
    st.text("lont", min_size=1, max_size=5),
    st.booleans(),
    st.integers(0, 10**6),
)
@settings(max_examples=150, deadline=None)
def test_mdav_is_the_plain_one(rows: int, k: int, kinds: str, few: bool, seed: int) -> None:
    columns = made(rows, seed, kinds, few=few)
    expected, count = mdav_twin(columns, k=k)
    for portable in (False, True):
        found, groups = mdav(columns, k=k, portable=portable)
        assert groups == count
        assert np.array_equal(found, expected)
    if rows >= k:
        assert np.bincount(expected).min() >= k


@given(
    st.integers(0, 120),
    st.integers(1, 6),
    st.text("lont", min_size=1, max_size=3),
    st.booleans(),
    st.sampled_from([0.0, 0.2, 1.0, 3.0]),
    st.integers(0, 10**6),
)
@settings(max_examples=80, deadline=None)
def test_variable_sizes_are_the_plain_ones(rows: int, k: int, kinds: str, few: bool, gain: float, seed: int) -> None:
    columns = made(rows, seed, kinds, few=few)
    expected, count = mdav_twin(columns, k=k, gain=gain)
    for portable in (False, True):
        found, groups = mdav(columns, k=k, gain=gain, portable=portable)
        assert groups == count
        assert np.array_equal(found, expected)
    sizes = np.bincount(expected[expected >= 0], minlength=count)
    assert (expected < 0).sum() < k
    assert not count or (sizes.min() >= k and sizes.max() <= max(2 * k - 1, k))


def test_thousands_of_rows_in_nine_columns() -> None:
    columns = made(3000, 5, "lllllllll", few=False)
    assert np.array_equal(mdav(columns, k=7)[0], mdav_twin(columns, k=7)[0])


def partitions(rows: list[int], k: int):
    """Every partition of the rows into groups of at least k."""
    if not rows:
        yield []
        return
    first, rest = rows[0], rows[1:]
    for size in range(k - 1, len(rest) + 1):
        for others in itertools.combinations(rest, size):
            left = [row for row in rest if row not in others]
            for more in partitions(left, k):
                yield [[first, *others], *more]


def error(points: np.ndarray, groups: list[list[int]]) -> float:
    return sum(float(((points[group] - points[group].mean(axis=0)) ** 2).sum()) for group in groups)


def groups_of(of_row: np.ndarray) -> list[list[int]]:
    return [np.flatnonzero(of_row == g).tolist() for g in np.unique(of_row)]


@pytest.mark.parametrize("seed", range(12))
def test_the_univariate_optimum_is_the_best_partition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, k = int(rng.integers(4, 10)), int(rng.integers(2, 4))
    points = np.sort(rng.integers(0, 12, rows) - 6.0)[:, None]
    found = shortest_cuts(points, k=k)
    best = min(error(points, groups) for groups in partitions(list(range(rows)), k))
    assert error(points, groups_of(found)) == pytest.approx(best, abs=1e-9)
    assert np.bincount(found).min() >= min(k, rows)


@given(st.integers(1, 60), st.integers(1, 8), st.integers(1, 3), st.integers(0, 10**6))
@settings(max_examples=80, deadline=None)
def test_cuts_are_the_plain_ones(rows: int, k: int, width: int, seed: int) -> None:
    points = np.random.default_rng(seed).integers(-3, 4, (rows, width)).astype(float)
    k = min(k, rows)
    assert np.array_equal(shortest_cuts(points, k=k), shortest_cuts_twin(points, k))


def everybody_else(rows: int) -> np.ndarray:
    return np.array([[j for j in range(rows) if j != i] for i in range(rows)], dtype=np.int32)


@pytest.mark.parametrize("seed", range(8))
def test_refinement_finds_the_optimum_of_tiny_tables(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, k = 9, int(rng.integers(2, 4))
    points = rng.normal(size=(rows, 2))
    start = mdav([MicroColumn.line(points[:, j]) for j in range(2)], k=k)[0]
    chains = (
        refine(points, everybody_else(rows), start, k=k, proposals=60_000, hot=1.0, cold=1e-3, seed=seed * 64 + chain)
        for chain in range(2)
    )
    best = min(error(points, groups) for groups in partitions(list(range(rows)), k))
    assert min(error(points, groups_of(found)) for found in chains) == pytest.approx(best)


@given(st.integers(6, 60), st.integers(1, 5), st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_refinement_keeps_k_and_follows_from_its_seed(rows: int, k: int, seed: int) -> None:
    points = np.random.default_rng(seed).integers(-3, 4, (rows, 2)).astype(float)
    start = mdav([MicroColumn.line(points[:, j]) for j in range(2)], k=k)[0]
    runs = [
        refine(points, everybody_else(rows), start, k=k, proposals=3000, hot=2.0, cold=1e-3, seed=seed)
        for _ in range(2)
    ]
    assert np.array_equal(*runs)
    sizes = np.bincount(runs[0])
    assert sizes[sizes > 0].min() >= k
    assert error(points, groups_of(runs[0])) <= error(points, groups_of(start)) + 1e-9


def test_wrong_arrays_are_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        mdav([MicroColumn.line(np.array([1.0, np.nan]))], k=1)
    with pytest.raises(ValueError, match="codes"):
        mdav([MicroColumn.name(np.array([0, 5], dtype=np.int32), 2)], k=1)
    with pytest.raises(ValueError, match="at least k rows"):
        refine(
            np.zeros((2, 1)),
            everybody_else(2),
            np.array([0, 1], dtype=np.int32),
            k=2,
            proposals=1,
            hot=1,
            cold=1,
            seed=0,
        )
