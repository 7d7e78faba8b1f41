"""Descent: the lowest point of a smooth convex function, by L-BFGS with a scale for each direction (Nocedal 1980)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np

_MEMORY = 8
"""The steps that are remembered."""
_FARTHEST = 3.0
"""The first step moves no parameter by more."""

Judge = Callable[[np.ndarray], tuple[float, np.ndarray, np.ndarray]]
"""The value at a point, its slope, and about how curved it is along each axis (positive)."""


def descend(judge: Judge, start: np.ndarray, steps: int, enough: float) -> np.ndarray:
    """A point near the lowest one: after `steps` steps, or where three in a row gain less than `enough` each."""
    point, (value, slope, curve) = start, judge(start)
    memory: deque[tuple[np.ndarray, np.ndarray]] = deque(maxlen=_MEMORY)
    still = 0
    for _ in range(steps if start.size else 0):
        way = _direction(slope, curve, memory)
        steep = dot(slope, way)
        length = 1.0 if memory else min(1.0, _FARTHEST / max(float(np.abs(way).max()), 1e-300))
        while True:
            tried = point + length * way
            new, new_slope, new_curve = judge(tried)
            if new <= value + 1e-4 * length * steep:
                break
            length *= 0.4
            if length < 1e-6:
                return point
        moved, turned = tried - point, new_slope - slope
        if dot(moved, turned) > 0:
            memory.append((moved, turned))
        still = still + 1 if value - new < enough else 0
        point, value, slope, curve = tried, new, new_slope, new_curve
        if still >= 3:
            break
    return point


def _direction(slope: np.ndarray, curve: np.ndarray, memory: deque[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    way, room = -slope, np.empty_like(slope)
    shares = []
    for moved, turned in reversed(memory):
        share = dot(moved, way) / dot(moved, turned)
        shares.append(share)
        way -= np.multiply(turned, share, out=room)
    way /= curve
    if memory:
        moved, turned = memory[-1]
        way *= dot(moved, turned) / dot(turned, np.divide(turned, curve, out=room))
    for (moved, turned), share in zip(memory, reversed(shares), strict=True):
        way += np.multiply(moved, share - dot(turned, way) / dot(moved, turned), out=room)
    return way


def dot(left: np.ndarray, right: np.ndarray) -> float:
    """A sum of products by one thread: the same number however many there are."""
    return float(np.einsum("i,i->", left, right))
