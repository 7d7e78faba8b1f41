"""Entropy against its definition; uniform and dense data recognised for what they are."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paravent.profiling.distribution import Distribution, distribution, entropy, normalised_entropy, uniformity

counts = st.lists(st.integers(1, 1000), min_size=1, max_size=60).map(np.array)


@given(counts)
def test_entropy_is_shannons(held: np.ndarray) -> None:
    shares = held / held.sum()
    assert entropy(held) == pytest.approx(sum(-p * math.log2(p) for p in shares), abs=1e-12)
    assert 0 <= normalised_entropy(held) <= 1


@given(counts)
def test_uniformity_is_a_share(held: np.ndarray) -> None:
    assert 0 <= uniformity(held) <= 1
    assert 0 <= uniformity(held, np.arange(len(held)) ** 2.0) <= 1


def _spread(values: np.ndarray) -> Distribution:
    positions, held = np.unique(values, return_counts=True)
    return distribution(uniformity(held, positions.astype(float)))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("rows", [300, 1000, 50_000])
def test_synthetic_numbers(rows: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    assert _spread(rng.uniform(0, 1, rows)) is Distribution.UNIFORM
    assert _spread(rng.integers(17, 91, rows)) is Distribution.UNIFORM
    assert _spread(rng.normal(50, 15, rows)) is Distribution.DENSE
    assert _spread(rng.normal(50, 12, rows).round()) is Distribution.DENSE
    assert _spread(rng.exponential(1, rows)) is Distribution.DENSE


@pytest.mark.parametrize("rows", [200, 10_000])
def test_synthetic_categories(rows: int) -> None:
    rng = np.random.default_rng(7)
    even = np.bincount(rng.integers(0, 12, rows))
    skewed = np.bincount(rng.zipf(2.0, rows).clip(max=12))[1:]
    assert distribution(uniformity(even)) is Distribution.UNIFORM
    assert distribution(uniformity(skewed)) is Distribution.DENSE


def test_one_value_or_none() -> None:
    for held in (np.array([9]), np.array([], dtype=np.int64)):
        assert entropy(held) == normalised_entropy(held) == uniformity(held) == 0
    assert uniformity(np.full(30, 1), np.array([math.inf, math.nan, *range(28)])) == 1
