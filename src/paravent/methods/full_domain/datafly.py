"""Datafly (Sweeney 1997): generalize the column with the most distinct values until few enough rows stand out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from paravent.errors import InfeasibleError, PlanError
from paravent.methods.full_domain.lattice import Lattice, Node, levels_of, to_level
from paravent.methods.full_domain.levels import classes_at
from paravent.methods.method import Method, Need, OutputType, Recoding, Task
from paravent.methods.trace import Step


@dataclass(frozen=True, kw_only=True)
class Datafly(Method):
    """Step by step, the column with the most distinct values goes one level up; what still fails when the plan's limit
    (MaxSup) allows it is suppressed.

    `complementary` suppresses more, the smallest classes first, where fewer than k rows would be: so few could be
    worked out from totals that are published elsewhere. A table that cannot afford it is generalized further.

    Ties, between columns with as many distinct values: the one that stands first in the plan; between classes of one
    size: the one that stands first in the order of the trees.

    >>> Datafly(complementary=True)
    Datafly(complementary=True)
    """

    complementary: bool = False

    title: ClassVar[str] = "Datafly"
    source: ClassVar[str] = "Sweeney: Guaranteeing anonymity when sharing medical data, the Datafly system. AMIA 1997"
    gives: ClassVar[OutputType] = "full-domain"
    suppresses: ClassVar[Literal["nothing", "rows", "cells"]] = "rows"

    @property
    def bounds_presence(self) -> bool:
        return True

    @property
    def needs(self) -> tuple[Need, ...]:
        return ("trees", "suppression")

    @property
    def weighs(self) -> bool:
        return False

    def run(self, task: Task) -> Recoding:
        lattice = Lattice(task, "Datafly")
        node: Node = (0,) * len(task.axes)
        steps = [_step(lattice, node, "Began with the table as it is.")]
        while (gone := self._suppressed(lattice, node)) is None:
            distinct = [len(levels_of(axis)[at].labels) for axis, at in zip(task.axes, node, strict=True)]
            movable = [j for j, at in enumerate(node) if at < lattice.tops[j]]
            if not movable:
                raise InfeasibleError(
                    "Datafly: the models do not hold even with every column at its root. Ask for less."
                )
            j = max(movable, key=lambda column: (distinct[column], -column))
            node = tuple(at + (i == j) for i, at in enumerate(node))
            words = f"Generalized {task.axes[j].name} to level {node[j]} of {lattice.tops[j]}: it had the most "
            steps.append(_step(lattice, node, f"{words}distinct values ({distinct[j]}).", moved=j))
            task.progress("generalizing", sum(node) / max(sum(lattice.tops), 1))
        return lattice.recoding(node, steps, gone)

    def _suppressed(self, lattice: Lattice, node: Node) -> np.ndarray | None:
        gone = lattice.suppressed(node)
        if gone is None or not self.complementary or not gone.any():
            return gone
        task = lattice.task
        if not any(model.size_only for model in task.models):
            raise PlanError("Datafly: complementary suppression goes up to k rows. Ask for k-anonymity too.")
        of_row, _ = classes_at(task.axes, node)
        while task.rows_in(gone) < task.k:
            sizes = np.bincount(of_row[~gone], weights=None if task.times is None else task.times[~gone])
            smallest = int(np.argmin(np.where(sizes > 0, sizes, task.n_rows + 1)))
            of_row = np.where(gone | (of_row == smallest), -1, of_row)
            left = task.suppress_failing(of_row, int(of_row.max(initial=-1)) + 1)
            if left is None or task.rows_in(left < 0) > task.max_suppressed or bool((left < 0).all()):
                return None
            gone, of_row = left < 0, left
        return gone


def _step(lattice: Lattice, node: Node, words: str, moved: int | None = None) -> Step:
    (outliers,) = lattice.outliers([node])
    changes = () if moved is None else to_level(lattice.task.axes[moved], node[moved])
    words = f"{words} {outliers} rows are in classes that fail; {lattice.task.max_suppressed} may be suppressed."
    return Step(words, {"outliers": outliers}, changes)
