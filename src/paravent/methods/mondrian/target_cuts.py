"""Mondrian's cuts by what they tell about a target column: which score a cut has, and the classes that the cuts leave.

`infogain` takes the cut that leaves the least weighted entropy of the target's classes in both parts, `lsd` the one
that leaves the least squared deviation of the target's numbers (LeFevre, DeWitt, Ramakrishnan 2008, §3 and §4).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from paravent.errors import PlanError
from paravent.kernels import Partition
from paravent.kernels.target import Allowed, Score, SquaredDeviation, WeightedEntropy, target_cuts
from paravent.methods.method import Target, Task

__all__ = ["Score", "SquaredDeviation", "WeightedEntropy", "cut_by_target", "score_of"]


def score_of(cut: str, task: Task, target: str, classes: tuple[np.ndarray, int]) -> Score:
    if cut == "infogain":
        return WeightedEntropy(*classes)
    found: Target = task.targets[target]
    if found.positions is None:
        raise PlanError(f"Mondrian: cut='lsd' needs numbers, and the target column {target!r} holds none.")
    numbers = found.positions[found.codes]
    if np.isnan(numbers).any():
        raise PlanError(f"Mondrian: the target column {target!r} has missing values. Fill or drop them for cut='lsd'.")
    return SquaredDeviation(numbers)


def cut_by_target(
    columns: Sequence[np.ndarray],
    score: Score,
    *,
    k: int,
    allowed: Allowed | None,
    watch: Callable[[float], None],
) -> tuple[Partition, np.ndarray]:
    """Cut rows (given column by column) until no cut is allowed: the classes, the tree of cuts, and what each left."""
    found = target_cuts(columns, score, k=k, allowed=allowed, watch=watch)

    def ends(least: np.ufunc) -> np.ndarray:
        sides = [least.reduceat(column[found.order], found.starts[:-1]) for column in columns]
        return np.stack(sides, axis=1).astype(np.int32)

    by_axis = np.bincount(found.tree[:, 3], minlength=len(columns))
    classes = (found.order, found.starts, ends(np.minimum), ends(np.maximum), by_axis, found.tree)
    return Partition(*classes), found.score
