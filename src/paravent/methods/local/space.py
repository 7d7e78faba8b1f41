"""The columns of a task as local recoding sees them: what classes cost, and searches for cheaper ones."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from paravent.kernels import CutAxis, Style
from paravent.kernels.opening import has_room, open_labels
from paravent.kernels.regrouping import regroup
from paravent.methods.label_space import Covered, LabelSpace
from paravent.methods.method import Axis, Recoding, Task


class Groups(NamedTuple):
    """Classes, what their tightest labels cost, what a row of each does, and by axis what the labels are: lowest and
    highest codes, or sets."""

    of_row: np.ndarray
    cost: int
    each: np.ndarray
    spans: list[Covered]


class Space:
    """The columns of a task as searches for cheaper classes see them, with costs as in Mondrian."""

    def __init__(self, axes: tuple[Axis, ...]):
        self.labels = LabelSpace.of(axes, "tree")
        self.axes = self.labels.axes
        self.tuples = len(self.labels.folded().weight)

    @property
    def has_room(self) -> bool:
        """Whether labels can be searched (`kernels.opening`)."""
        return has_room(self.tuples, self.labels.cuts)

    def opened(self, task: Task, begun: Groups, work: int, *, hot: float, seed: int) -> Groups:
        """Labels opened and closed, as long as all demands hold in every class."""
        found = open_labels(
            self._codes,
            self.labels.cuts,
            begun.of_row,
            k=task.least_size,
            work=work,
            hot=hot,
            seed=seed,
            sensitive=list(task.sensitive.values()) if task.demands else [],
            demands=task.demands or [],
            watch=lambda done: task.progress("searching", done),
        )
        return self.groups(found.of_row, int(found.of_row.max()) + 1)

    def regrouped(self, task: Task, begun: Groups, work: int, planned: int) -> Groups:
        """Neighbouring classes clustered anew, as long as every model holds in them."""
        if begun.cost == 0 or work <= 0:
            return begun
        demands = task.demands
        asked = {} if demands is None else {"sensitive": list(task.sensitive.values()), "demands": demands}
        judged = {"judged": task.judged, "guard": task.guard} if demands is None else {}
        found = regroup(
            self._codes,
            self.labels.cuts,
            begun.of_row,
            k=task.least_size,
            work=work,
            planned=planned,
            seed=task.seed,
            **(asked if demands else judged),
            watch=lambda done: task.progress("searching", done),
        )
        return self.groups(found.of_row, int(found.of_row.max()) + 1)

    @property
    def _codes(self) -> np.ndarray:
        return np.stack([axis.codes for axis in self.axes], axis=1).astype(np.int32)

    def cost(self, of_row: np.ndarray, n_classes: int) -> int:
        """What the tightest labels of some classes cost, in all."""
        return self.groups(of_row, n_classes).cost

    def loss(self, of_row: np.ndarray, n_classes: int) -> float:
        """The mean loss of all cells, by the columns' weights: 0 untouched, 1 everything suppressed."""
        most = sum(_dearest(cut) for cut in self.labels.cuts)
        return self.cost(of_row, n_classes) / max(1, most * len(of_row))

    def groups(self, of_row: np.ndarray, n_classes: int) -> Groups:
        held = self.labels.covered(of_row, n_classes)
        each = self.labels.costs(held)
        return Groups(of_row, int(np.bincount(of_row, minlength=n_classes) @ each), each, held)

    def labelled(self, groups: Groups, trace: tuple[str, ...]) -> Recoding:
        """The release of some classes; those with equal labels become one."""
        of_row, n_classes, cells = self.labels.released(groups.of_row, groups.spans)
        sizes = np.bincount(of_row)
        last = f"{n_classes} classes of {sizes.min()} to {sizes.max()} rows."
        return Recoding(of_row, n_classes, cells, (*trace, last))


def _dearest(cut: CutAxis) -> int:
    """What a cell that says nothing costs."""
    if cut.style is Style.TREE:
        return int(cut.node_cost.max(initial=0))
    return cut.unit * (cut.size - 1) if cut.style is Style.SET else int(cut.ruler[-1] - cut.ruler[0])
