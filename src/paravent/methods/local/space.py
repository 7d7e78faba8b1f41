"""The columns of a task as local recoding sees them: what classes cost, and searches for cheaper ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from paravent import kernels
from paravent.kernels import TreeCosts
from paravent.kernels.regrouping import regroup
from paravent.methods.label_space import Covered, LabelSpace
from paravent.methods.local.label_pool import CHEAP, label_nodes, levels_of
from paravent.methods.method import Axis, Recoding, Task
from paravent.methods.mondrian.table_cuts import cut_rows
from paravent.methods.partition.covering import Covering

_MANY = 200_000
"""In tables of more rows, tuples that are a class by themselves keep to themselves while labels are searched."""
_FEWEST = 50_000
"""Proposals for small tables."""
_WARMER = 2.5
"""Under demands, Mondrian's classes hold on to their rows: the search begins so much warmer than from its own start."""
_DEAR = 3
"""Classes whose rows lose this many times the mean are cut again."""


class Budget(NamedTuple):
    """How much a search over labels tries: tuples looked up while labels are listed, choices of a tuple and of all
    (they decide the memory it takes), proposals a row and in all, and the first temperature (see
    `kernels.local_search`)."""

    lookups: int
    most: int
    choices: int
    proposals: int
    in_all: int
    hot: float


class Groups(NamedTuple):
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
        self, k: int, budget: Budget, task: Task, begun: Groups, demands: Sequence[kernels.Demand], *, begins: bool
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

    def _levels(self, groups: Groups) -> np.ndarray:
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

    def regrouped(self, task: Task, begun: Groups, work: int) -> Groups:
        """Neighbouring classes clustered anew, as long as every model holds in them."""
        if begun.cost == 0 or work <= 0:
            return begun
        demands = task.demands
        asked = {} if demands is None else {"sensitive": list(task.sensitive.values()), "demands": demands}
        judged = {"judged": task.judged, "guard": task.guard} if demands is None else {}
        found = regroup(
            np.stack([axis.codes for axis in self.axes], axis=1),
            self.labels.cuts,
            begun.of_row,
            k=task.least_size,
            work=work,
            seed=task.seed,
            **(asked if demands else judged),
            watch=lambda done: task.progress("searching", done),
        )
        return self.groups(found.of_row, int(found.of_row.max()) + 1)

    def covering(self, k: int) -> Covering | None:
        """A search over which labels are open; None where a column has no tree."""
        if any(cut.style is not kernels.Style.TREE for cut in self.labels.cuts):
            return None
        trees = [TreeCosts(c.parent, c.first, c.last, c.node_cost.max() - c.node_cost) for c in self.labels.cuts]
        return Covering(np.stack([axis.codes for axis in self.axes], axis=1).astype(np.int32), trees, k)

    def covered(self, task: Task, begun: Groups, covering: Covering, proposals: int) -> Groups:
        """Classes by the labels that are open after so many proposals, begun with those of other classes."""
        nodes = []
        for axis, span in zip(self.axes, begun.spans, strict=True):
            assert axis.tree is not None
            assert not isinstance(span, kernels.Sets)
            nodes.append(axis.tree.ancestor(*(ends.astype(np.int32) for ends in span)))
        of_row = covering.search(
            np.stack(nodes, axis=1),
            proposals,
            hot=0.03,
            seed=task.seed,
            watch=lambda done: task.progress("covering", done),
        )
        return self.recut(task, of_row, covering.k)

    def repaired(self, task: Task, of_row: np.ndarray, k: int) -> np.ndarray | None:
        """The classes that hold every model, and the rows of the others as guarded Mondrian cuts them; None where those
        rows cannot be made to hold."""
        rest = np.flatnonzero(~task.holds_in_part(task.classes(of_row, int(of_row.max()) + 1))[of_row])
        of_row = self._cut(task, of_row, rest, k) if len(rest) else of_row
        return of_row if bool(task.holds(task.classes(of_row, int(of_row.max()) + 1)).all()) else None

    def recut(self, task: Task, of_row: np.ndarray, k: int) -> Groups:
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
