"""The nodes of a lattice that a search over labels looks at: the cheapest, and some up to the top."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from paravent.methods.local.label_pool import _cheapest


@pytest.mark.parametrize("seed", range(8))
def test_the_cheapest_nodes_of_a_lattice_come_first_and_the_top_last(seed: int) -> None:
    rng = np.random.default_rng(seed)
    costs = [np.r_[0, np.cumsum(rng.integers(1, 50, rng.integers(1, 5)))].astype(float) for _ in range(4)]
    nodes = product(*(range(len(cost)) for cost in costs))
    every = sorted(sum(cost[at] for cost, at in zip(costs, node, strict=True)) for node in nodes)
    most = min(20, len(every))
    found = _cheapest(costs, most)
    total = [sum(cost[at] for cost, at in zip(costs, node, strict=True)) for node in found.tolist()]
    assert total[:most] == every[:most]
    assert len({tuple(node) for node in found.tolist()}) == len(found)
    assert found[-1].tolist() == [len(cost) - 1 for cost in costs]
    assert (np.diff(found[most - 1 :], axis=0).sum(axis=1) == 1).all()  # a level of one column at a time
