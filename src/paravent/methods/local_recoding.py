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
    """How much is tried: tuples looked up while labels are listed, choices of a tuple, proposals a row and in all."""

    lookups: int
    most: int
    proposals: int
    in_all: int
    hot: float


_BUDGETS: dict[Effort, _Budget] = {
    "fast": _Budget(20_000_000, 300, 60, 4_000_000, 0.2),
    "normal": _Budget(46_000_000, 400, 300, 40_000_000, 0.5),
    "high": _Budget(160_000_000, 440, 4_000, 1_000_000_000, 0.5),
}
_CHOICES = 12_000_000
"""Choices of all tuples together: they decide the memory it takes."""
_FEWEST = 50_000
"""Proposals for small tables."""
_MANY = 200_000
"""In tables of more rows, tuples that are a class by themselves keep to themselves."""


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
        best, best_cost, came = start.of_row, space.cost(start.of_row, start.n_classes), "relaxed Mondrian"
        begun = best_cost
        for size in [k] if k_alone else [max(k, 2), 2 * max(k, 2), 4 * max(k, 2)]:
            if size > task.n_rows or best_cost == 0:
                continue
            of_row = space.search(size, _BUDGETS[self.effort], task)
            mended = of_row if k_alone else space.repaired(task, of_row, k)
            if mended is None:
                continue
            cost = space.cost(mended, int(mended.max()) + 1)
            if cost < best_cost:
                best, best_cost, came = mended, cost, f"search over labels of at least {size} rows"
        if best is start.of_row:
            return replace(start, trace=(*start.trace, "No search found classes of less loss."))
        found = space.labelled(best, self._trace(came, begun, best_cost))
        return found if task.holds(task.classes(found.of_row, found.n_classes)).all() else start

    def _trace(self, came: str, begun: int, cost: int) -> tuple[str, ...]:
        share = f" ({1 - cost / begun:.1%} less loss than relaxed Mondrian)" if cost < begun else ""
        return (f"Best: {came}{share}.",)


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
        asked = np.arange(len(weight))
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
            most=int(np.clip(_CHOICES // len(asked), 24, budget.most)),
            proposals=max(_FEWEST, min(budget.proposals * rows, budget.in_all)),
            hot=budget.hot,
            seed=task.seed,
            watch=lambda done: task.progress("searching", done),
        )
        _, classes = np.unique(found.of_row, return_inverse=True)
        classes = classes.astype(np.int32).reshape(-1)
        of_tuple = np.full(len(weight), -1, dtype=np.int32)
        own = np.setdiff1d(np.arange(len(weight)), asked, assume_unique=True)
        of_tuple[own] = classes.max() + 1 + np.arange(len(own), dtype=np.int32)
        of_row = of_tuple[self.folded.tuple_of_row]
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

    def spans(self, of_row: np.ndarray, n_classes: int) -> list[tuple[np.ndarray, np.ndarray]]:
        """The lowest and highest code of each class, axis by axis."""
        order = np.argsort(of_row, kind="stable")
        starts = np.searchsorted(of_row[order], np.arange(n_classes))
        found = []
        for axis in self.axes:
            codes = axis.codes[order]
            found.append((np.minimum.reduceat(codes, starts), np.maximum.reduceat(codes, starts)))
        return found

    def cost(self, of_row: np.ndarray, n_classes: int) -> int:
        """What the tightest labels of some classes cost, in all."""
        sizes = np.bincount(of_row, minlength=n_classes)
        total = 0
        order = np.argsort(of_row, kind="stable").astype(np.int32)
        starts = np.r_[0, np.cumsum(sizes)].astype(np.int64)
        spans = self.spans(of_row, n_classes)
        for axis, style, cut, (low, high) in zip(self.axes, self.styles, self.cuts, spans, strict=True):
            if style is Style.TREE:
                assert axis.tree is not None
                each = cut.node_cost[axis.tree.ancestor(low, high)]
            elif style is Style.SPAN:
                each = cut.ruler[high] - cut.ruler[low]
            else:
                sets = kernels.class_sets(order, starts, np.ascontiguousarray(axis.codes))
                each = cut.unit * (np.diff(sets.starts)[sets.of_class] - 1)
            total += int((sizes * each).sum())
        return total

    def labelled(self, of_row: np.ndarray, trace: tuple[str, ...]) -> Recoding:
        """The release of some classes; those with equal labels become one."""
        n_classes = int(of_row.max()) + 1
        sizes = np.bincount(of_row, minlength=n_classes)
        order = np.argsort(of_row, kind="stable").astype(np.int32)
        starts = np.r_[0, np.cumsum(sizes)].astype(np.int64)
        cells = []
        for axis, style, (low, high) in zip(self.axes, self.styles, self.spans(of_row, n_classes), strict=True):
            if style is Style.TREE:
                cells.append(tree_cells(axis, low, high))
            elif style is Style.SPAN:
                cells.append(span_cells(axis, low, high))
            else:
                cells.append(set_cells(axis, kernels.class_sets(order, starts, np.ascontiguousarray(axis.codes))))
        joined = kernels.fold([cell.codes for cell in cells], [len(cell.labels) for cell in cells])
        of_row = joined.tuple_of_row[of_row]
        named = {
            axis.name: Cells(np.ascontiguousarray(cell.codes[joined.representative]), cell.labels)
            for axis, cell in zip(self.axes, cells, strict=True)
        }
        sizes = np.bincount(of_row)
        last = f"{len(sizes)} classes of {sizes.min()} to {sizes.max()} rows."
        return Recoding(of_row, len(sizes), named, (*trace, last))
