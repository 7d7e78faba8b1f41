"""Sets of columns: the compiled searches, their NumPy twins and a count over all subsets agree."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paravent.kernels.subsets import count_subsets, minimal_uniques
from tests.kernels.twins.subsets import count_subsets_twin, minimal_uniques_twin


def random_tuples(seed: int) -> tuple[list[np.ndarray], list[int], np.ndarray]:
    rng = np.random.default_rng(seed)
    rows, width = int(rng.integers(1, 60)), int(rng.integers(1, 7))
    codes = np.stack([(rng.random(rows) ** 2 * rng.integers(1, 9)).astype(np.int32) for _ in range(width)], axis=1)
    tuples, weight = np.unique(codes, axis=0, return_counts=True)
    columns = [np.ascontiguousarray(column) for column in tuples.T]
    return columns, [int(column.max()) + 1 for column in columns], weight.astype(np.int32)


def by_counting(columns: list[np.ndarray], weight: np.ndarray, max_size: int) -> set[tuple[int, int]]:
    """Alone in a set of columns, and in none of its subsets."""
    found: set[tuple[int, int]] = set()
    codes = np.stack(columns, axis=1)
    for size in range(1, max_size + 1):
        for subset in combinations(range(len(columns)), size):
            mask = sum(1 << j for j in subset)
            _, inverse = np.unique(codes[:, subset], axis=0, return_inverse=True)
            rows = np.bincount(inverse.ravel(), weights=weight)[inverse.ravel()]
            for t in np.flatnonzero(rows == 1).tolist():
                if not any(other == t and known & mask == known for other, known in found):
                    found.add((t, mask))
    return found


@settings(max_examples=300)
@given(seed=st.integers(0, 2**32 - 1), max_size=st.integers(1, 6))
def test_twins_agree(seed: int, max_size: int) -> None:
    columns, sizes, weight = random_tuples(seed)
    depth = min(max_size, len(columns))
    for compiled, twin in ((minimal_uniques, minimal_uniques_twin), (count_subsets, count_subsets_twin)):
        found = compiled(columns, sizes, weight, max_size=max_size)
        expected = twin(columns, sizes, weight, max_size=depth)
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_array_equal(a, b)
            assert a.dtype == b.dtype


@settings(max_examples=80)
@given(seed=st.integers(0, 2**32 - 1), max_size=st.integers(1, 6))
def test_the_search_finds_what_counting_finds(seed: int, max_size: int) -> None:
    columns, sizes, weight = random_tuples(seed)
    tuples, masks = minimal_uniques(columns, sizes, weight, max_size=max_size)
    expected = by_counting(columns, weight, min(max_size, len(columns)))
    assert set(zip(tuples.tolist(), masks.tolist(), strict=True)) == expected
    assert len(tuples) == len(expected)


def test_bad_arrays_are_refused() -> None:
    one = np.zeros(2, dtype=np.int32)
    with pytest.raises(ValueError, match="between 1 and 63"):
        minimal_uniques([], [], one, max_size=1)
    with pytest.raises(ValueError, match="codes must lie between"):
        minimal_uniques([one + 5], [2], one + 1, max_size=1)
    with pytest.raises(ValueError, match="codes for"):
        minimal_uniques([one], [1], np.ones(3, dtype=np.int32), max_size=1)
    with pytest.raises(ValueError, match="at least one"):
        count_subsets([one], [1], one + 1, max_size=0)
    with pytest.raises(ValueError, match="int32"):
        minimal_uniques([one.astype(np.int64)], [1], one + 1, max_size=1)
