"""Outliers of full-domain generalizations: the compiled count and its twin agree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paravent import kernels
from paravent.kernels.lattice import PricedLevel, Tuples
from tests.kernels.twins.lattice import outliers_twin


def levels_of(rng: np.random.Generator, leaves: int) -> list[PricedLevel]:
    codes = np.arange(leaves)
    priced = []
    for _ in range(int(rng.integers(1, 4))):
        cost = rng.integers(0, 1000, leaves).astype(np.int64)
        covers = rng.integers(1, 9, leaves).astype(np.float64)
        priced.append(PricedLevel(codes.astype(np.int32), int(codes.max()) + 1, cost, covers))
        codes = codes // int(rng.integers(2, 4))
    return priced


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), k=st.integers(1, 9), wide=st.booleans())
def test_twins_agree(seed: int, k: int, wide: bool) -> None:
    rng = np.random.default_rng(seed)
    width = 14 if wide else int(rng.integers(1, 5))  # wide: the packed key does not fit into 64 bits
    leaves = [60_000 if wide else int(rng.integers(1, 9)) for _ in range(width)]
    priced_levels = [levels_of(rng, n) for n in leaves]
    tuples = rng.integers(0, 6, (50, width)) if wide else np.stack([rng.integers(0, n, 50) for n in leaves], axis=1)
    columns = [column.astype(np.int32) for column in tuples.T]
    weight = rng.integers(1, 4, 50).astype(np.int32)
    nodes = np.stack([rng.integers(0, len(priced), 20) for priced in priced_levels], axis=1).astype(np.int32)
    limit = int(weight.sum())
    tuples = Tuples(columns, priced_levels, weight)
    found = kernels.outliers(tuples, nodes, k=k, limit=limit, sizes=True, areas=True)
    expected = outliers_twin(tuples, nodes, k=k, limit=limit, sizes=True, areas=True)
    for name in ("rows", "cost", "sizes"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    np.testing.assert_allclose(found.logs, expected.logs, rtol=1e-12)
    np.testing.assert_allclose(found.area, expected.area, rtol=1e-12)
    early = kernels.outliers(tuples, nodes, k=k, limit=10)
    np.testing.assert_array_equal(early.rows > 10, expected.rows > 10)
    assert not early.sizes.size
    assert not early.area.size


def test_levels_out_of_reach_are_refused() -> None:
    priced = [PricedLevel(np.zeros(3, dtype=np.int32), 1, np.zeros(3, dtype=np.int64))]
    tuples = Tuples([np.zeros(2, dtype=np.int32)], [priced], np.ones(2, dtype=np.int32))
    with pytest.raises(ValueError, match="levels of column 0"):
        kernels.outliers(tuples, np.array([[1]], dtype=np.int32), k=2, limit=0)
    with pytest.raises(ValueError, match="areas"):
        kernels.outliers(tuples, np.array([[0]], dtype=np.int32), k=2, limit=0, areas=True)


@pytest.mark.parametrize(
    ("leaf", "weight", "words"),
    [([0, 3], [1, 1], "column 0"), ([0], [1, 1], "1 codes for 2"), ([0, 1], [1, 0], "positive")],
)
def test_tuples_are_checked_when_they_are_made(leaf: list[int], weight: list[int], words: str) -> None:
    priced = [PricedLevel(np.zeros(3, dtype=np.int32), 1, np.zeros(3, dtype=np.int64))]
    with pytest.raises(ValueError, match=words):
        Tuples([np.array(leaf, dtype=np.int32)], [priced], np.array(weight, dtype=np.int32))
