"""PCkPCk': never worse, the same with any number of workers, and the kernel gives what the plain version gives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paravent.kernels.splitting import split_classes
from paravent.methods.partition.repartition import Limits, Repartition, entries, joined
from paravent.methods.partition.space import Parts, Space
from tests.kernels.twins.exact import split_twin

from .test_partitions import small_space

MANY = settings(max_examples=300, deadline=None)
LIMITS = st.builds(
    Limits,
    groups=st.integers(1, 40),
    lookups=st.integers(1, 400),
    searched=st.integers(0, 40),
    nodes=st.integers(0, 60),
    visits=st.integers(0, 900),
    deep=st.sampled_from([3, 5, 64]),
)


def random_parts(space: Space, k: int, seed: int) -> Parts:
    """Classes of at least k rows, equal rows parted at random."""
    rng = np.random.default_rng(seed)
    of_row = np.empty(space.n_rows, dtype=np.int32)
    count = int(rng.integers(1, max(1, space.n_rows // k) + 1))
    of_row[rng.permutation(space.n_rows)] = np.minimum(np.arange(space.n_rows) // k, count - 1)
    return space.parts(of_row)


def plain(parts: list[tuple[np.ndarray, np.ndarray]]) -> list[tuple[list[int], list[int]]]:
    return [(tuples.tolist(), rows.tolist()) for tuples, rows in parts]


@MANY
@given(st.integers(0, 2**32 - 1), st.integers(1, 5), LIMITS)
def test_the_kernel_gives_what_the_plain_version_gives(seed: int, k: int, limits: Limits) -> None:
    space = small_space(seed, 40)
    classes = list(entries(random_parts(space, k, seed)))
    found = split_classes(
        space.leaves,
        np.r_[0, np.cumsum([len(t) for t, _ in classes])].astype(np.int64),
        np.concatenate([t for t, _ in classes]),
        np.concatenate([r for _, r in classes]),
        space.tree_costs,
        k=k,
        most=limits.groups,
        lookups=limits.lookups,
        nodes=limits.nodes,
        visits=limits.visits,
        searched=limits.searched,
        deep=limits.deep,
    )
    for c, (tuples, rows) in enumerate(classes):
        expected = split_twin(space, tuples, rows, k, limits)
        assert plain(found.parts[c]) == plain(expected.parts)
        assert found.outcome[c] == expected.outcome


@MANY
@given(st.integers(0, 2**32 - 1), st.integers(1, 5), LIMITS)
def test_it_is_never_worse_than_what_it_was_given(seed: int, k: int, limits: Limits) -> None:
    space = small_space(seed, 40)
    if space.n_rows < k:
        return
    parts = random_parts(space, k, seed)
    found = Repartition(space, limits=limits, workers=1).run(parts, k)
    assert space.cost(found) <= space.cost(parts)
    assert found.sizes.min() >= k
    counted = np.bincount(found.tuples, weights=found.rows, minlength=len(space.weight))
    assert counted.tolist() == space.weight.tolist()
    again = Repartition(space, limits=limits, workers=3).run(parts, k)
    assert [a.tolist() for a in again] == [a.tolist() for a in found]


def test_the_solver_agrees_with_our_own_search() -> None:
    pytest.importorskip("ortools")
    for seed in range(12):
        space = small_space(seed, 16)
        parts = random_parts(space, min(6, space.n_rows), seed)
        ours, theirs = (Repartition(space, solver=solver).run(parts, 2) for solver in ("own", "ortools"))
        assert space.cost(ours) == space.cost(theirs)


def test_classes_that_time_does_not_reach_stay_whole() -> None:
    space = small_space(7, 60)
    parts = random_parts(space, 20, 1)
    run = Repartition(space, limits=Limits(seconds=1e-9), begun=0.0)
    found = run.run(parts, 2)
    assert run.late
    assert space.cost(found) == space.cost(parts)
    run.limits = Limits()
    assert space.cost(run.run(parts, 2)) <= space.cost(found)  # what was not reached is not remembered
    assert not run.late


def test_a_class_that_cannot_be_split_gets_its_lowest_label() -> None:
    space = small_space(3, 8)
    parts = space.parts(np.zeros(space.n_rows, dtype=np.int32))
    found = Repartition(space).run(parts, space.n_rows)
    assert found.n_parts == 1
    assert space.cost(joined(list(entries(found)))) == space.cost(parts)


def test_progress_may_stop_the_run() -> None:
    space = small_space(11, 60)

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Repartition(space, progress=stop).run(random_parts(space, 20, 2), 2)
