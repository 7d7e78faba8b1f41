"""MDAV as it is printed (Domingo-Ferrer, Torra 2005), in plain NumPy."""

from __future__ import annotations

import numpy as np


def plain_mdav(points: np.ndarray, k: int) -> list[np.ndarray]:
    """Groups of row numbers; `points` are standardised."""
    left = np.arange(len(points))
    groups: list[np.ndarray] = []

    def take(centre: int) -> None:
        nonlocal left
        order = np.argsort(((points[left] - points[centre]) ** 2).sum(axis=1), kind="stable")
        groups.append(left[order[:k]])
        left = np.delete(left, order[:k])

    def farthest(point: np.ndarray) -> int:
        return int(left[np.argmax(((points[left] - point) ** 2).sum(axis=1))])

    while len(left) >= 3 * k:
        one = farthest(points[left].mean(axis=0))
        other = farthest(points[one])
        take(one)
        take(other)
    if len(left) >= 2 * k:
        take(farthest(points[left].mean(axis=0)))
    groups.append(left)
    return groups
