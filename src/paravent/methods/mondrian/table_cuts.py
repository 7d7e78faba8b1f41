"""The classes that Mondrian's cuts make of a table: for Mondrian itself, and for methods that begin with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from paravent import kernels
from paravent.errors import InfeasibleError
from paravent.kernels import Folded, Partition, Style
from paravent.kernels.cutting import Classes, Rule
from paravent.methods.label_space import Covered, LabelSpace, covered
from paravent.methods.method import Axis, Recoding, Task
from paravent.methods.mondrian.cut_steps import cut_steps, over_rows
from paravent.methods.trace import LazySteps, Step
from paravent.privacy.classes import Classes as Counted
from paravent.table.side_by_side import side_by_side

SAMPLE = 2048
"""Groups with more rows choose their cut by this many evenly spaced rows: the first cuts decide little of the loss and
would cost most of the time."""
_UNITS = {Rule.ENTROPY: "weighted entropy", Rule.DEVIATION: "squared error"}
"""What cuts leave of a target."""


@dataclass(frozen=True, eq=False)
class TableCuts:
    """Cuts of `tuples` (the rows, or the tuples of `folded`) by a rule, as long as every model holds in both parts."""

    task: Task
    space: LabelSpace
    tuples: np.ndarray
    folded: Folded | None
    rule: Rule
    target: Classes | np.ndarray | None
    relaxed: bool

    @classmethod
    def of(
        cls,
        task: Task,
        space: LabelSpace,
        *,
        rule: Rule = Rule.LEAST_COST,
        target: Classes | np.ndarray | None = None,
        relaxed: bool = False,
    ) -> TableCuts:
        folded = None if relaxed or target is not None or not task.k_alone else space.folded()
        count = len(space.axes[0].codes) if folded is None else len(folded.representative)
        tuples = np.empty((count, len(space.axes)), dtype=np.int32)

        def fill(j: int) -> None:
            codes = space.axes[j].codes
            tuples[:, j] = codes if folded is None else codes[folded.representative]

        side_by_side(fill, range(len(space.axes)), rows=count)
        return cls(task, space, tuples, folded, rule, target, relaxed)

    def made(self, *, record: bool) -> Partition:
        """The cuts, with their tree where they are recorded."""
        return kernels.mondrian(
            self.tuples,
            self.space.cuts,
            k=self.task.k,
            weights=None if self.folded is None else self.folded.weight,
            rule=self.rule,
            target=self.target,
            relaxed=self.relaxed,
            sample=SAMPLE,
            sensitive=self.task.judged,
            guard=self.task.guard,
            watch=None if record else lambda done: self.task.progress("cutting", done),
            record=record,
        )

    def recoded(self) -> Recoding:
        """The classes that the cuts leave, with their labels, if the models hold."""
        task, partition = self.task, self.made(record=False)
        of_tuple, n_classes = class_numbers(partition), len(partition.starts) - 1
        if not task.holds(self._classes(of_tuple, n_classes)).all():
            raise InfeasibleError("The models do not hold for the table as a whole, so no cut of it can. Ask for less.")
        held: list[Covered] = [
            covered(style, self.tuples[:, j], partition.order, partition.starts)
            if style is Style.SET
            else (partition.low[:, j], partition.high[:, j])
            for j, style in enumerate(self.space.styles)
        ]
        of_tuple, n_joined, cells = self.space.released(of_tuple, held)
        breakable = not all(model.monotone_under_generalization for model in task.models)
        if breakable and n_joined < n_classes and not task.holds(self._classes(of_tuple, n_joined)).all():
            raise InfeasibleError(
                "Mondrian: classes that get the same labels are one, and united they break a model that their parts "
                "hold. Try labels='interval' or labels='set', another method, or a model that joining cannot break."
            )
        weight = task.times if self.folded is None else self.folded.weight
        trace = _trace(self.space.axes, partition.cuts, np.bincount(of_tuple, weights=weight).astype(np.int64))
        of_row = of_tuple if self.folded is None else of_tuple[self.folded.tuple_of_row]
        # Nobody pays for steps that nobody reads: the same cuts are made again, and told.
        return Recoding(of_row, n_joined, cells, trace, steps=LazySteps(lambda: self._steps(trace[-1])))

    def _classes(self, of_tuple: np.ndarray, n_classes: int) -> Counted:
        """What the models judge. Tuples are folded only where nothing but the number of rows is asked."""
        if self.folded is None:
            return self.task.classes(of_tuple, n_classes)
        return Counted(np.bincount(of_tuple, weights=self.folded.weight, minlength=n_classes).astype(np.int64), {})

    def _steps(self, last: str) -> Iterator[Step]:
        partition = over_rows(self.made(record=True), self.folded)
        unit = _UNITS.get(self.rule)
        scores = None if unit is None else (unit, partition.score)
        return cut_steps(self.space.axes, self.space.styles, partition, last, scores)


def cut_rows(task: Task, space: LabelSpace, rows: np.ndarray, k: int) -> np.ndarray:
    """The class of each of some rows after relaxed cuts of least cost, as the models allow."""
    partition = kernels.mondrian(
        np.stack([axis.codes[rows] for axis in space.axes], axis=1),
        space.cuts,
        k=k,
        relaxed=True,
        sensitive=[codes[rows] for codes in task.judged],
        guard=task.guard,
    )
    return class_numbers(partition)


def class_numbers(partition: Partition) -> np.ndarray:
    """The class of each row that was cut."""
    sizes = np.diff(partition.starts)
    of_row = np.empty(len(partition.order), dtype=np.int32)
    of_row[partition.order] = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    return of_row


def _trace(axes: Sequence[Axis], cuts: np.ndarray, sizes: np.ndarray) -> tuple[str, ...]:
    by_axis = sorted(zip(cuts.tolist(), (axis.name for axis in axes), strict=True), reverse=True)
    columns = ", ".join(f"{name} {count}" for count, name in by_axis if count)
    return (
        f"Cut the table {int(cuts.sum())} times" + (f" (by column: {columns})." if columns else "."),
        f"No further cut is allowed: {len(sizes)} classes of {sizes.min()} to {sizes.max()} rows.",
    )
