"""What a target column loses and gains when values are joined and parted (Wang, Yu, Chakraborty 2004; Fung 2005)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from paravent.errors import PlanError
from paravent.methods.method import Axis, Target, Task

DIGITS = 12
"""Scores that agree to this many digits are equal."""


def class_codes(task: Task, target: str, bounds: Sequence[float], method: str) -> tuple[np.ndarray, int]:
    """The class of each row, and how many there are. `bounds` part a column of numbers: below the first, from the first
    to below the second, and so on; a missing number is a class of its own."""
    if target not in task.targets:
        raise PlanError(f"{method}: the target column {target!r} is not given. Run it through a plan that names it.")
    found: Target = task.targets[target]
    if not bounds:
        return found.codes, found.size
    if found.positions is None:
        raise PlanError(f"{method}: bounds part numbers, and the target column {target!r} holds none. Leave them out.")
    part = np.searchsorted(np.array(bounds), found.positions, side="right")
    part[np.isnan(found.positions)] = len(bounds) + 1
    return part[found.codes].astype(np.int32), len(bounds) + 2


def check_target(method: str, target: object, bounds: object) -> tuple[float, ...]:
    """The bounds as a tuple; PlanError where they or the target make no sense."""
    if not isinstance(target, str) or not target:
        raise PlanError(f"{method}: target must be the name of the column to predict, not {target!r}.")
    numbers = tuple(bounds) if isinstance(bounds, list | tuple) else (None,)
    if not all(isinstance(b, int | float) and not isinstance(b, bool) for b in numbers):
        raise PlanError(f"{method}: bounds must be a list of numbers, not {bounds!r}.")
    if list(numbers) != sorted(set(numbers)):
        raise PlanError(f"{method}: bounds must ascend, such as [1000, 2000].")
    return numbers


def entropy(counts: np.ndarray) -> np.ndarray:
    """The entropy in bits of each row of counts (…, classes); 0 for a row without counts.

    >>> entropy(np.array([[11, 5], [4, 3], [8, 0]])).round(4).tolist()
    [0.896, 0.9852, 0.0]
    """
    total = np.maximum(counts.sum(axis=-1), 1)
    shares = counts / total[..., None]
    return np.asarray(-(shares * np.log2(np.where(counts > 0, shares, 1.0))).sum(axis=-1) + 0.0)


def gain(parts: np.ndarray) -> float:
    """The entropy of the whole minus the mean entropy of its parts (parts × classes), rounded so that equal gains are
    equal: what parting gains, and what joining loses.

    >>> gain(np.array([[11, 5], [4, 3]])), gain(np.array([[2, 0], [3, 0]]))
    (0.008928581843, 0.0)
    """
    whole = parts.sum(axis=0)
    lost = entropy(whole) - (parts.sum(axis=1) @ entropy(parts)) / max(int(whole.sum()), 1)
    return max(0.0, round(float(lost), DIGITS)) + 0.0


def counts_up_to(axis: Axis, classes: np.ndarray, n_classes: int) -> np.ndarray:
    """Rows of each class with a code below c, for c from 0 to all (codes + 1 × classes): the counts of codes from a to
    b are row b + 1 minus row a."""
    table = np.bincount(axis.codes.astype(np.int64) * n_classes + classes, minlength=len(axis) * n_classes)
    summed = np.zeros((len(axis) + 1, n_classes), dtype=np.int64)
    np.cumsum(table.reshape(len(axis), n_classes), axis=0, out=summed[1:])
    return summed
