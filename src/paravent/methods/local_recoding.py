"""Local recoding: rows choose the labels they share, by a search that opens and closes labels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal, NamedTuple, get_args

import numpy as np

from paravent import kernels
from paravent.errors import PlanError
from paravent.kernels import CutAxis, Rung, Style
from paravent.methods.label_pool import label_nodes, rungs
from paravent.methods.labelling import set_cells, span_cells, tree_cells
from paravent.methods.method import Axis, Cells, Method, Recoding, Task
from paravent.methods.mondrian import Mondrian, _cut_axis, _guard, _in_order, _style
from paravent.privacy.k_anonymity import KAnonymity

Effort = Literal["fast", "normal", "high"]


class _Budget(NamedTuple):
    """How much is tried: tuples looked up while labels are listed, choices of a tuple and of all (they decide the
    memory it takes), proposals a row and in all, and the first temperature (see `kernels.local_search`)."""

    lookups: int
    most: int
    choices: int
    proposals: int
    in_all: int
    hot: float


_BUDGETS: dict[Effort, _Budget] = {
    "fast": _Budget(14_000_000, 200, 12_000_000, 30, 10**7, 0.5),
    "normal": _Budget(36_000_000, 400, 12_000_000, 150, 10**8, 1.3),
    "high": _Budget(200_000_000, 440, 24_000_000, 3_000, 5 * 10**9, 2.0),
}
_LARGE: dict[Effort, _Budget] = {
    "fast": _Budget(8_000_000, 200, 4_000_000, 30, 500_000, 0.5),
    "normal": _Budget(30_000_000, 400, 12_000_000, 30, 10**8, 0.5),
    "high": _Budget(200_000_000, 440, 40_000_000, 600, 5 * 10**9, 1.3),
}
_MANY = 200_000
"""In tables of more rows, tuples that are a class by themselves keep to themselves, and less is tried for a row."""
_FEWEST = 50_000
"""Proposals for small tables."""


@dataclass(frozen=True, kw_only=True)
class LocalRecoding(Method):
    """Rows choose the labels they share: the least loss of all methods here, for more time than Mondrian.

    What a row loses depends on the label of its class alone. So labels, nodes of the full-domain lattice at a row, are
    opened by cost, each where k rows have none yet; then simulated annealing opens and closes labels, and rows move
    between those that are open. At last every class is labelled by the lowest tree nodes (`tree`), spans or sets that
    cover it. Columns without a tree are halved again and again for the search.

    `effort`: `fast`, `normal` or `high`. It counts proposals, not seconds, so that a run can be repeated.

    The search knows k-anonymity. With other models, the classes that hold them stay, and the rows of the others are
    cut by Mondrian, which asks the models. The result never loses more than relaxed Mondrian's: else that is returned.

    >>> LocalRecoding(effort="fast")
    LocalRecoding(effort='fast')
    """

    effort: Effort = "normal"

    title: ClassVar[str] = "Local recoding"
    source: ClassVar[str] = "after Xu et al.: Utility-based anonymization using local recoding. KDD 2006"

    def __post_init__(self) -> None:
        if self.effort not in get_args(Effort):
            raise PlanError(f"LocalRecoding: effort must be one of {', '.join(get_args(Effort))}, not {self.effort!r}.")

    def run(self, task: Task) -> Recoding:
        if task.n_rows == 0:
            return Recoding(np.zeros(0, dtype=np.int32), 0, {a.name: Cells(a.codes, ()) for a in task.axes})
        k = max((model.k for model in task.models if isinstance(model, KAnonymity)), default=1)
        k_alone = all(isinstance(model, KAnonymity) for model in task.models)
        start = Mondrian(strict=False).run(task)  # raises where nothing holds
        space = _Space(task.axes)
        best = begun = space.groups(start.of_row, start.n_classes)
        came, budget = "", (_LARGE if task.n_rows > _MANY else _BUDGETS)[self.effort]
        for size in [k] if k_alone else [max(k, 2), 2 * max(k, 2), 4 * max(k, 2)]:
            if size > task.n_rows or best.cost == 0:
                continue
            of_row = space.search(size, budget, task)
            mended = of_row if k_alone else space.repaired(task, of_row, k)
            if mended is None:
                continue
            found = space.groups(mended, int(mended.max()) + 1)
            if found.cost < best.cost:
                best, came = found, f"search over labels of at least {size} rows"
        if best is begun:
            return replace(start, trace=(*start.trace, "No search found classes of less loss."))
        gain = 1 - best.cost / begun.cost
        recoding = space.labelled(best, (f"Best: {came}, {gain:.1%} less loss than relaxed Mondrian.",))
        holds = task.holds(task.classes(recoding.of_row, recoding.n_classes)).all()
        return recoding if holds else start


class _Groups(NamedTuple):
    """Classes, what their tightest labels cost, and by axis what those are: lowest and highest codes, or sets."""

    of_row: np.ndarray
    cost: int
    spans: list[tuple[np.ndarray, np.ndarray] | kernels.Sets]


class _Space:
    """The columns of a task as a search over labels sees them, with costs as in Mondrian."""

    def __init__(self, axes: tuple[Axis, ...]):
        self.styles = [_style(axis, "tree") for axis in axes]
        self.axes = [_in_order(axis, style) for axis, style in zip(axes, self.styles, strict=True)]
        heaviest = max(axis.weight for axis in axes)
        self.cuts: list[CutAxis] = [
            _cut_axis(axis, style, axis.weight / heaviest) for axis, style in zip(self.axes, self.styles, strict=True)
        ]
        self.ladders: list[list[Rung]] = [rungs(a, c) for a, c in zip(self.axes, self.cuts, strict=True)]
        self.folded = kernels.fold([axis.codes for axis in self.axes], [len(axis) for axis in self.axes])

    def search(self, k: int, budget: _Budget, task: Task) -> np.ndarray:
        """Classes of at least k rows."""
        weight = self.folded.weight
        asked: np.ndarray = np.arange(len(weight))
        if task.n_rows > _MANY:
            few = np.flatnonzero(weight < k)
            if int(weight[few].sum()) >= k:
                asked = few
        leaves = [np.ascontiguousarray(axis.codes[self.folded.representative[asked]]) for axis in self.axes]
        rows = int(weight[asked].sum(dtype=np.int64))
        nodes = label_nodes(leaves, self.ladders, weight[asked], max(64, budget.lookups // len(asked)))
        found = kernels.local_search(
            leaves,
            self.ladders,
            weight[asked],
            nodes,
            k=k,
            most=int(np.clip(budget.choices // len(asked), 24, budget.most)),
            proposals=max(_FEWEST, min(budget.proposals * rows, budget.in_all)),
            hot=budget.hot,
            seed=task.seed,
            watch=lambda done: task.progress("searching", done),
        )
        classes = np.unique(found.of_row, return_inverse=True)[1].astype(np.int32).reshape(-1)
        of_tuple = np.full(len(weight), -1, dtype=np.int32)
        own = np.setdiff1d(np.arange(len(weight)), asked, assume_unique=True)
        of_tuple[own] = classes.max() + 1 + np.arange(len(own), dtype=np.int32)
        of_row: np.ndarray = of_tuple[self.folded.tuple_of_row]
        searched = np.flatnonzero(of_row < 0)
        in_order = searched[np.argsort(self.folded.tuple_of_row[searched], kind="stable")]
        of_row[in_order] = classes
        return of_row

    def repaired(self, task: Task, of_row: np.ndarray, k: int) -> np.ndarray | None:
        """The classes that hold every model, and the rows of the others as guarded Mondrian cuts them; None where those
        rows cannot be made to hold."""
        n_classes = int(of_row.max()) + 1
        rest = np.flatnonzero(~task.holds_in_part(task.classes(of_row, n_classes))[of_row])
        if len(rest):
            cut = kernels.mondrian(
                np.stack([axis.codes[rest] for axis in self.axes], axis=1),
                self.cuts,
                k=k,
                relaxed=True,
                sensitive=[codes[rest] for codes in task.statistics.columns.values()],
                guard=_guard(task),
            )
            of_row = of_row.copy()
            sizes = np.diff(cut.starts)
            of_row[rest[cut.order]] = n_classes + np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
        _, numbered = np.unique(of_row, return_inverse=True)
        of_row = numbered.astype(np.int32).reshape(-1)
        return of_row if bool(task.holds(task.classes(of_row, int(of_row.max()) + 1)).all()) else None

    def cost(self, of_row: np.ndarray, n_classes: int) -> int:
        """What the tightest labels of some classes cost, in all."""
        return self.groups(of_row, n_classes).cost

    def groups(self, of_row: np.ndarray, n_classes: int) -> _Groups:
        order = np.argsort(of_row, kind="stable").astype(np.int32)
        sizes = np.bincount(of_row, minlength=n_classes)
        starts = np.r_[0, np.cumsum(sizes)].astype(np.int64)
        total = 0
        spans: list[tuple[np.ndarray, np.ndarray] | kernels.Sets] = []
        for axis, style, cut in zip(self.axes, self.styles, self.cuts, strict=True):
            if style is Style.SET:
                sets = kernels.class_sets(order, starts, np.ascontiguousarray(axis.codes))
                spans.append(sets)
                each = cut.unit * (np.diff(sets.starts)[sets.of_class] - 1)
            else:
                codes = axis.codes[order]
                low, high = (least.reduceat(codes, starts[:-1]) for least in (np.minimum, np.maximum))
                spans.append((low, high))
                if axis.tree is not None and style is Style.TREE:
                    each = cut.node_cost[axis.tree.ancestor(low, high)]
                else:
                    each = cut.ruler[high] - cut.ruler[low]
            total += int((sizes * each).sum())
        return _Groups(of_row, total, spans)

    def labelled(self, groups: _Groups, trace: tuple[str, ...]) -> Recoding:
        """The release of some classes; those with equal labels become one."""
        cells = []
        for axis, style, span in zip(self.axes, self.styles, groups.spans, strict=True):
            if isinstance(span, kernels.Sets):
                cells.append(set_cells(axis, span))
            else:
                cells.append((tree_cells if style is Style.TREE else span_cells)(axis, *span))
        joined = kernels.fold([cell.codes for cell in cells], [len(cell.labels) for cell in cells])
        of_row = joined.tuple_of_row[groups.of_row]
        named = {
            axis.name: Cells(np.ascontiguousarray(cell.codes[joined.representative]), cell.labels)
            for axis, cell in zip(self.axes, cells, strict=True)
        }
        sizes = np.bincount(of_row)
        last = f"{len(sizes)} classes of {sizes.min()} to {sizes.max()} rows."
        return Recoding(of_row, len(sizes), named, (*trace, last))
