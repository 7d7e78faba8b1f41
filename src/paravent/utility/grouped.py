"""A column in a few groups of neighbouring values, so that tables and learners stay small."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paravent.utility.reading import Reading

_WORTH_FOLDING = 5_000


@dataclass(frozen=True, eq=False)
class Grouped:
    """Ranks fall into groups (`of_rank`). Labels that cover the groups alike have one shape (`shape_of_label`), and
    `shares[s, g]` is the share of group g in a cell of shape s that is spread evenly over what it covers."""

    of_rank: np.ndarray
    shape_of_label: np.ndarray
    shares: np.ndarray

    @property
    def n_groups(self) -> int:
        return int(self.shares.shape[1])

    @property
    def n_shapes(self) -> int:
        return len(self.shares)

    @classmethod
    def of(cls, reading: Reading, most: int) -> Grouped:
        of_rank = groups_of(np.bincount(reading.axis.codes, minlength=len(reading.axis)), most)
        n_groups = int(of_rank[-1]) + 1
        low, high = of_rank[reading.first], of_rank[reading.last]
        mixed = np.flatnonzero(low != high)
        shape = low.copy()
        shares = np.eye(n_groups)
        if len(mixed):
            found = _shares(reading, mixed, of_rank)
            which = np.arange(len(mixed))
            if len(mixed) <= _WORTH_FOLDING:
                found, which = np.unique(found, axis=0, return_inverse=True)
            shape[mixed] = n_groups + which.reshape(-1)
            shares = np.vstack([shares, found])
        return cls(of_rank, shape, shares)


def _shares(reading: Reading, labels: np.ndarray, of_rank: np.ndarray) -> np.ndarray:
    """The share of each group in what each label covers. A group is a stretch of ranks: ranges overlap it or not."""
    starts = np.flatnonzero(np.diff(of_rank, prepend=-1))
    ends = np.append(starts[1:], len(of_rank)) - 1
    found = np.minimum(reading.last[labels, None], ends) - np.maximum(reading.first[labels, None], starts) + 1
    found = np.maximum(found, 0)
    for at, label in enumerate(labels.tolist()):
        if label in reading.sets:
            found[at] = np.bincount(of_rank[reading.sets[label]], minlength=len(starts))
    return np.asarray(found / reading.n_covered[labels, None])


def groups_of(counts: np.ndarray, most: int) -> np.ndarray:
    """The group of each rank: the rank itself where they are few, else stretches of about equally many rows.

    >>> groups_of(np.array([3, 1, 1]), 3).tolist(), groups_of(np.array([3, 1, 1]), 2).tolist()
    ([0, 1, 2], [0, 1, 1])
    """
    if len(counts) <= most:
        return np.arange(len(counts))
    middle = (np.cumsum(counts) - counts / 2) / counts.sum()
    return np.unique(np.floor(middle * most).astype(np.int64), return_inverse=True)[1]
