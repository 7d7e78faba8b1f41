"""The two tools of the construction algorithms (Mauger 2021, §5.3.2): G makes classes larger, P splits them again.

G works on the generalised table as it stands (costs are counted from its nodes), P goes back to the original rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from paravent import kernels
from paravent.errors import InfeasibleError
from paravent.hierarchy.axis import Axis
from paravent.hierarchy.tree import Tree
from paravent.methods.merging.gkaa import GkAA
from paravent.methods.merging.merge_run import MergeRun, root_of
from paravent.methods.method import Method, Task
from paravent.methods.partition.repartition import Repartition, entries
from paravent.methods.partition.space import Parts, Space
from paravent.privacy.k_anonymity import KAnonymity, beside_k
from paravent.table.kinds import Kind

_SHAKEN = 0.05
"""The share of classes that join another one when a cycle is left."""


@dataclass(eq=False)
class Workshop:
    """A table with its tools. A state is the class of every row. `base` takes the place of GkAA where it is given;
    `merged` is a run of GkAA over the table that is already there."""

    task: Task
    space: Space
    splitter: Repartition
    merger: GkAA = field(default_factory=GkAA)
    base: Method | None = None
    merged: MergeRun | None = None

    def asking(self, k: int) -> Task:
        """The task with another k, and no rows left out."""
        others = beside_k(self.task.models)
        return replace(self.task, models=(KAnonymity(k), *others), max_suppressed=0)

    def begin(self, k: int) -> np.ndarray:
        """G on the original rows."""
        if self.base is not None:
            return self.base.run(self.asking(k)).of_row
        if self.merged is not None and self.task.k_alone:
            return self.merged.classes(self.merged.steps(k))[0]
        return self.merger.run(self.asking(k)).of_row

    def enlarged(self, of_row: np.ndarray, k: int) -> np.ndarray:
        """G on the table as it stands."""
        parts = self.space.parts(of_row)
        labels, class_of = np.unique(self.space.labels(parts), axis=0, return_inverse=True)
        class_of = class_of.reshape(-1)
        sizes = np.bincount(class_of, weights=parts.sizes).astype(np.int64)
        if self.base is not None:
            return self._enlarged_by_base(self.base, labels, class_of[dense(of_row)], k)
        nodes = np.ascontiguousarray(labels.astype(np.int32))
        merges = kernels.merge(
            nodes, sizes, self.space.tree_costs, k=k, watch=lambda done: self.task.progress("merging", done)
        )
        root = root_of(merges, len(nodes), len(merges.left))
        return np.asarray(dense(root)[class_of[dense(of_row)]])

    def _enlarged_by_base(self, base: Method, labels: np.ndarray, class_of_row: np.ndarray, k: int) -> np.ndarray:
        axes = tuple(
            generalised_axis(axis, tree, labels[:, j], class_of_row)
            for j, (axis, tree) in enumerate(zip(self.task.axes, self.space.trees, strict=True))
        )
        return base.run(replace(self.asking(k), axes=axes)).of_row

    def split(self, of_row: np.ndarray, k: int) -> np.ndarray:
        """P: every class split. Under models beyond k-anonymity a class whose parts do not all hold stays whole."""
        before = dense(of_row)
        after = nested(self.space, before, self.splitter.run(self.space.parts(before), k))
        if not self.task.k_alone:
            held = self.task.holds_in_part(self.task.classes(after, int(after.max()) + 1))
            torn = np.unique(before[~held[after]])
            after = dense(np.where(np.isin(before, torn), int(after.max()) + 1 + before, after))
        return after

    def shaken(self, of_row: np.ndarray, k: int, rng: np.random.Generator) -> np.ndarray:
        """A way out of a cycle: some classes, drawn at random, join the class that costs them least; then G."""
        parts = self.space.parts(of_row)
        labels, sizes = self.space.labels(parts), parts.sizes
        into = np.arange(len(sizes))
        for c in rng.permutation(len(sizes))[: max(1, int(_SHAKEN * len(sizes)))].tolist():
            if len(sizes) < 2:
                break
            cost = np.zeros(len(sizes), dtype=np.int64)
            for j, (tree, climb) in enumerate(zip(self.space.trees, self.space.climb, strict=True)):
                met = climb[tree.common(np.full(len(sizes), labels[c, j]), labels[:, j])]
                cost += (climb[labels[c, j]] - met) * sizes[c] + (climb[labels[:, j]] - met) * sizes
            cost[c] = np.iinfo(np.int64).max
            into[into == into[c]] = into[int(cost.argmin())]
        return self.enlarged(dense(into[dense(of_row)]), k)

    def cost(self, of_row: np.ndarray) -> int:
        return self.space.cost(self.space.parts(of_row))

    def holds(self, of_row: np.ndarray) -> bool:
        """Whether the table satisfies every model of the task."""
        return bool(self.task.holds(self.task.classes(of_row, int(of_row.max()) + 1)).all())

    def key(self, of_row: np.ndarray) -> bytes:
        """Equal for equal tables: which tuples are together, whatever the numbers of the classes."""
        found = sorted(tuples.tobytes() + b"|" + rows.tobytes() for tuples, rows in entries(self.space.parts(of_row)))
        return b"||".join(found)


def dense(of_row: np.ndarray) -> np.ndarray:
    """Classes numbered from 0 without gaps, in the order of their numbers."""
    return np.unique(of_row, return_inverse=True)[1].reshape(-1).astype(np.int32)


def nested(space: Space, before: np.ndarray, parts: Parts) -> np.ndarray:
    """The part of each row, given parts that split the classes of `before` one after the other. Equal rows of a class
    are given to its parts in their order, the first rows first."""
    sizes, ends = parts.sizes, np.cumsum(np.bincount(before))
    class_of_part = np.searchsorted(ends, np.cumsum(sizes) - sizes, side="right")
    rows = np.lexsort((np.arange(len(before)), space.folded.tuple_of_row, before))
    order = np.lexsort((parts.part, parts.tuples, class_of_part[parts.part]))
    found = np.empty(len(before), dtype=np.int32)
    found[rows] = np.repeat(parts.part[order], parts.rows[order]).astype(np.int32)
    return found


def generalised_axis(axis: Axis, tree: Tree, nodes: np.ndarray, class_of_row: np.ndarray) -> Axis:
    """A column as a generalised table shows it: its values are nodes of the tree. A node that stands above others of
    them is a leaf of its own beside those."""
    shown = np.unique(nodes)
    if len(shown) == 1:
        levels = Tree.from_paths(axis.name, [[f"={shown[0]}", "root"]])
    else:
        chains = [_chain(tree, int(node)) for node in shown.tolist()]
        depth = max(map(len, chains))
        paths = [
            [f"={node}"] * (depth - len(chain) + 1) + [f"+{above}" for above in chain]
            for node, chain in zip(shown.tolist(), chains, strict=True)
        ]
        levels = Tree.from_paths(axis.name, paths)
    rank = np.array([levels.leaf_of[f"={node}"] for node in shown.tolist()], dtype=np.int32)
    codes = rank[np.searchsorted(shown, nodes)][class_of_row]
    return Axis(axis.name, Kind.NOMINAL, codes, levels.leaves, levels, weight=axis.weight)


def _chain(tree: Tree, node: int) -> list[int]:
    found = []
    while node >= 0:
        if node >= tree.n_leaves:
            found.append(node)
        node = int(tree.parent[node])
    return found


def check_enough(task: Task, k: int) -> None:
    if task.n_rows < k:
        raise InfeasibleError(f"{k}-anonymity cannot hold: the table has {task.n_rows} rows. Ask for a smaller k.")
