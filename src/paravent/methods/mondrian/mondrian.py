"""Mondrian (LeFevre, DeWitt, Ramakrishnan 2006): cut the table in two, again and again, while both parts are safe."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, get_args

import numpy as np

from paravent import kernels
from paravent.errors import InfeasibleError, PlanError
from paravent.kernels.checks import Histograms
from paravent.kernels.cutting import SCALE, CutAxis, Rule, Style
from paravent.methods.labelling import set_cells, span_cells, tree_cells
from paravent.methods.method import Axis, Labels, Method, Need, Recoding, Task, Use
from paravent.methods.mondrian.cut_steps import cut_steps, over_rows
from paravent.methods.mondrian.presence import bounded
from paravent.methods.mondrian.presence_cuts import presence_cuts
from paravent.methods.mondrian.target_cuts import cut_by_target, score_of
from paravent.methods.subtree.information import check_target, class_codes
from paravent.methods.trace import LazySteps, Step

CutRule = Literal["loss", "median", "infogain", "lsd"]
LabelStyle = Literal["tree", "interval", "set"]

_RULES = {"loss": Rule.LEAST_COST, "median": Rule.MEDIAN}
_SAMPLE = 2048
"""Groups with more rows choose their cut by this many evenly spaced rows: the first cuts decide little of the loss and
would cost most of the time."""


@dataclass(frozen=True, kw_only=True)
class Mondrian(Method):
    """One recursion with three parts that can be exchanged: which cut, which cut is allowed, how a class is labelled.

    `cut`: `loss` takes, among all cuts of all columns, the one that leaves the least loss in both parts together;
    `median` is the published rule: the column of widest normalised range, cut at its lower median. `infogain` and
    `lsd` serve a `target` column: the cut, among all places of all columns, that leaves the least weighted entropy of
    its classes (`bounds` part a column of numbers), or the least squared deviation of its numbers.
    Allowed is a cut when every model of the plan holds in both parts.
    `labels`: `tree` names the lowest common ancestor (intervals for numbers without a tree, sets for names without
    one) and cuts along the tree; `interval` names the span from lowest to highest value; `set` lists the values of
    names and orders.
    `strict` keeps equal rows together; relaxed cuts may part rows that lie on the cut.
    Where a model asks that everybody of a population fits a class (presence with a lower bound), rows and people are
    cut together, and labels are those of both (`methods/mondrian/presence_cuts.py`).

    Ties: the column that stands first in the plan, then the lowest cut. Entropies and deviations that agree to 12
    digits are equal.

    >>> Mondrian(labels="set")
    Mondrian(cut='loss', labels='set', strict=True, target=None, bounds=())
    """

    cut: CutRule = "loss"
    labels: LabelStyle = "tree"
    strict: bool = True
    target: str | None = None
    bounds: tuple[float, ...] = ()

    title: ClassVar[str] = "Mondrian"
    source: ClassVar[str] = "LeFevre, DeWitt, Ramakrishnan: Mondrian multidimensional k-anonymity. ICDE 2006"

    def __post_init__(self) -> None:
        if self.cut not in get_args(CutRule):
            raise PlanError(f"Mondrian: cut must be one of {', '.join(get_args(CutRule))}, not {self.cut!r}.")
        if self.labels not in get_args(LabelStyle):
            raise PlanError(f"Mondrian: labels must be one of {', '.join(get_args(LabelStyle))}, not {self.labels!r}.")
        served = self.cut in ("infogain", "lsd")
        if not served and (self.target is not None or self.bounds):
            raise PlanError(f"Mondrian: cut={self.cut!r} serves no target. Leave it out, or take 'infogain' or 'lsd'.")
        if served:
            object.__setattr__(self, "bounds", check_target("Mondrian", self.target, self.bounds))
            if not self.strict:
                raise PlanError(f"Mondrian: cut={self.cut!r} keeps equal rows together. Leave strict as it is.")
            if self.cut == "lsd" and self.bounds:
                raise PlanError("Mondrian: cut='lsd' reads the numbers of its target as they are. Leave bounds out.")
        else:
            object.__setattr__(self, "bounds", ())

    @property
    def bounds_presence(self) -> bool:
        return self.target is None

    @property
    def needs(self) -> tuple[Need, ...]:
        return ("target",) if self.target else ()

    @property
    def use(self) -> Use:
        return {"infogain": "classification", "lsd": "regression"}.get(self.cut, "any")  # type: ignore[return-value]

    @property
    def targets(self) -> tuple[str, ...]:
        return (self.target,) if self.target else ()

    @property
    def weighs(self) -> bool:
        return self.target is None

    def run(self, task: Task) -> Recoding:
        if task.n_rows == 0:
            return Recoding(np.zeros(0, dtype=np.int32), 0, {a.name: Labels(a.codes, ()) for a in task.axes})
        if bounded(task):
            return presence_cuts(task)
        axes = [_in_order(axis, _style(axis, self.labels)) for axis in task.axes]
        if self.target is not None:
            return self._serve(task, axes, self.target)
        heaviest = max(axis.weight for axis in axes)
        k = task.k
        guarded = not task.k_alone
        columns = [axis.codes for axis in axes]
        folded = kernels.fold(columns, [len(axis) for axis in axes]) if self.strict and not guarded else None
        tuples = np.stack(columns if folded is None else [c[folded.representative] for c in columns], axis=1)

        def cut(*, record: bool) -> kernels.Partition:
            return kernels.mondrian(
                tuples,
                [_cut_axis(axis, _style(axis, self.labels), axis.weight / heaviest) for axis in axes],
                k=k,
                weights=None if folded is None else folded.weight,
                rule=_RULES[self.cut],
                relaxed=not self.strict,
                sample=_SAMPLE,
                sensitive=list(task.statistics.columns.values()) if guarded else [],
                guard=_guard(task) if guarded else None,
                watch=None if record else lambda done: task.progress("cutting", done),
                record=record,
            )

        partition = cut(record=False)
        of_row = np.empty(len(tuples), dtype=np.int32)
        of_row[partition.order] = _class_numbers(partition)
        if folded is not None:
            of_row = of_row[folded.tuple_of_row]
        found = self._labelled(task, axes, partition, tuples, of_row)
        # Nobody pays for steps that nobody reads: the same cuts are made again, and told.
        steps = LazySteps(lambda: self._steps(axes, over_rows(cut(record=True), folded), found.trace[-1], None))
        return replace(found, steps=steps)

    def _serve(self, task: Task, axes: list[Axis], target: str) -> Recoding:
        """Cut by what a target loses."""
        classes = class_codes(task, target, self.bounds, "Mondrian")
        score = score_of(self.cut, task, target, classes)
        k_alone = task.k_alone
        partition, left = cut_by_target(
            [axis.codes for axis in axes],
            score,
            k=task.k,
            allowed=None if k_alone else lambda left, right: _both_hold(task, left, right),
            watch=lambda done: task.progress("cutting", done),
        )
        of_row = np.empty(task.n_rows, dtype=np.int32)
        of_row[partition.order] = _class_numbers(partition)
        found = self._labelled(task, axes, partition, np.stack([axis.codes for axis in axes], axis=1), of_row)
        return replace(
            found, steps=LazySteps(lambda: self._steps(axes, partition, found.trace[-1], (score.unit, left)))
        )

    def _steps(
        self, axes: list[Axis], partition: kernels.Partition, last: str, scores: tuple[str, np.ndarray] | None
    ) -> Iterator[Step]:
        return cut_steps(axes, [_style(axis, self.labels) for axis in axes], partition, last, scores)

    def _labelled(
        self, task: Task, axes: list[Axis], partition: kernels.Partition, tuples: np.ndarray, of_row: np.ndarray
    ) -> Recoding:
        """The classes of a partition of tuples with their labels, if the models hold."""
        n_classes = len(partition.starts) - 1
        if not task.holds(task.classes(of_row, n_classes)).all():
            raise InfeasibleError("The models do not hold for the table as a whole, so no cut of it can. Ask for less.")
        cells = {}
        for j, axis in enumerate(axes):
            style = _style(axis, self.labels)
            if style is Style.TREE:
                cells[axis.name] = tree_cells(axis, partition.low[:, j], partition.high[:, j])
            elif style is Style.SPAN:
                cells[axis.name] = span_cells(axis, partition.low[:, j], partition.high[:, j])
            else:
                cells[axis.name] = set_cells(
                    axis, kernels.class_sets(partition.order, partition.starts, np.ascontiguousarray(tuples[:, j]))
                )
        of_row, cells = _joined(of_row, cells)
        n_joined = len(next(iter(cells.values())).codes)
        breakable = not all(model.monotone_under_generalization for model in task.models)
        if breakable and n_joined < n_classes and not task.holds(task.classes(of_row, n_joined)).all():
            raise InfeasibleError(
                "Mondrian: classes that get the same labels are one, and united they break a model that their parts "
                "hold. Try labels='interval' or labels='set', another method, or a model that joining cannot break."
            )
        sizes = np.bincount(of_row)
        return Recoding(of_row, len(sizes), cells, _trace(axes, partition.cuts, sizes))


def _joined(of_row: np.ndarray, cells: dict[str, Labels]) -> tuple[np.ndarray, dict[str, Labels]]:
    """Classes whose labels are equal are one: two parts of a node of a tree can both need its name."""
    joined = kernels.fold([cell.codes for cell in cells.values()], [len(cell.labels) for cell in cells.values()])
    if len(joined.representative) == len(joined.tuple_of_row):
        return of_row, cells
    number = joined.tuple_of_row
    return number[of_row], {name: Labels(c.codes[joined.representative], c.labels) for name, c in cells.items()}


def _class_numbers(partition: kernels.Partition) -> np.ndarray:
    sizes = np.diff(partition.starts)
    return np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)


def _both_hold(task: Task, left: np.ndarray, right: np.ndarray) -> bool:
    histograms = []
    for codes in task.statistics.columns.values():
        sides = [np.unique(codes[rows], return_counts=True) for rows in (left, right)]
        start = np.cumsum([0, len(sides[0][0]), len(sides[1][0])])
        value, count = (np.concatenate([side[i] for side in sides]) for i in (0, 1))
        histograms.append((start, value, count))
    sizes = np.array([len(left), len(right)], dtype=np.int64)
    return bool(task.holds_in_part(task.statistics.part(sizes, histograms)).all())


def _style(axis: Axis, labels: LabelStyle) -> Style:
    on_a_line = axis.positions is not None
    if labels == "tree" and axis.tree is not None:
        return Style.TREE
    if labels == "set" and not on_a_line:
        return Style.SET
    return Style.SPAN if on_a_line or axis.kind.is_ordered or axis.tree is not None else Style.SET


def _in_order(axis: Axis, style: Style) -> Axis:
    """An axis whose ranks ascend along the line, where spans of it are to be labelled (a tree may order otherwise)."""
    if style is not Style.SPAN or axis.positions is None or _ascends(axis.positions):
        return axis
    order = np.argsort(axis.positions, kind="stable")  # a missing value (nan) stays last
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    values = tuple(axis.values[i] for i in order.tolist())
    return Axis(
        axis.name, axis.kind, rank[axis.codes], values, None, axis.positions[order], axis.weight, grid=axis.grid
    )


def _ascends(positions: np.ndarray) -> bool:
    placed = positions[np.isfinite(positions)]
    return bool(np.all(np.diff(placed) >= 0))


def _cut_axis(axis: Axis, style: Style, weight: float) -> CutAxis:
    """The costs of an axis in whole numbers: SCALE × weight for a cell that says nothing (NCP, Xu et al. 2006)."""
    n = len(axis)
    place = np.arange(n, dtype=np.float64)
    if axis.positions is not None and _ascends(axis.positions):
        place = axis.positions
    placed = place[np.isfinite(place)]
    low, high = (float(placed[0]), float(placed[-1])) if len(placed) else (0.0, 0.0)
    # A missing value lies two widths beyond the last place: it is set apart before others are told apart.
    relative = np.where(np.isfinite(place), (place - low) / ((high - low) or 1.0), 3.0)
    ruler = np.floor(SCALE * weight * relative).astype(np.int64)
    if style is not Style.TREE:
        return CutAxis(style, ruler, int(SCALE * weight / max(n - 1, 1)))
    assert axis.tree is not None
    tree = axis.tree
    return CutAxis(style, ruler, 0, tree.parent, tree.first, tree.last, ruler[tree.last] - ruler[tree.first])


def _guard(task: Task) -> kernels.Guard:
    def judge(sizes: np.ndarray, histograms: Histograms) -> np.ndarray:
        return task.holds_in_part(task.statistics.part(sizes, histograms))

    return judge


def _trace(axes: list[Axis], cuts: np.ndarray, sizes: np.ndarray) -> tuple[str, ...]:
    by_axis = sorted(zip(cuts.tolist(), (axis.name for axis in axes), strict=True), reverse=True)
    columns = ", ".join(f"{name} {count}" for count, name in by_axis if count)
    return (
        f"Cut the table {int(cuts.sum())} times" + (f" (by column: {columns})." if columns else "."),
        f"No further cut is allowed: {len(sizes)} classes of {sizes.min()} to {sizes.max()} rows.",
    )
