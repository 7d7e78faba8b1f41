"""Mondrian's cuts by what they tell about a target column (LeFevre, DeWitt, Ramakrishnan 2008, §3 and §4), in NumPy:
the same decisions as cpp/mondrian_cuts.hpp, written to be read.

Every place between two values of every column is a cut. The one is taken that leaves the least weighted entropy of the
target's classes in both parts, or the least squared deviation of the target's numbers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

DIGITS = 12
"""Scores that agree to this many digits are equal."""
_FEW = 64
"""Tables of so many classes are counted whole."""

Allowed = Callable[[np.ndarray, np.ndarray], bool]
"""Whether a group may be parted into these rows and those."""

Left = Callable[[np.ndarray, int], np.ndarray]
"""Given the place of each row of a group on a column, and how many places there are: what a cut after place 0, 1, …
(but the last) leaves. Where one side is empty the answer means nothing."""


class TargetCuts(NamedTuple):
    """Class c is `order[starts[c]:starts[c + 1]]`. Row i of `tree` is (begin, mid, end, column): cut i parts
    `order[begin:end]` at mid and leaves `score[i]`. A group comes before its parts, the left one first."""

    order: np.ndarray
    starts: np.ndarray
    tree: np.ndarray
    score: np.ndarray


class Score(ABC):
    """What a cut leaves of the target."""

    unit: str

    @abstractmethod
    def group(self, rows: np.ndarray) -> tuple[Left, float]:
        """How cuts of a group are scored, and the unit in which ties are told by their digits."""


class WeightedEntropy(Score):
    """Σ over parts |P'|/|P| · entropy of the classes in P', in bits."""

    unit = "weighted entropy"

    def __init__(self, classes: np.ndarray, n_classes: int):
        self.classes, self.n_classes = classes.astype(np.int64), n_classes
        n = np.arange(len(classes) + 1, dtype=np.float64)
        self.n_log_n = n * np.log2(np.maximum(n, 1))

    def group(self, rows: np.ndarray) -> tuple[Left, float]:
        classes, width = self.classes[rows], self.n_classes
        if width > _FEW:  # most of many classes do not occur in a group
            found, inverse = np.unique(classes, return_inverse=True)
            classes, width = inverse.reshape(-1), len(found)

        def left(place: np.ndarray, n_places: int) -> np.ndarray:
            table = np.bincount(place * width + classes, minlength=n_places * width).reshape(n_places, width)
            before = np.cumsum(table, axis=0)
            after = before[-1] - before[:-1]
            return np.asarray((self._spread(before[:-1]) + self._spread(after)) / len(rows))

        return left, 1.0

    def _spread(self, counts: np.ndarray) -> np.ndarray:
        """n · entropy: n log n − Σ n_c log n_c, class after class."""
        return np.asarray(self.n_log_n[counts.sum(axis=1)] - np.add.accumulate(self.n_log_n[counts], axis=1)[:, -1])


class SquaredDeviation(Score):
    """Σ over parts of the squared distances of the numbers in P' to their mean (Error²)."""

    unit = "squared error"

    def __init__(self, numbers: np.ndarray):
        self.numbers = np.ascontiguousarray(numbers, dtype=np.float64)

    def group(self, rows: np.ndarray) -> tuple[Left, float]:
        mean = np.cumsum(self.numbers[rows])[-1] / len(rows)
        numbers = self.numbers[rows] - mean  # near zero, where squares keep their digits
        total = float(np.cumsum(numbers * numbers)[-1])

        def left(place: np.ndarray, n_places: int) -> np.ndarray:
            before = np.cumsum(np.bincount(place, minlength=n_places))
            sums = np.cumsum(np.bincount(place, weights=numbers, minlength=n_places))
            after = np.maximum(before[-1] - before[:-1], 1)
            explained = sums[:-1] ** 2 / np.maximum(before[:-1], 1) + (sums[-1] - sums[:-1]) ** 2 / after
            return np.asarray(np.maximum(total - explained, 0.0))

        return left, total or 1.0


def target_cuts_twin(
    columns: Sequence[np.ndarray],
    score: Score,
    *,
    k: int,
    allowed: Allowed | None = None,
) -> TargetCuts:
    """Cut rows (codes column by column) until no cut leaves k rows on both sides and is allowed. Ties (12 digits): the
    first column, then the lowest place."""
    n, k = len(columns[0]), max(1, k)
    finished: list[np.ndarray] = []
    tree: list[list[int]] = []
    scores: list[float] = []
    stack, done = [np.arange(n)], 0
    while stack:
        rows = stack.pop()
        chosen = next(_tried(columns, score, rows, k, allowed), None)
        if chosen is None:
            finished.append(rows)
            done += len(rows)
            continue
        left, right, axis, what = chosen
        tree.append([done, done + len(left), done + len(rows), axis])
        scores.append(what)
        stack += [right, left]
    starts = np.cumsum([0] + [len(rows) for rows in finished]).astype(np.int64)
    order = np.concatenate(finished).astype(np.int32)
    return TargetCuts(order, starts, np.array(tree, dtype=np.int64).reshape(-1, 4), np.array(scores, dtype=np.float64))


def _tried(
    columns: Sequence[np.ndarray], score: Score, rows: np.ndarray, k: int, allowed: Allowed | None
) -> Iterator[tuple[np.ndarray, np.ndarray, int, float]]:
    """The cuts of a group that are allowed, best first."""
    if len(rows) < 2 * k:
        return
    left, scale = score.group(rows)
    axes, places, scores = [], [], []
    for j, column in enumerate(columns):
        values, place = _places(column[rows])
        counts = np.bincount(place)
        below = np.cumsum(counts)[:-1]
        wide = np.flatnonzero((counts[:-1] > 0) & (below >= k) & (len(rows) - below >= k))
        if len(wide):
            axes.append(np.full(len(wide), j))
            places.append(values[wide])
            scores.append(left(place, len(counts))[wide])
    if not axes:
        return
    axis, place, what = np.concatenate(axes), np.concatenate(places), np.concatenate(scores)
    rounded = np.round(what / scale, DIGITS)
    order = np.lexsort((place, axis, rounded)) if allowed is not None else np.array([np.argmin(rounded)])
    for i in order.tolist():
        goes_left = columns[int(axis[i])][rows] <= place[i]
        if allowed is None or allowed(rows[goes_left], rows[~goes_left]):
            yield rows[goes_left], rows[~goes_left], int(axis[i]), float(what[i])


def _places(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The codes of a group as places 0, 1, …, and the code of each place; some places may be empty."""
    lowest, highest = int(codes.min()), int(codes.max())
    if highest - lowest <= 4 * len(codes):
        return np.arange(lowest, highest + 1), codes.astype(np.int64) - lowest
    values, place = np.unique(codes, return_inverse=True)
    return values, place.reshape(-1).astype(np.int64)
