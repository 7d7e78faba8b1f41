"""k-anonymity as a choice in a matrix (Mauger 2021, §5.2): rows are records, columns are minimal groups.

Choose exactly one 1 in every row of the incidence matrix so that every column has none or at least k: each choice is a
k-anonymous table, and the cost matrix says what it costs. With minimal groups as columns the cheapest choice is the
optimal k-anonymous table under local recoding: the lowest labels of its classes are minimal groups.
"""

from __future__ import annotations

import numpy as np

from paravent.methods.partition.groups import Groups
from paravent.methods.partition.space import Space


def incidence(groups: Groups, n_tuples: int) -> np.ndarray:
    """Whether each tuple (rows) lies in each group (columns)."""
    found = np.zeros((n_tuples, len(groups.members)), dtype=bool)
    for g, members in enumerate(groups.members):
        found[members, g] = True
    return found


def costs(space: Space, tuples: np.ndarray, groups: Groups) -> np.ndarray:
    """What a row of each tuple costs in each group, in units of the space; 0 where it does not lie in it."""
    inside = incidence(groups, len(tuples))
    return np.where(inside, space.price[tuples][:, None] - groups.worth[None, :], 0)
