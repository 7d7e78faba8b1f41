"""Cuts by a target: the compiled recursion and its NumPy twin come to the same bits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paravent import kernels
from paravent.kernels.checks import Histograms
from paravent.kernels.cutting import Classes, CutAxis, Rule, Style
from tests.kernels.twins.target import Score, SquaredDeviation, WeightedEntropy, target_cuts_twin


def cut(columns: Sequence[np.ndarray], score: Score, *, k: int, **options: Any) -> kernels.Partition:
    if isinstance(score, WeightedEntropy):
        options |= {"rule": Rule.ENTROPY, "target": Classes(score.classes.astype(np.int32), score.n_classes)}
    elif isinstance(score, SquaredDeviation):
        options |= {"rule": Rule.DEVIATION, "target": score.numbers}
    axes = [CutAxis(Style.SPAN, np.arange(int(column.max()) + 1)) for column in columns]
    return kernels.mondrian(np.stack(columns, axis=1), axes, k=k, record=True, **options)


def guarded_by(sensitive: np.ndarray) -> tuple[dict[str, Any], Callable[[np.ndarray, np.ndarray], bool]]:
    """Two values of a column in every class: as the kernel asks it, and as the twin does."""

    def two_values(_: np.ndarray, found: Histograms) -> np.ndarray:
        return np.diff(found[0][0]) >= 2

    def allowed(left: np.ndarray, right: np.ndarray) -> bool:
        return min(len(np.unique(sensitive[side])) for side in (left, right)) >= 2

    return {"sensitive": [sensitive], "guard": two_values}, allowed


@settings(max_examples=200, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    k=st.integers(1, 6),
    many=st.booleans(),
    numbers=st.booleans(),
    guarded=st.booleans(),
)
def test_twins_agree(seed: int, k: int, many: bool, numbers: bool, guarded: bool) -> None:
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(1, 120))
    columns = [rng.integers(0, int(rng.choice([2, 7, 3000])), rows).astype(np.int32) for _ in range(3)]
    score: Score = SquaredDeviation(rng.normal(1e6, 3, rows).round(int(rng.integers(0, 9))))
    if not numbers:
        n_classes = 200 if many else 3
        score = WeightedEntropy(rng.integers(0, n_classes, rows), n_classes)
    options, allowed = guarded_by(rng.integers(0, 3, rows).astype(np.int32)) if guarded else ({}, None)
    expected = target_cuts_twin(columns, score, k=k, allowed=allowed)
    found = cut(columns, score, k=k, **options)
    for a, b in zip((found.order, found.starts, found.tree, found.score), expected, strict=True):
        np.testing.assert_array_equal(a, b)
        assert a.dtype == b.dtype
    for j, column in enumerate(columns):
        np.testing.assert_array_equal(found.low[:, j], np.minimum.reduceat(column[found.order], found.starts[:-1]))
        np.testing.assert_array_equal(found.high[:, j], np.maximum.reduceat(column[found.order], found.starts[:-1]))
    assert np.diff(expected.starts).min() >= min(k, rows)


def test_large_groups_on_several_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    columns = [rng.integers(0, 40, 30_000).astype(np.int32) for _ in range(4)]
    score = WeightedEntropy((columns[0] + columns[1] + rng.integers(0, 30, 30_000)) // 25, 5)
    expected = target_cuts_twin(columns, score, k=50)
    for threads in ("1", "3"):
        monkeypatch.setenv("PARAVENT_THREADS", threads)
        found = cut(columns, score, k=50)
        for a, b in zip((found.order, found.starts, found.tree, found.score), expected, strict=True):
            np.testing.assert_array_equal(a, b)


def test_numbers_without_a_mean_are_cut_all_the_same() -> None:
    column = np.arange(4, dtype=np.int32)
    found = cut([column], SquaredDeviation(np.array([np.inf, 1.0, 2.0, 3.0])), k=2)
    assert found.starts.tolist() == [0, 2, 4]


def test_targets_that_do_not_fit_are_refused() -> None:
    codes, axes = np.zeros((4, 1), dtype=np.int32), [CutAxis(Style.SPAN, np.arange(1))]
    few, wide = Classes(np.zeros(3, dtype=np.int32), 1), Classes(np.full(4, 2, dtype=np.int32), 2)
    for rule, target, words in [
        (Rule.DEVIATION, np.zeros(3), "one a row"),
        (Rule.DEVIATION, None, "one a row"),
        (Rule.ENTROPY, np.zeros(4), "classes with entropy"),
        (Rule.ENTROPY, few, "one a row"),
        (Rule.ENTROPY, wide, "between 0 and 1"),
        (Rule.MEDIAN, np.zeros(4), "goes with its rule"),
    ]:
        with pytest.raises(ValueError, match=words):
            kernels.mondrian(codes, axes, k=1, rule=rule, target=target)
