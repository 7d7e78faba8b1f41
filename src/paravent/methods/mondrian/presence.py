"""Presence bounded from below: whom the labels of a class cover, and who fits none, counted while a method works.

A population's people who share values with the rows of a class are behind it whatever it is labelled (`behind`).
That is enough where more people are always better. Where a class may stand for too many, or where nobody may be left
without one, the label decides: it covers values that no row of the class has, and values that no row of the table has.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from paravent import kernels
from paravent.methods.method import Task
from paravent.privacy.classes import Classes
from paravent.privacy.encoded_population import EncodedPopulation
from paravent.privacy.statistics import Shown


def bounded(task: Task) -> bool:
    """Whether a model asks that everybody of its population fits a class."""
    return any(model.bounds_absence for model in task.models)


class Presence:
    """The people of every population on the levels of the columns' trees."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self._found: dict[tuple[str, int, int], np.ndarray] = {}

    @cached_property
    def _populations(self) -> dict[str, EncodedPopulation]:
        return dict(self.task.populations)

    def _labels(self, name: str, j: int, at: int) -> np.ndarray:
        """For each person, which label of a level covers them; −1: none."""
        key = (name, j, at)
        if key not in self._found:
            population, tree = self._populations[name], self.task.axes[j].tree
            assert tree is not None
            of_place = np.full(2 * population.widths[j] + 1, -1, dtype=np.int32)
            for code, label in enumerate(tree.levels[at].labels):
                of_place[population.covers[j](label)] = code
            self._found[key] = of_place[population.places[j]]
        return self._found[key]

    def classes(self, node: tuple[int, ...], of_row: np.ndarray, n_classes: int) -> Classes:
        """The classes of all rows where the columns stand on the levels of a node, with the people who fit them."""
        axes = self.task.axes
        levels = [axis.tree.levels[at] for axis, at in zip(axes, node, strict=True) if axis.tree is not None]
        rows = [level.codes.astype(np.int32)[axis.codes] for axis, level in zip(axes, levels, strict=True)]
        people, beyond = {}, {}
        for name, population in self._populations.items():
            theirs = [self._labels(name, j, at) for j, at in enumerate(node)]
            fit = np.logical_and.reduce([codes >= 0 for codes in theirs])
            both = [np.concatenate([ours, codes[fit]]) for ours, codes in zip(rows, theirs, strict=True)]
            folded = kernels.fold(both, [len(level.labels) for level in levels])
            n = self.task.n_rows
            counts = np.bincount(folded.tuple_of_row[n:], weights=population.people[fit], minlength=len(folded.weight))
            place = np.zeros(n_classes, dtype=np.int64)
            place[of_row] = folded.tuple_of_row[:n]
            people[name] = counts[place].astype(np.int64)
            beyond[name] = int(population.people.sum()) - int(people[name].sum())
        return self.task.statistics.classes(of_row, n_classes, Shown(people, beyond))
