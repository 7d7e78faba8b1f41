"""Neighbouring classes parted anew: never worse, classes stay large enough, two classes become the best that can be."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from paravent.methods.partition.neighbours import parted_anew
from paravent.methods.partition.repartition import Repartition

from .test_partitions import small_space
from .test_repartition import random_parts

MANY = settings(max_examples=300, deadline=None)


@MANY
@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(0, 6))
def test_no_round_loses_anything(seed: int, k: int, rounds: int) -> None:
    space = small_space(seed, 40)
    if space.n_rows < k:
        return
    before = space.of_row(random_parts(space, k, seed))
    costs = [space.cost(space.parts(before))]
    for done in range(1, rounds + 1):
        after = parted_anew(space, before, k, rounds=done, seed=seed)
        assert np.bincount(after).min() >= k
        costs.append(space.cost(space.parts(after)))
    assert costs == sorted(costs, reverse=True)
    assert np.array_equal(
        parted_anew(space, before, k, rounds=rounds, seed=seed), parted_anew(space, before, k, rounds=rounds, seed=seed)
    )


@MANY
@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
def test_two_classes_become_what_all_their_rows_can_be(seed: int, k: int) -> None:
    """PCkPCk' on the whole table is exact for so few rows, so nothing better is left for two classes."""
    space = small_space(seed, 12)
    if not 2 * k <= space.n_rows < 3 * k:
        return
    rng = np.random.default_rng(seed)
    before = np.empty(space.n_rows, dtype=np.int32)
    before[rng.permutation(space.n_rows)] = np.arange(space.n_rows) >= k
    best = Repartition(space).run(space.parts(np.zeros(space.n_rows, dtype=np.int32)), k)
    assert space.cost(space.parts(parted_anew(space, before, k, rounds=1, seed=seed))) == space.cost(best)
