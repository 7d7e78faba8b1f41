"""Method: what every algorithm takes and gives.

A method sees codes, never values: each quasi-identifier is an Axis of small integers in tree order. It gives back the
class of every row and, for each axis, the label of every class. It neither reads nor writes tables.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np

from paravent.hierarchy.tree import Tree
from paravent.privacy.classes import Classes
from paravent.privacy.model import Model
from paravent.table.kinds import Kind

Progress = Callable[[str, float], None]
"""Called with what is being done and the share of it that is done (0 to 1). It may raise to stop the run."""


def silent(stage: str, done: float) -> None:
    """The progress of somebody who does not look."""


@dataclass(frozen=True, eq=False)
class Axis:
    """One quasi-identifier as methods see it.

    `codes[i]` is the rank of row i's value among the values that occur: in the tree's leaf order where there is a
    tree, else in the domain's order. Every rank from 0 to len(values) − 1 occurs. Leaf i of `tree` is `values[i]`.
    `positions` places the values on a line where distance means something (numbers, dates).
    """

    name: str
    kind: Kind
    codes: np.ndarray
    values: tuple[str, ...]
    tree: Tree | None = None
    positions: np.ndarray | None = None
    weight: float = 1.0

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True, eq=False)
class Task:
    """A table ready for a method. `sensitive` holds the codes of every sensitive column that a model needs."""

    n_rows: int
    axes: tuple[Axis, ...]
    models: tuple[Model, ...]
    sensitive: Mapping[str, np.ndarray] = field(default_factory=dict)
    max_suppressed: int = 0
    seed: int = 0
    progress: Progress = silent

    @cached_property
    def tables(self) -> Mapping[str, np.ndarray]:
        """The whole table's counts of each sensitive column."""
        return {name: np.bincount(codes) for name, codes in self.sensitive.items()}

    def classes(self, of_row: np.ndarray, n_classes: int) -> Classes:
        return Classes.of(of_row, n_classes, self.sensitive, self.tables)

    def holds(self, classes: Classes) -> np.ndarray:
        """Which classes satisfy every model."""
        mask = np.ones(len(classes), dtype=bool)
        for model in self.models:
            mask &= model.holds(classes)
        return mask


@dataclass(frozen=True, eq=False)
class Cells:
    """One released column, by class: class c is published as `labels[codes[c]]`."""

    codes: np.ndarray
    labels: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Recoding:
    """What a method gives: the class of each row (−1: suppressed), the cells of each axis, and the steps it took."""

    of_row: np.ndarray
    n_classes: int
    cells: Mapping[str, Cells]
    trace: tuple[str, ...] = ()


class Method(ABC):
    """An algorithm with its parameters; `repr` recreates it. Subclasses are frozen keyword-only dataclasses."""

    title: ClassVar[str]
    source: ClassVar[str]

    @abstractmethod
    def run(self, task: Task) -> Recoding:
        """Anonymize. The classes it returns satisfy every model of the task, or it raises InfeasibleError."""
