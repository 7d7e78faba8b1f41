"""Judging classes one by one as they are merged: what the models of a task say of each."""

from __future__ import annotations

import numpy as np

from paravent.methods.method import Task

_Counted = tuple[np.ndarray, np.ndarray]


class ClassJudge:
    """Keeps what the models count in every class, and asks them about each class that two others make.

    A class holds here when it holds beside any others (`Task.holds_in_part`). The classes are numbered as they are
    made; `of_row` gives the starting ones.
    """

    def __init__(self, task: Task, of_row: np.ndarray, n_classes: int) -> None:
        self._task = task
        start = task.classes(of_row, n_classes)
        self.failing = ~task.holds_in_part(start)
        self._sizes = start.sizes.tolist()
        self._counted: list[list[_Counted]] = []
        found = [start.histograms[name] for name in task.statistics.columns]
        for c in range(n_classes):
            ends = [(h.start[c], h.start[c + 1], h) for h in found]
            self._counted.append([(h.value[a:b], h.count[a:b]) for a, b, h in ends])

    def __call__(self, a: int, b: int) -> bool:
        """Whether the class made of two others holds; it has the next number."""
        both = [_added(x, y) for x, y in zip(self._counted[a], self._counted[b], strict=True)]
        self._counted.append(both)
        self._counted[a] = self._counted[b] = []
        self._sizes.append(self._sizes[a] + self._sizes[b])
        part = self._task.statistics.part(
            np.array([self._sizes[-1]]), [(np.array([0, len(value)]), value, count) for value, count in both]
        )
        return bool(self._task.holds_in_part(part)[0])


def _added(a: _Counted, b: _Counted) -> _Counted:
    value, place = np.unique(np.concatenate([a[0], b[0]]), return_inverse=True)
    count = np.bincount(place.reshape(-1), weights=np.concatenate([a[1], b[1]]), minlength=len(value))
    return value.astype(np.int32), count.astype(np.int64)
