"""Neighbouring classes parted anew: two and two are put together and split as PCkPCk' splits (Mauger 2021, §5.3.1).

Of fewer than three times k rows the best two parts are found, of more the best parts as far as the limits go. What two
classes keep is compared before and after, so that no round ends worse than it began.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from paravent.methods.partition.repartition import Limits, Repartition
from paravent.methods.partition.space import Space
from paravent.methods.partition.workshop import dense, nested


def parted_anew(
    space: Space,
    of_row: np.ndarray,
    k: int,
    *,
    rounds: int,
    seed: int = 0,
    limits: Limits | None = None,
    watch: Callable[[float], None] | None = None,
) -> np.ndarray:
    """The classes after so many rounds. In each, the classes stand in the order of their labels, columns in an order
    drawn by the seed, and each is put together with the next; every second round begins with the second class."""
    rng = np.random.default_rng(seed)
    split = Repartition(space, limits=limits or Limits())
    best = dense(of_row)
    for done in range(rounds):
        if watch is not None:
            watch(done / rounds)
        parts = space.parts(best)
        if parts.n_parts < 2:
            break
        labels = space.labels(parts)
        first = np.stack([tree.first[labels[:, j]] for j, tree in enumerate(space.trees)], axis=1)
        place = np.empty(parts.n_parts, dtype=np.int64)
        place[np.lexsort(first[:, rng.permutation(first.shape[1])].T)] = np.arange(parts.n_parts)
        pair = dense((place + done % 2) // 2)
        pair_of_row = pair[best]
        after = nested(space, pair_of_row, split.run(space.parts(pair_of_row), k))
        better = _kept(space, after, pair_of_row) > _kept(space, best, pair_of_row)
        best = dense(np.where(better[pair_of_row], after, int(after.max()) + 1 + best))
    return best


def _kept(space: Space, of_row: np.ndarray, pair_of_row: np.ndarray) -> np.ndarray:
    """What the classes of each pair keep, all rows together."""
    parts = space.parts(of_row)
    pair = np.empty(parts.n_parts, dtype=np.int64)
    pair[of_row] = pair_of_row
    kept = np.zeros(int(pair.max()) + 1, dtype=np.int64)
    np.add.at(kept, pair, space.worth(space.labels(parts)) * parts.sizes)
    return kept
