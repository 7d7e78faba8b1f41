"""A run of greedy merging: the rows, the merges, and every table on the way from the first to the last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from paravent import kernels
from paravent.errors import InfeasibleError
from paravent.hierarchy.axis import Axis
from paravent.kernels import Folded, Merges, TreeCosts
from paravent.methods.labelling import tree_cells
from paravent.methods.merging.merge_steps import merge_steps
from paravent.methods.merging.spared import spared
from paravent.methods.method import Labels, Recoding, Task
from paravent.methods.trace import LazySteps


def tuples(task: Task, *, random: bool) -> tuple[Folded, np.ndarray]:
    """The distinct rows, and the order in which they count as coming first: that of the columns' trees, or a drawn
    one."""
    if task.n_rows == 0:
        raise InfeasibleError("the table has no rows to anonymize.")
    folded = kernels.fold([axis.codes for axis in task.axes], [len(axis) for axis in task.axes])
    order = np.arange(len(folded.weight))
    if random:
        order = np.random.default_rng(task.seed).permutation(len(order))
    return folded, order


def price_of(nodes: np.ndarray, sizes: np.ndarray, tree_costs: Sequence[TreeCosts]) -> np.ndarray:
    """What it costs to generalize every row of some classes to the roots."""
    climbs = sum((tree.climb[nodes[:, j]] for j, tree in enumerate(tree_costs)), np.zeros(len(nodes), dtype=np.int64))
    return np.asarray(climbs * sizes)


@dataclass(frozen=True, eq=False)
class MergeRun:
    """Class c < n is distinct row `order[c]`; merge t makes class n + t. `merges` go on for as long as was asked."""

    folded: Folded
    order: np.ndarray
    merges: Merges
    price: np.ndarray
    """What it costs to say nothing about the rows of each starting class."""

    @property
    def n(self) -> int:
        return len(self.order)

    def steps(self, k: int) -> int:
        """How many merges lead to the first table whose smallest class has k rows."""
        enough = np.flatnonzero(self.merges.smallest >= k)
        if not len(enough):
            raise InfeasibleError(f"{k}-anonymity cannot hold: the table has fewer rows. Ask for a smaller k.")
        return int(enough[0])

    def classes(self, steps: int) -> tuple[np.ndarray, int]:
        """The class of each row after so many merges, and how many there are."""
        return self._numbered(self._roots(steps))

    def _roots(self, steps: int) -> np.ndarray:
        return root_of(self.merges, self.n, steps)

    def _numbered(self, root: np.ndarray) -> tuple[np.ndarray, int]:
        """Classes of rows, numbered by the first starting class in them; −1 stays."""
        found, first, inverse = np.unique(root, return_index=True, return_inverse=True)
        kept = found >= 0
        number = np.full(len(found), -1, dtype=np.int32)
        number[np.flatnonzero(kept)[np.argsort(first[kept])]] = np.arange(int(kept.sum()), dtype=np.int32)
        rank = np.empty(self.n, dtype=np.int32)
        rank[self.order] = number[inverse.reshape(-1)]
        return rank[self.folded.tuple_of_row], int(kept.sum())

    def recoding(self, task: Task, k: int) -> Recoding:
        """The first k-anonymous table on the way. Where rows may be suppressed, classes are left out by `spared`."""
        steps = self.steps(k)
        if task.max_suppressed:
            root = self._roots(steps)
            sizes = self.folded.weight[self.order].astype(np.int64)
            left_out = spared(self.merges, sizes, steps, k=k, budget=task.max_suppressed, price=self.price)
            for dropped in left_out.dropped:
                root[left_out.members(dropped)] = -1
            of_row, n_classes = coalesced(task.axes, *self._numbered(root))
        else:
            of_row, n_classes = self.classes(steps)
        shown = cells(task.axes, of_row, n_classes)
        begun, _ = self._numbered(np.arange(self.n))
        made = partial(merge_steps, task.axes, begun, self.merges, steps, shown, of_row)
        return Recoding(of_row, n_classes, shown, self._trace(steps, of_row), LazySteps(made))

    def best_that_holds(self, task: Task, low: int = 0) -> tuple[np.ndarray, int, int]:
        """From `low` merges on, a table in which every model holds: classes, how many, and after how many merges.

        Where rows may be left out, the run may end earlier, with the classes that still fail left out: of the tables
        for budgets of 0, 1, 2, 3, 4, 6, 8, 12, … rows, as far as allowed, the one that loses least, a row left out
        counting as one at the roots. A larger budget looks at the same tables and at more: it never makes it worse.
        """
        best: tuple[int, tuple[np.ndarray, int, int]] | None = None
        why: InfeasibleError | None = None
        for budget in budgets(task.max_suppressed):
            try:
                found = self._first_that_holds(replace(task, max_suppressed=budget), 0 if budget else low)
            except InfeasibleError as error:
                why = error
                continue
            lost = self.loss(found[0], found[2])
            if best is None or lost < best[0]:
                best = lost, found
        if best is None:
            assert why is not None
            raise why
        return best[1]

    def loss(self, of_row: np.ndarray, steps: int) -> int:
        """What a table after so many merges costs, rows left out (−1) as if they stood at the roots."""
        into = _into(self.merges, self.n, steps)
        spent = np.zeros(self.n + steps, dtype=np.int64)
        np.add.at(spent, into[self.n :], self.merges.cost[:steps])
        shown = np.empty(len(self.folded.weight), dtype=np.int64)
        shown[self.folded.tuple_of_row] = of_row
        kept = shown[self.order] >= 0
        return int(spent[np.unique(into[: self.n][kept])].sum()) + int(self.price[~kept].sum())

    def _first_that_holds(self, task: Task, low: int) -> tuple[np.ndarray, int, int]:
        """From `low` merges on, a table in which every model holds but for rows that may be left out: the earliest one
        where a merge of two classes that hold holds too, for then it is found by halving."""
        real = np.flatnonzero(self.merges.smallest > 0)
        real = real[real >= low]

        def held(steps: int) -> tuple[np.ndarray, int] | None:
            of_row, n_classes = self.classes(steps)
            if task.max_suppressed:
                left = task.suppress_failing(of_row, n_classes)
                return None if left is None else _dense(left)
            return (of_row, n_classes) if task.holds(task.classes(of_row, n_classes)).all() else None

        found = held(int(real[-1]))
        if found is None:
            raise InfeasibleError("The models do not hold for the table as a whole. Ask for less.")
        below, above = -1, len(real) - 1
        while above - below > 1:
            middle = (below + above) // 2
            here = held(int(real[middle]))
            if here is None:
                below = middle
            else:
                above, found = middle, here
        return (*found, int(real[above]))

    def said(self, steps: int) -> tuple[str, ...]:
        spent = int(self.merges.cost[:steps].sum())
        return (
            f"Began with {self.n} classes of equal rows.",
            f"Merged {steps} times, the smallest class first, at a cost of {spent} units.",
        )

    def _trace(self, steps: int, of_row: np.ndarray) -> tuple[str, ...]:
        sizes = np.bincount(of_row[of_row >= 0])
        dropped = int((of_row < 0).sum())
        left_out = [f"Left out {dropped} rows."] if dropped else []
        last = f"All classes are large enough: {len(sizes)} classes of {sizes.min()} to {sizes.max()} rows."
        return (*self.said(steps), *left_out, last)


def budgets(most: int) -> list[int]:
    """Numbers of rows to leave out that are tried, up to the most allowed.

    >>> budgets(20)
    [0, 1, 2, 3, 4, 6, 8, 12, 16]
    """
    steps = {0, *(half << power for power in range(64) for half in (2, 3)), 1}
    return sorted(step for step in steps if step <= most)


def root_of(merges: Merges, n: int, steps: int) -> np.ndarray:
    """The class that holds each of n starting classes after so many merges."""
    return _into(merges, n, steps)[:n]


def _into(merges: Merges, n: int, steps: int) -> np.ndarray:
    """The class that holds each class, of the starting ones and those that were made, after so many merges."""
    into = np.arange(n + steps)
    into[merges.left[:steps]] = into[merges.right[:steps]] = np.arange(n, n + steps)
    for c in range(n + steps - 1, -1, -1):  # a class is merged into one with a higher number
        into[c] = into[into[c]]
    return into


def cells(axes: tuple[Axis, ...], of_row: np.ndarray, n_classes: int) -> dict[str, Labels]:
    """The lowest node over each class, on every axis."""
    return {axis.name: tree_cells(axis, *_ends(axis, of_row, n_classes)) for axis in axes}


def released_nodes(axes: Sequence[Axis], of_row: np.ndarray, n_classes: int) -> Mapping[str, np.ndarray]:
    """The node of the given tree that each row shows, on every axis; rows left out (−1) stand at the root."""
    found = {}
    for axis in axes:
        assert axis.tree is not None
        assert axis.whole is not None
        shown = axis.node[axis.tree.ancestor(*_ends(axis, of_row, n_classes))]
        found[axis.name] = np.append(shown, np.int32(axis.whole.root))[of_row]
    return found


def _ends(axis: Axis, of_row: np.ndarray, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    low = np.full(n_classes, len(axis), dtype=np.int32)
    high = np.full(n_classes, -1, dtype=np.int32)
    kept = of_row >= 0
    np.minimum.at(low, of_row[kept], axis.codes[kept])
    np.maximum.at(high, of_row[kept], axis.codes[kept])
    return low, high


def coalesced(axes: tuple[Axis, ...], of_row: np.ndarray, n_classes: int) -> tuple[np.ndarray, int]:
    """Classes that show the same cells are one class (Mauger 2021, §2.3)."""
    shown = [tree_cells(axis, *_ends(axis, of_row, n_classes)).codes for axis in axes]
    _, first, inverse = np.unique(np.stack(shown, axis=1), axis=0, return_index=True, return_inverse=True)
    number = np.empty(len(first), dtype=np.int32)
    number[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    return np.where(of_row >= 0, number[inverse.reshape(-1)][of_row], np.int32(-1)), len(first)


def _dense(of_row: np.ndarray) -> tuple[np.ndarray, int]:
    left = np.unique(of_row[of_row >= 0])
    number = np.full(int(of_row.max(initial=-1)) + 2, -1, dtype=np.int32)
    number[left] = np.arange(len(left), dtype=np.int32)
    return number[of_row], len(left)
