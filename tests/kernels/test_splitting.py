"""Splitting classes: the kernel gives what the plain version gives, under the sanitizers too."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paravent.kernels.splitting import split_classes
from paravent.methods.partition.repartition import Limits
from paravent.methods.partition.space import Space
from tests.kernels.twins.exact import split_twin

from ..generators.tasks import tree_axis


def space_of(seed: int) -> Space:
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(6, 60))
    axes = []
    for j in range(int(rng.integers(1, 4))):
        size = int(rng.integers(1, 9))
        paths = [[f"v{i}", *(f"g{h}:{i >> h + 1}" for h in range(int(rng.integers(0, 3)))), "*"] for i in range(size)]
        depth = min(map(len, paths))
        paths = [[*path[: depth - 1], "*"] for path in paths]
        axes.append(tree_axis(f"t{j}", [f"v{i}" for i in rng.integers(0, size, rows).tolist()], paths))
    return Space.of(axes, "nllm")


@settings(max_examples=80, deadline=None)
@given(
    st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(0, 200), st.integers(1, 60), st.sampled_from([3, 8, 64])
)
def test_twins(seed: int, k: int, nodes: int, most: int, deep: int) -> None:
    space = space_of(seed)
    tuples, rows = np.arange(len(space.weight), dtype=np.int32), space.weight
    limits = Limits(groups=most, searched=most, nodes=nodes, deep=deep)
    found = split_classes(
        space.leaves,
        np.array([0, len(tuples)]),
        tuples,
        rows,
        space.tree_costs,
        k=k,
        most=most,
        lookups=limits.lookups,
        nodes=nodes,
        visits=limits.visits,
        searched=most,
        deep=deep,
        threads=2,
    )
    plain = split_twin(space, tuples, rows, k, limits)
    assert [[(tuples.tolist(), rows.tolist()) for tuples, rows in parts] for parts in found.parts] == [
        [(tuples.tolist(), rows.tolist()) for tuples, rows in plain.parts]
    ]
    assert found.outcome.tolist() == [plain.outcome]


@pytest.mark.parametrize("wrong", ["tuples", "rows", "start", "leaves", "k"])
def test_arrays_that_do_not_fit_are_refused(wrong: str) -> None:
    space = space_of(1)
    n = len(space.weight)
    given_arrays = {
        "leaves": space.leaves,
        "start": np.array([0, n]),
        "tuples": np.arange(n, dtype=np.int32),
        "rows": space.weight,
    }
    bad = {
        "leaves": space.leaves + np.int32(99),
        "start": np.array([0, n + 1]),
        "tuples": np.arange(1, n + 1, dtype=np.int32),
        "rows": space.weight * 0,
    }
    if wrong != "k":
        given_arrays[wrong] = bad[wrong]
    limits = {"most": 9, "lookups": 9, "nodes": 9, "visits": 9, "searched": 9, "deep": 9}
    with pytest.raises(ValueError, match="must"):
        split_classes(**given_arrays, axes=space.tree_costs, k=0 if wrong == "k" else 2, **limits)
