"""Mondrian's cuts by what they tell about a target column (LeFevre, DeWitt, Ramakrishnan 2008, §3 and §4).

Every place between two values of every column is a cut. `infogain` takes the one that leaves the least weighted entropy
of the target's classes in both parts, `lsd` the one that leaves the least squared deviation of the target's numbers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from paravent.errors import PlanError
from paravent.kernels import Partition
from paravent.methods.information import DIGITS
from paravent.methods.method import Target, Task

Allowed = Callable[[np.ndarray, np.ndarray], bool]
"""Whether a group may be parted into these rows and those."""


class Score(ABC):
    """What a cut leaves, in units of the group as a whole, so that ties can be told by their digits."""

    unit: str

    @abstractmethod
    def after(self, rows: np.ndarray, place: np.ndarray, n_places: int) -> np.ndarray:
        """For each of n_places − 1 cuts of a group, after place 0, 1, …, what it leaves. `place` tells each row's."""


class WeightedEntropy(Score):
    """Σ over parts |P'|/|P| · entropy of the classes in P', in bits."""

    unit = "weighted entropy"

    def __init__(self, classes: np.ndarray, n_classes: int):
        self.classes, self.n_classes = classes.astype(np.int64), n_classes
        n = np.arange(len(classes) + 1, dtype=np.float64)
        self.n_log_n = n * np.log2(np.maximum(n, 1))

    def after(self, rows: np.ndarray, place: np.ndarray, n_places: int) -> np.ndarray:
        classes, inverse = np.unique(self.classes[rows], return_inverse=True)
        width = len(classes)
        table = np.bincount(place * width + inverse.reshape(-1), minlength=n_places * width).reshape(n_places, width)
        left = np.cumsum(table, axis=0)
        right = left[-1] - left[:-1]
        return np.asarray((self._spread(left[:-1]) + self._spread(right)) / len(rows))

    def _spread(self, counts: np.ndarray) -> np.ndarray:
        """n · entropy: n log n − Σ n_c log n_c."""
        return np.asarray(self.n_log_n[counts.sum(axis=1)] - self.n_log_n[counts].sum(axis=1))


class SquaredDeviation(Score):
    """Σ over parts of the squared distances of the numbers in P' to their mean (Error²)."""

    unit = "squared error"

    def __init__(self, numbers: np.ndarray):
        self.numbers = numbers

    def after(self, rows: np.ndarray, place: np.ndarray, n_places: int) -> np.ndarray:
        numbers = self.numbers[rows] - self.numbers[rows].mean()  # near zero, where squares keep their digits
        counts = np.cumsum(np.bincount(place, minlength=n_places))
        sums = np.cumsum(np.bincount(place, weights=numbers, minlength=n_places))
        explained = sums[:-1] ** 2 / counts[:-1] + (sums[-1] - sums[:-1]) ** 2 / (counts[-1] - counts[:-1])
        return np.asarray(np.maximum(float(numbers @ numbers) - explained, 0.0))

    def total(self, rows: np.ndarray) -> float:
        numbers = self.numbers[rows] - self.numbers[rows].mean()
        return float(numbers @ numbers)


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


@dataclass(frozen=True, eq=False)
class TargetCut:
    """One cut: column, the rows on each side, and what it leaves."""

    axis: int
    left: np.ndarray
    right: np.ndarray
    score: float


def cut_by_target(
    columns: Sequence[np.ndarray],
    score: Score,
    *,
    k: int,
    allowed: Allowed | None,
    watch: Callable[[float], None],
) -> tuple[Partition, list[TargetCut]]:
    """Cut rows (given column by column) until no cut is allowed. Ties (12 digits): the first column, then the lowest
    place."""
    n = len(columns[0])
    finished: list[np.ndarray] = []
    cuts: list[TargetCut] = []
    stack, done = [np.arange(n)], 0
    while stack:
        rows = stack.pop()
        chosen = next(_tried(columns, score, rows, k, allowed), None)
        if chosen is None:
            finished.append(rows)
            done += len(rows)
            watch(done / n)
            continue
        cuts.append(chosen)
        stack += [chosen.right, chosen.left]
    starts = np.cumsum([0] + [len(rows) for rows in finished])
    low = np.array([[column[rows].min() for column in columns] for rows in finished], dtype=np.int32)
    high = np.array([[column[rows].max() for column in columns] for rows in finished], dtype=np.int32)
    by_axis = np.bincount([cut.axis for cut in cuts], minlength=len(columns))
    order = np.concatenate(finished).astype(np.int32)
    return Partition(order, starts.astype(np.int64), low, high, by_axis), cuts


def _tried(
    columns: Sequence[np.ndarray], score: Score, rows: np.ndarray, k: int, allowed: Allowed | None
) -> Iterator[TargetCut]:
    """The cuts of a group that are allowed, best first."""
    if len(rows) < 2 * k:
        return
    axes, places, scores = [], [], []
    for j, column in enumerate(columns):
        codes = column[rows]
        found, place = np.unique(codes, return_inverse=True)
        if len(found) < 2:
            continue
        place = place.reshape(-1).astype(np.int64)
        left = np.cumsum(np.bincount(place))[:-1]
        wide = np.flatnonzero(np.minimum(left, len(rows) - left) >= k)
        axes.append(np.full(len(wide), j))
        places.append(found[wide])
        scores.append(score.after(rows, place, len(found))[wide])
    if not axes:
        return
    axis, place, what = np.concatenate(axes), np.concatenate(places), np.concatenate(scores)
    scale = score.total(rows) if isinstance(score, SquaredDeviation) else 1.0
    rounded = np.round(what / (scale or 1.0), DIGITS)
    order = np.lexsort((place, axis, rounded)) if allowed is not None else _first(rounded)
    for i in order.tolist():
        goes_left = columns[int(axis[i])][rows] <= place[i]
        cut = TargetCut(int(axis[i]), rows[goes_left], rows[~goes_left], float(what[i]))
        if allowed is None or allowed(cut.left, cut.right):
            yield cut


def _first(rounded: np.ndarray) -> np.ndarray:
    """The least, the first of equals: cuts are listed by column, then place."""
    return np.array([np.argmin(rounded)] if len(rounded) else [], dtype=np.int64)
