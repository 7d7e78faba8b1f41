"""Local recoding: rows choose the labels they share, by a search that opens and closes labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, NamedTuple, get_args

import numpy as np

from paravent import kernels
from paravent.errors import PlanError
from paravent.methods.beside_k import least_loss
from paravent.methods.label_space import Covered, LabelSpace
from paravent.methods.local.label_pool import CHEAP, is_listed, label_nodes, levels_of
from paravent.methods.method import Axis, Labels, Method, Recoding, Task
from paravent.methods.mondrian.table_cuts import TableCuts, cut_rows

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
_WARMER = 2.5
"""Under demands, Mondrian's classes hold on to their rows: the search begins so much warmer than from its own start."""
_DEAR = 3
"""Classes whose rows lose this many times the mean are cut again."""


@dataclass(frozen=True, kw_only=True)
class LocalRecoding(Method):
    """Rows choose the labels they share: the least loss of all methods here, for more time than Mondrian.

    What a row loses depends on the label of its class alone. So labels, nodes of the full-domain lattice at a row, are
    opened by cost, each where k rows have none yet; then simulated annealing opens and closes labels, and rows move
    between those that are open. At last every class is labelled by the lowest tree nodes (`tree`), spans or sets that
    cover it. Columns without a tree are halved again and again for the search.

    `effort`: `fast`, `normal` or `high`. It counts proposals, not seconds, so that a run can be repeated.

    The search asks l-diversity (distinct, entropy, recursive), t-closeness with equal distances and (α, k)-anonymity of
    every class that a move changes. With other models it knows k alone: the classes that hold them stay, and the rows
    of the others are cut by Mondrian, which asks the models. The result never loses more than relaxed Mondrian's: else
    that is returned.

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
            return Recoding(np.zeros(0, dtype=np.int32), 0, {a.name: Labels(a.codes, ()) for a in task.axes})
        k = task.least_size
        demands = task.demands
        space = Space(task.axes)
        start = TableCuts.of(task, space.labels, relaxed=True).recoded()  # raises where nothing holds
        best = begun = space.groups(start.of_row, start.n_classes)
        came, budget = "", (_LARGE if task.n_rows > _MANY else _BUDGETS)[self.effort]
        # Where k alone decides and all nodes are at hand, the search's own start comes first: it leaves more freedom.
        own_start = demands == [] and is_listed(space.priced_levels)
        both = bool(demands) and self.effort != "fast"
        starts = [not own_start] if task.n_rows > _MANY or not (own_start or both) else [False, True]
        sizes = [k] if demands is not None else [max(k, 2), 2 * max(k, 2), 4 * max(k, 2)]
        for size, begins in [(size, begins) for size in sizes for begins in starts]:
            if size > task.n_rows or best.cost == 0 or (best is not begun and own_start):
                continue
            of_row = space.search(size, budget, task, begun, demands or [], begins=begins)
            mended = of_row if demands == [] else space.repaired(task, of_row, k)
            if mended is None:
                continue
            found = space.recut(task, mended, k)
            if found.cost < best.cost:
                best, came = found, f"search over labels of at least {size} rows"
        made = replace(start, trace=(*start.trace, "No search found classes of less loss."))
        if best is not begun:
            gain = 1 - best.cost / begun.cost
            found_best = space.labelled(best, (f"Best: {came}, {gain:.1%} less loss than relaxed Mondrian.",))
            if task.holds(task.classes(found_best.of_row, found_best.n_classes)).all():
                made = found_best
        return made if task.k_alone else least_loss(task, [made], "gcp")


class _Groups(NamedTuple):
    """Classes, what their tightest labels cost, what a row of each does, and by axis what the labels are: lowest and
    highest codes, or sets."""

    of_row: np.ndarray
    cost: int
    each: np.ndarray
    spans: list[Covered]


class Space:
    """The columns of a task as a search over labels sees them, with costs as in Mondrian."""

    def __init__(self, axes: tuple[Axis, ...]):
        self.labels = LabelSpace.of(axes, "tree")
        self.axes = self.labels.axes
        self.priced_levels = [levels_of(a, c) for a, c in zip(self.axes, self.labels.cuts, strict=True)]
        self.folded = self.labels.folded()

    def search(
        self, k: int, budget: _Budget, task: Task, begun: _Groups, demands: Sequence[kernels.Demand], *, begins: bool
    ) -> np.ndarray:
        """Classes of at least k rows that are as demanded. `begun` are classes whose labels are looked at too, and that
        it may begin with."""
        weight, tuple_of_row = self.folded.weight, self.folded.tuple_of_row
        asked = self._asked(k, task, bool(demands))
        leaves = [np.ascontiguousarray(axis.codes[self.folded.representative[asked]]) for axis in self.axes]
        rows = int(weight[asked].sum(dtype=np.int64))
        most = max(64, budget.lookups // len(asked))
        nodes = label_nodes(leaves, self.priced_levels, weight[asked], most, self._levels(begun))
        of_tuple = np.full(len(weight), -1, dtype=np.int32)
        of_tuple[asked] = np.arange(len(asked), dtype=np.int32)
        searched = np.flatnonzero(of_tuple[tuple_of_row] >= 0)
        in_order = searched[np.argsort(tuple_of_row[searched], kind="stable")]
        usable = begins and len(asked) == len(weight) and int(np.bincount(begun.of_row).min()) >= k
        found = kernels.local_search(
            leaves,
            self.priced_levels,
            weight[asked],
            nodes,
            k=k,
            most=int(np.clip(budget.choices // len(asked), 24, budget.most)),
            proposals=max(_FEWEST, min(budget.proposals * rows, budget.in_all)),
            hot=budget.hot * (_WARMER if demands and usable else 1),
            seed=task.seed,
            coarse=int(CHEAP * len(nodes)) if demands else None,
            sensitive=[codes[in_order] for codes in task.sensitive.values()] if demands else [],
            demands=demands,
            given=(begun.of_row[in_order], begun.each) if usable else None,
            watch=lambda done: task.progress("searching", done),
        )
        classes = np.unique(found.of_row, return_inverse=True)[1].astype(np.int32).reshape(-1)
        own = np.setdiff1d(np.arange(len(weight)), asked, assume_unique=True)
        of_tuple[own] = classes.max() + 1 + np.arange(len(own), dtype=np.int32)
        of_row: np.ndarray = of_tuple[tuple_of_row]
        of_row[in_order] = classes
        return of_row

    def _asked(self, k: int, task: Task, demanding: bool) -> np.ndarray:
        """The tuples to search for: in a large table those that are no class by themselves."""
        weight = self.folded.weight
        if task.n_rows <= _MANY:
            return np.arange(len(weight))
        alone = weight >= k
        if demanding:
            alone &= task.holds_in_part(task.classes(self.folded.tuple_of_row, len(weight)))
        few = np.flatnonzero(~alone)
        if int(weight[few].sum()) < k or demanding:  # what is left over need not be as demanded
            few = np.arange(len(weight)) if not self._left_holds(task, alone, demanding) else few
        return few

    def _left_holds(self, task: Task, alone: np.ndarray, demanding: bool) -> bool:
        """Whether the rows of the other tuples, as one class, hold."""
        left = ~alone[self.folded.tuple_of_row]
        if not demanding or not left.any():
            return False
        return bool(task.holds_in_part(task.classes(np.where(left, 0, -1), 1))[0])

    def _levels(self, groups: _Groups) -> np.ndarray:
        """The lowest node under which the rows of each class are one label (distinct ones, the most frequent first)."""
        columns = []
        for span, own in zip(groups.spans, self.priced_levels, strict=True):
            if isinstance(span, kernels.Sets):
                low = span.members[span.starts[:-1]][span.of_class]
                high = span.members[span.starts[1:] - 1][span.of_class]
            else:
                low, high = span
            levels = np.full(len(low), len(own) - 1, dtype=np.int32)
            for level in range(len(own) - 2, -1, -1):
                levels[own[level].codes[low] == own[level].codes[high]] = level
            columns.append(levels)
        found, often = np.unique(np.stack(columns, axis=1), axis=0, return_counts=True)
        return np.asarray(found[np.argsort(-often, kind="stable")])

    def repaired(self, task: Task, of_row: np.ndarray, k: int) -> np.ndarray | None:
        """The classes that hold every model, and the rows of the others as guarded Mondrian cuts them; None where those
        rows cannot be made to hold."""
        rest = np.flatnonzero(~task.holds_in_part(task.classes(of_row, int(of_row.max()) + 1))[of_row])
        of_row = self._cut(task, of_row, rest, k) if len(rest) else of_row
        return of_row if bool(task.holds(task.classes(of_row, int(of_row.max()) + 1)).all()) else None

    def recut(self, task: Task, of_row: np.ndarray, k: int) -> _Groups:
        """The classes with their largest and dearest, the rows that found no label of their own, as Mondrian cuts them,
        if that loses less."""
        found = self.groups(of_row, int(of_row.max()) + 1)
        sizes = np.bincount(of_row)
        dear = (sizes >= 2 * k) & (found.each >= _DEAR * found.cost / len(of_row))
        if not dear.any():
            return found
        cut = self._cut(task, of_row, np.flatnonzero(dear[of_row]), k)
        if not task.holds(task.classes(cut, int(cut.max()) + 1)).all():
            return found
        return min(found, self.groups(cut, int(cut.max()) + 1), key=lambda groups: groups.cost)

    def _cut(self, task: Task, of_row: np.ndarray, rest: np.ndarray, k: int) -> np.ndarray:
        """The classes, of which some rows are cut by Mondrian as the models allow."""
        cut = cut_rows(task, self.labels, rest, k)
        of_row = of_row.copy()
        of_row[rest] = int(of_row.max()) + 1 + cut
        return np.unique(of_row, return_inverse=True)[1].astype(np.int32).reshape(-1)

    def cost(self, of_row: np.ndarray, n_classes: int) -> int:
        """What the tightest labels of some classes cost, in all."""
        return self.groups(of_row, n_classes).cost

    def loss(self, of_row: np.ndarray, n_classes: int) -> float:
        """The mean loss of all cells, by the columns' weights: 0 untouched, 1 everything suppressed."""
        most = sum(int(priced[-1].cost.max()) for priced in self.priced_levels)
        return self.cost(of_row, n_classes) / max(1, most * len(of_row))

    def groups(self, of_row: np.ndarray, n_classes: int) -> _Groups:
        held = self.labels.covered(of_row, n_classes)
        each = self.labels.costs(held)
        return _Groups(of_row, int(np.bincount(of_row, minlength=n_classes) @ each), each, held)

    def labelled(self, groups: _Groups, trace: tuple[str, ...]) -> Recoding:
        """The release of some classes; those with equal labels become one."""
        of_row, n_classes, cells = self.labels.released(groups.of_row, groups.spans)
        sizes = np.bincount(of_row)
        last = f"{n_classes} classes of {sizes.min()} to {sizes.max()} rows."
        return Recoding(of_row, n_classes, cells, (*trace, last))
