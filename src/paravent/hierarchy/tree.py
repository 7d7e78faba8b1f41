"""Tree: a generalization hierarchy as arrays.

Nodes are numbered leaves first, then inner nodes by level and first leaf, so that a parent always has a higher
number than its children and the root is the last node. Leaves stand in an order in which every node covers an
interval of them: the lowest common ancestor of any set of leaves is that of its smallest and largest leaf.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from paravent.errors import TreeError, quote
from paravent.hierarchy.levels import ROOT_LABEL, Level, by_appearance, check_leaves, check_nesting

__all__ = ["ROOT_LABEL", "Level", "Tree"]


@dataclass(frozen=True, eq=False, repr=False)
class Tree:
    """A rooted tree over the values of one column.

    `labels`, `parent`, `level`, `first`, `last` have one entry a node. A node's level is 0 for a leaf and
    1 + the highest level of its children otherwise (Mauger 2021, Def. 2.2.3). Every inner node has at least two
    children (the root of a tree with one leaf has one): single-child chains are collapsed here (the lowest label
    stays, for it says most) and kept in `levels`, the view of full-domain methods: level 0 names the leaves, the last
    level is one label for all, `top`. A label names one set of leaves, on whichever levels it stands.
    """

    name: str
    labels: tuple[str, ...]
    parent: np.ndarray
    level: np.ndarray
    first: np.ndarray
    last: np.ndarray
    levels: tuple[Level, ...]

    def __repr__(self) -> str:
        return f"<Tree {self.name!r}: {self.n_leaves} values, {self.n_nodes} nodes, height {self.height}>"

    @property
    def n_leaves(self) -> int:
        return len(self.levels[0].codes)

    @property
    def n_nodes(self) -> int:
        return len(self.labels)

    @property
    def root(self) -> int:
        return self.n_nodes - 1

    @property
    def top(self) -> str:
        """The label of the highest level. Where levels below it are one label for all too, the root has the lowest."""
        return self.levels[-1].labels[0]

    @property
    def height(self) -> int:
        """The number of nodes on the longest way from the root to a leaf (a flat tree: 2)."""
        return int(self.level[self.root]) + 1

    @property
    def leaves(self) -> tuple[str, ...]:
        """The values, in tree order."""
        return self.labels[: self.n_leaves]

    @cached_property
    def leaf_counts(self) -> np.ndarray:
        """How many leaves each node covers (a leaf covers 1)."""
        return np.asarray(self.last - self.first + 1)

    @cached_property
    def leaf_of(self) -> dict[str, int]:
        return {label: leaf for leaf, label in enumerate(self.leaves)}

    @cached_property
    def node_of(self) -> dict[str, int]:
        return {label: node for node, label in enumerate(self.labels)}

    @cached_property
    def _by_parent(self) -> tuple[np.ndarray, np.ndarray]:
        """Nodes sorted by parent, then first leaf; and where each parent's children start."""
        order = np.lexsort((self.first[:-1], self.parent[:-1])).astype(np.int32)
        return order, np.searchsorted(self.parent[order], np.arange(self.n_nodes + 1))

    def children(self, node: int) -> np.ndarray:
        """The nodes directly below, from left to right.

        >>> tree = Tree.from_paths("q", [["q1", "q12", "*"], ["q2", "q12", "*"], ["q3", "q3", "*"]])
        >>> [tree.labels[child] for child in tree.children(tree.root)]
        ['q12', 'q3']
        """
        order, start = self._by_parent
        return order[start[node] : start[node + 1]]

    def is_ancestor(self, above: np.ndarray, below: np.ndarray) -> np.ndarray:
        """Whether `above` generalizes `below` (a node generalizes itself), elementwise."""
        return np.asarray((self.first[above] <= self.first[below]) & (self.last[below] <= self.last[above]))

    def ancestor(self, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """The lowest node that covers leaves `low` to `high` (arrays of equal shape).

        >>> tree = Tree.from_paths("q", [["q1", "q12", "*"], ["q2", "q12", "*"], ["q3", "q3", "*"]])
        >>> [tree.labels[i] for i in tree.ancestor(np.array([0, 0, 2]), np.array([1, 2, 2]))]
        ['q12', '*', 'q3']
        """
        node = np.array(low, dtype=np.int32)
        high = np.asarray(high)
        while True:
            short = self.last[node] < high
            if not short.any():
                return node
            node = np.where(short, self.parent[node], node)

    def common(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """The lowest common ancestor of two nodes, elementwise."""
        return self.ancestor(np.minimum(self.first[a], self.first[b]), np.maximum(self.last[a], self.last[b]))

    @classmethod
    def from_paths(cls, name: str, paths: Sequence[Sequence[str]], rows: Sequence[int] | None = None) -> Tree:
        """The tree whose leaf i is `paths[i][0]`, with its labels level by level up to the root.

        All paths are equally long (repeat a label where a branch is shorter) and end in one label; a single common
        root `*` is added where they do not. Leaves keep their order as far as nesting allows. `rows` says where each
        path stands in its file, for the messages.
        """
        if not paths:
            raise TreeError(f"tree {name!r}: it has no values. Give at least one.")
        depth = len(paths[0])
        for i, path in enumerate(paths):
            if len(path) != depth:
                raise TreeError(
                    f"tree {name!r}: row {rows[i] if rows else i + 1} has {len(path)} levels, the first has {depth}. "
                    "Give every value the same number of levels (repeat a label where a branch is shorter)."
                )
        return cls.from_levels(name, [Level.of([path[h] for path in paths]) for h in range(depth)], rows)

    @classmethod
    def from_levels(cls, name: str, levels: Sequence[Level], rows: Sequence[int] | None = None) -> Tree:
        """The tree whose leaf i is published as `labels[codes[i]]` on each level, level 0 first.

        >>> Tree.from_levels("q", [Level.of(["a", "b", "c"]), Level(np.array([0, 0, 1]), ("ab", "c"))])
        <Tree 'q': 3 values, 5 nodes, height 3>
        """
        n = len(levels[0].codes) if levels else 0
        if n == 0:
            raise TreeError(f"tree {name!r}: it has no values. Give at least one.")
        compact = [by_appearance(level) for level in levels]
        check_leaves(name, compact, rows)
        check_nesting(name, compact, rows)
        top = compact[-1].labels
        if len(top) > 1 or len(compact) == 1 or (n == 1 and top == compact[0].labels):
            compact.append(Level(np.zeros(n, dtype=np.int32), (ROOT_LABEL,)))
        order = np.lexsort([level.codes for level in compact])
        return _assemble(name, [level.take(order) for level in compact])

    def restrict(self, keep: np.ndarray) -> Tree:
        """The tree over the leaves `keep` (ascending) alone; nodes left with one child are collapsed.

        Each of its nodes is the lowest of this tree over some of those leaves, its root that over all of them.

        >>> tree = Tree.from_paths("q", [["q1", "q12", "*"], ["q2", "q12", "*"], ["q3", "q3", "*"]])
        >>> tree.restrict(np.array([0, 1])).labels
        ('q1', 'q2', 'q12')
        """
        if len(keep) == self.n_leaves:
            return self
        return _assemble(self.name, [level.take(keep) for level in self.levels])

    def with_leaves(self, labels: Sequence[str]) -> Tree:
        """The tree with more leaves hung on its root, to the right of all others.

        A root with a name of its own does not speak for strangers: it becomes a group beside them, under `*`.

        >>> tree = Tree.from_paths("town", [["Nice", "France"], ["Paris", "France"]])
        >>> tree.with_leaves(["Rome"]).labels
        ('Nice', 'Paris', 'Rome', 'France', '*')
        """
        if not labels:
            return self
        more = np.arange(len(labels), dtype=np.int32)
        below = self.levels if self.top != ROOT_LABEL else self.levels[:-1]
        grown = [
            Level(np.r_[level.codes, len(level.labels) + more].astype(np.int32), (*level.labels, *labels))
            for level in below
        ]
        top = Level(np.zeros(self.n_leaves + len(labels), dtype=np.int32), (ROOT_LABEL,))
        return Tree.from_levels(self.name, [*grown, top])

    def with_leaf(self, label: str) -> Tree:
        """The tree with one more leaf on its root."""
        return self.with_leaves([label])

    def relabelled(self, names: Mapping[str, str]) -> Tree:
        """The tree with other names for some labels, on every level.

        >>> Tree.from_paths("q", [["1.0", "*"], ["2.0", "*"]]).relabelled({"1.0": "1"}).labels
        ('1', '2.0', '*')
        """
        levels = [Level(level.codes, tuple(names.get(label, label) for label in level.labels)) for level in self.levels]
        return _assemble(self.name, levels)

    def renamed(self, name: str) -> Tree:
        return Tree(name, self.labels, self.parent, self.level, self.first, self.last, self.levels)


def _assemble(name: str, levels: Sequence[Level]) -> Tree:
    """Number the nodes and link them, level by level. The codes of every level ascend."""
    n = len(levels[0].codes)
    leaves = np.arange(n, dtype=np.int32)
    first, last, level = [leaves], [leaves], [np.zeros(n, dtype=np.int32)]
    parent = np.full(2 * n + 1, -1, dtype=np.int32)
    level_of = np.zeros(2 * n + 1, dtype=np.int32)
    inner_labels: list[str] = []
    nodes = [leaves]  # the node of each run of each level, numbered as they are found
    count = n
    for height in range(1, len(levels)):
        starts, below, at = levels[height].starts, levels[height - 1].starts, nodes[-1]
        child = np.searchsorted(below, starts)
        n_children = np.diff(np.r_[child, len(below)])
        fresh = n_children > 1
        if n == 1 and count == 1 and levels[height].labels == levels[-1].labels:
            fresh[:] = True  # the root over a single leaf
        here = np.where(fresh, count - 1 + np.cumsum(fresh), at[child]).astype(np.int32)
        linked = np.repeat(fresh, n_children)
        parent[at[linked]] = np.repeat(here, n_children)[linked]
        levels_here = (np.maximum.reduceat(level_of[at], child) + 1)[fresh]
        level_of[here[fresh]] = levels_here
        ends = np.r_[starts[1:], n] - 1
        first.append(starts[fresh])
        last.append(ends[fresh])
        level.append(levels_here)
        inner_labels.extend(levels[height].labels[i] for i in np.flatnonzero(fresh).tolist())
        nodes.append(here)
        count += int(fresh.sum())
    found_first, found_level = np.concatenate(first), np.concatenate(level)
    order = np.r_[leaves, n + np.lexsort((found_first[n:], found_level[n:]))]
    number = np.empty(count + 1, dtype=np.int32)
    number[order] = np.arange(count, dtype=np.int32)
    number[-1] = -1  # the parent of the root
    _check_labels(name, levels, [number[run] for run in nodes])
    return Tree(
        name=name,
        labels=(*levels[0].labels, *(inner_labels[i - n] for i in order[n:].tolist())),
        parent=number[parent[order]],
        level=found_level[order].astype(np.int32),
        first=found_first[order].astype(np.int32),
        last=np.concatenate(last)[order].astype(np.int32),
        levels=tuple(levels),
    )


def _check_labels(name: str, levels: Sequence[Level], nodes: Sequence[np.ndarray]) -> None:
    """A label stands for one node, on however many levels."""
    values, above = levels[0].labels, {label for level in levels[1:] for label in level.labels}
    known: dict[str, int] = {}  # each value stands once, as was checked: only those that are labels, too, can clash
    if not above.isdisjoint(values):
        pairs = zip(values, nodes[0].tolist(), strict=True)
        known = {label: node for label, node in pairs if label in above}
    for level, run in zip(levels[1:], nodes[1:], strict=True):
        for label, node in zip(level.labels, run.tolist(), strict=True):
            if known.setdefault(label, node) != node:
                raise TreeError(
                    f"tree {name!r}: label {quote(label)} names two different nodes. "
                    "Give each group a label of its own."
                )
