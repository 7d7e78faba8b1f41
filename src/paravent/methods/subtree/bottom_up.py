"""Bottom-Up Generalization (Wang, Yu, Chakraborty 2004): join what tells least about a target, until classes hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from paravent import kernels
from paravent.errors import InfeasibleError
from paravent.methods.full_domain.levels import check_trees
from paravent.methods.method import Method, Need, OutputType, Recoding, Task, Use
from paravent.methods.subtree.information import DIGITS, check_target, class_codes, counts_up_to, gain
from paravent.methods.subtree.subtrees import TreeLabels, Value, recoded
from paravent.methods.trace import Change, Step


@dataclass(frozen=True, kw_only=True)
class BottomUp(Method):
    """From the table as it is, step by step all children of one label of a tree are replaced by it.

    `target` names the column that the release shall help to predict; `bounds` part one of numbers into classes. A step
    is chosen by what it loses of the target per row that the smallest class grows by: IL / AG, or IL where AG is 0.
    Steps that make the smallest class grow come before all others. The run ends when every model holds; where the plan
    allows suppression, when what fails may be suppressed.

    Ties (12 digits): the column that stands first in the plan, then the label that stands first in its tree.

    >>> BottomUp(target="salary", bounds=[2000])
    BottomUp(target='salary', bounds=(2000,))
    """

    target: str
    bounds: tuple[float, ...] = ()

    title: ClassVar[str] = "Bottom-Up Generalization"
    source: ClassVar[str] = "Wang, Yu, Chakraborty: Bottom-up generalization. ICDM 2004"
    gives: ClassVar[OutputType] = "subtree"
    suppresses: ClassVar[Literal["nothing", "rows", "cells"]] = "rows"

    def __post_init__(self) -> None:
        object.__setattr__(self, "bounds", check_target("BottomUp", self.target, self.bounds))

    @property
    def needs(self) -> tuple[Need, ...]:
        return ("trees", "target")

    @property
    def use(self) -> Use:
        return "classification"

    @property
    def targets(self) -> tuple[str, ...]:
        return (self.target,)

    @property
    def weighs(self) -> bool:
        return False

    def run(self, task: Task) -> Recoding:
        check_trees(task.axes, "BottomUp")
        if task.n_rows == 0:
            raise InfeasibleError("the table has no rows to anonymize.")
        state = _State(task, *class_codes(task, self.target, self.bounds, "BottomUp"))
        steps = [Step(f"Began with {len(state.sizes)} classes, the smallest of {state.smallest} rows.")]
        while (gone := state.suppressed()) is None:
            choice = state.choose()
            if choice is None:
                raise InfeasibleError("BottomUp: the models do not hold even with every column at its root.")
            before = state.smallest
            state.apply(choice)
            axis = task.axes[choice.axis]
            words = f"Replaced the {_parts(choice.parts)} {choice.value.label} of {axis.name} by it: information loss "
            words += f"{choice.loss:.4g}, smallest class {before} → {state.smallest} rows."
            figures = {"information loss": choice.loss, "anonymity gain": choice.gained, "score": choice.score}
            change = Change(axis.name, choice.value.label, choice.value.first, choice.value.last)
            steps.append(Step(words, figures, (change,)))
            task.progress("generalizing", min(1.0, len(steps) / state.most_steps))
        return recoded(task, [sorted(cut, key=lambda v: v.first) for cut in state.cuts], state.of_row, gone, steps)


def _parts(n: int) -> str:
    return "only value under" if n == 1 else f"{n} values under"


class _Choice(NamedTuple):
    """A generalization, in the order in which they are chosen: critical ones, then the lowest score, then ties."""

    uncritical: bool
    score: float
    axis: int
    first: int
    value: Value
    loss: float
    gained: int
    parts: int


class _State:
    def __init__(self, task: Task, classes: np.ndarray, n_classes: int):
        self.task = task
        self.labels = [TreeLabels.of(axis) for axis in task.axes]
        self.cuts: list[set[Value]] = [set(labels.leaves) for labels in self.labels]
        self.counts = [counts_up_to(axis, classes, n_classes) for axis in task.axes]
        self.widths = [len(axis) for axis in task.axes]
        folded = kernels.fold([axis.codes for axis in task.axes], self.widths)
        # A cell is known by the first code that its label covers: joining labels is an assignment.
        self.cells = [np.ascontiguousarray(axis.codes[folded.representative]) for axis in task.axes]
        self.sizes = folded.weight.astype(np.int64)
        self.of_row = folded.tuple_of_row
        self.most_steps = sum(len(labels.children) for labels in self.labels) + 1
        self.losses: dict[tuple[int, Value], float] = {}

    @property
    def smallest(self) -> int:
        return int(self.sizes.min())

    def suppressed(self) -> np.ndarray | None:
        left = self.task.suppress_failing(self.of_row, len(self.sizes))
        return None if left is None or bool((left < 0).all()) else np.asarray(left < 0)

    def choose(self) -> _Choice | None:
        """The best candidate: a label all of whose children stand in the table."""
        found = []
        for j, labels in enumerate(self.labels):
            for value in {labels.parent[v] for v in self.cuts[j] if v in labels.parent}:
                if all(child in self.cuts[j] for child in labels.children[value]):
                    found.append(self._judge(j, value, labels.children[value]))
        return min(found, default=None)

    def _judge(self, j: int, value: Value, children: tuple[Value, ...]) -> _Choice:
        summed = self.counts[j]
        if (j, value) not in self.losses:
            self.losses[j, value] = gain(np.stack([summed[v.last + 1] - summed[v.first] for v in children]))
        loss = self.losses[j, value]
        gained = self._smallest_after(j, value) - self.smallest
        score = round(loss / gained, DIGITS) if gained else loss
        return _Choice(gained <= 0, score, j, value.first, value, loss, gained, len(children))

    def _smallest_after(self, j: int, value: Value) -> int:
        touched = (self.cells[j] >= value.first) & (self.cells[j] <= value.last)
        rest = int(self.sizes[~touched].min(initial=self.task.n_rows))
        columns = [np.ascontiguousarray(c[touched]) for i, c in enumerate(self.cells) if i != j]
        if not columns:
            return min(rest, int(self.sizes[touched].sum()))
        folded = kernels.fold(columns, [w for i, w in enumerate(self.widths) if i != j])
        joined = np.bincount(folded.tuple_of_row, weights=self.sizes[touched])
        return min(rest, int(joined.min()))

    def apply(self, choice: _Choice) -> None:
        j, value = choice.axis, choice.value
        self.cuts[j] -= set(self.labels[j].children[value])
        self.cuts[j].add(value)
        column = self.cells[j].copy()
        column[(column >= value.first) & (column <= value.last)] = value.first
        self.cells[j] = column
        folded = kernels.fold(self.cells, self.widths)
        self.cells = [np.ascontiguousarray(c[folded.representative]) for c in self.cells]
        self.sizes = np.bincount(folded.tuple_of_row, weights=self.sizes).astype(np.int64)
        self.of_row = folded.tuple_of_row[self.of_row]
