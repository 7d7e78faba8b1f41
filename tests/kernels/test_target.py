"""Cuts by a target: the compiled recursion and its NumPy twin come to the same bits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paravent.kernels.target import Score, SquaredDeviation, WeightedEntropy, target_cuts, target_cuts_twin


@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), k=st.integers(1, 6), many=st.booleans(), numbers=st.booleans())
def test_twins_agree(seed: int, k: int, many: bool, numbers: bool) -> None:
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(1, 120))
    columns = [rng.integers(0, int(rng.choice([2, 7, 3000])), rows).astype(np.int32) for _ in range(3)]
    score: Score = SquaredDeviation(rng.normal(1e6, 3, rows).round(int(rng.integers(0, 9))))
    if not numbers:
        n_classes = 200 if many else 3
        score = WeightedEntropy(rng.integers(0, n_classes, rows), n_classes)
    found = target_cuts(columns, score, k=k)
    expected = target_cuts_twin(columns, score, k=k)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, b)
        assert a.dtype == b.dtype
    assert np.diff(found.starts).min() >= min(k, rows)


def test_large_groups_on_several_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    columns = [rng.integers(0, 40, 30_000).astype(np.int32) for _ in range(4)]
    score = WeightedEntropy((columns[0] + columns[1] + rng.integers(0, 30, 30_000)) // 25, 5)
    expected = target_cuts_twin(columns, score, k=50)
    for threads in ("1", "3"):
        monkeypatch.setenv("PARAVENT_THREADS", threads)
        for a, b in zip(target_cuts(columns, score, k=50), expected, strict=True):
            np.testing.assert_array_equal(a, b)


def test_arrays_that_do_not_fit_are_refused() -> None:
    column = np.zeros(4, dtype=np.int32)
    with pytest.raises(ValueError, match="equally long"):
        target_cuts([column, column[:2]], SquaredDeviation(np.zeros(4)), k=1)
    with pytest.raises(ValueError, match="int32"):
        target_cuts([column.astype(np.int64)], SquaredDeviation(np.zeros(4)), k=1)
    with pytest.raises(ValueError, match="as many rows"):
        target_cuts([column], SquaredDeviation(np.zeros(3)), k=1)
