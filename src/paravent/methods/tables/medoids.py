"""k-medoids (Kaufman, Rousseeuw 1990: PAM): groups of things around those that are nearest to all others of theirs."""

from __future__ import annotations

import numpy as np


def medoids(distance: np.ndarray, k: int) -> np.ndarray:
    """The group of each thing, numbered by medoids in their order. Built greedily, then medoids are exchanged with
    others while that brings things nearer; ties: the first.

    >>> line = np.array([0.0, 1.0, 9.0, 10.0, 11.0])
    >>> medoids(abs(line[:, None] - line), 2).tolist()
    [0, 0, 1, 1, 1]
    """
    chosen: list[int] = []
    for _ in range(k):
        rest = [i for i in range(len(distance)) if i not in chosen]
        chosen.append(min(rest, key=lambda i: _total(distance, [*chosen, i])))
    while True:
        best = _total(distance, chosen)
        trials = [
            [*chosen[:place], other, *chosen[place + 1 :]]
            for place in range(k)
            for other in range(len(distance))
            if other not in chosen
        ]
        found = min(trials, key=lambda trial: _total(distance, trial), default=chosen)
        if _total(distance, found) >= best - 1e-12:
            chosen.sort()
            group = np.asarray(distance[:, chosen].argmin(axis=1))
            group[chosen] = np.arange(k)  # things at the same place as another medoid
            return group
        chosen = found


def _total(distance: np.ndarray, chosen: list[int]) -> float:
    return float(distance[:, chosen].min(axis=1).sum())
