"""Tree: a generalization hierarchy as arrays.

Nodes are numbered leaves first, then inner nodes by level and first leaf, so that a parent always has a higher
number than its children and the root is the last node. Leaves stand in an order in which every node covers an
interval of them: the lowest common ancestor of any set of leaves is that of its smallest and largest leaf.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from paravent.errors import TreeError, quote

ROOT_LABEL = "*"


@dataclass(frozen=True, eq=False)
class Level:
    """One column of the level view: leaf i is published as `labels[codes[i]]`."""

    codes: np.ndarray
    labels: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Tree:
    """A rooted tree over the values of one column.

    `labels`, `parent`, `level`, `first`, `last` have one entry a node. A node's level is 0 for a leaf and
    1 + the highest level of its children otherwise (Mauger 2021, Def. 2.2.3). Every inner node has at least two
    children: single-child chains are collapsed here (the lowest label stays; the root keeps the topmost) and kept in
    `levels`, the view of full-domain methods: level 0 names the leaves, the last level is one label for all.
    """

    name: str
    labels: tuple[str, ...]
    parent: np.ndarray
    level: np.ndarray
    first: np.ndarray
    last: np.ndarray
    levels: tuple[Level, ...]

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
    def height(self) -> int:
        """The number of nodes on the longest way from the root to a leaf (a flat tree: 2)."""
        return int(self.level[self.root]) + 1

    @cached_property
    def leaf_counts(self) -> np.ndarray:
        """How many leaves each node covers (a leaf covers 1)."""
        return self.last - self.first + 1

    @cached_property
    def leaf_of(self) -> dict[str, int]:
        return {label: leaf for leaf, label in enumerate(self.labels[: self.n_leaves])}

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

    @classmethod
    def from_paths(cls, name: str, paths: Sequence[Sequence[str]]) -> Tree:
        """The tree whose leaf i is `paths[i][0]`, with its labels level by level up to the root.

        All paths are equally long (repeat a label where a branch is shorter) and end in one label; a single common
        root `*` is added where they do not. Leaves keep their order as far as nesting allows.
        """
        if not paths:
            raise TreeError(f"tree {name!r}: it has no values. Give at least one.")
        depth = len(paths[0])
        for row, path in enumerate(paths):
            if len(path) != depth:
                raise TreeError(
                    f"tree {name!r}: row {row + 1} has {len(path)} levels, the first has {depth}. "
                    "Give every value the same number of levels."
                )
            for label in path:
                if label == "":
                    raise TreeError(f"tree {name!r}: row {row + 1} has an empty label. Name it, or repeat a label.")
        if len({path[-1] for path in paths}) > 1:
            paths = [[*path, ROOT_LABEL] for path in paths]
        ordered = _in_tree_order(paths)
        _check_nesting(name, ordered)
        return _from_ordered_paths(name, ordered)

    def restrict(self, keep: np.ndarray) -> Tree:
        """The tree over the leaves `keep` (ascending) alone; nodes left with one child are collapsed."""
        depth = len(self.levels)
        paths = [[self.levels[h].labels[self.levels[h].codes[leaf]] for h in range(depth)] for leaf in keep.tolist()]
        return _from_ordered_paths(self.name, paths)


def _in_tree_order(paths: Sequence[Sequence[str]]) -> list[list[str]]:
    """Paths sorted so that the leaves under one label are neighbours; labels in order of first appearance."""
    appeared: list[dict[str, int]] = [{} for _ in paths[0]]
    for path in paths:
        for level, label in enumerate(path):
            appeared[level].setdefault(label, len(appeared[level]))
    order = sorted(range(len(paths)), key=lambda i: tuple(appeared[h][paths[i][h]] for h in range(len(paths[i]))[::-1]))
    return [list(paths[i]) for i in order]


def _check_nesting(name: str, paths: list[list[str]]) -> None:
    """Each label of a level has one parent label, and each leaf stands once."""
    seen: set[str] = set()
    for path in paths:
        if path[0] in seen:
            raise TreeError(f"tree {name!r}: value {quote(path[0])} stands twice. Remove one of its rows.")
        seen.add(path[0])
    for level in range(len(paths[0]) - 1):
        parent_of: dict[str, str] = {}
        for path in paths:
            known = parent_of.setdefault(path[level], path[level + 1])
            if known != path[level + 1]:
                raise TreeError(
                    f"tree {name!r}: {quote(path[level])} on level {level} lies under both {quote(known)} and "
                    f"{quote(path[level + 1])} on level {level + 1}. Levels must be nested: give it one parent."
                )


def _from_ordered_paths(name: str, paths: list[list[str]]) -> Tree:
    n, depth = len(paths), len(paths[0])
    levels = tuple(_level([path[h] for path in paths]) for h in range(depth))
    leaf_labels = [path[0] for path in paths]
    nodes: dict[tuple[int, int], str] = {}
    for h in range(1, depth):
        codes = levels[h].codes
        starts = np.flatnonzero(np.r_[True, codes[1:] != codes[:-1]])
        ends = np.r_[starts[1:], n] - 1
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            if end > start or n == 1:
                nodes.setdefault((start, end), paths[start][h])
    nodes[(0, n - 1)] = paths[0][-1]  # the root keeps the topmost label
    return _assemble(name, leaf_labels, nodes, levels)


def _assemble(name: str, leaves: list[str], nodes: dict[tuple[int, int], str], levels: tuple[Level, ...]) -> Tree:
    """Number the nodes and link them. `nodes` maps the leaf interval of each inner node to its label."""
    n = len(leaves)
    spans = sorted(nodes, key=lambda span: (span[1] - span[0], span[0]))
    parent_span: dict[tuple[int, int], tuple[int, int] | None] = {}
    stack: list[tuple[int, int]] = []
    leaf_parent: list[tuple[int, int]] = [(0, n - 1)] * n
    for span in sorted(nodes, key=lambda span: (span[0], -span[1])):
        while stack and stack[-1][1] < span[0]:
            stack.pop()
        parent_span[span] = stack[-1] if stack else None
        stack.append(span)
    for span in reversed(spans):  # wide to narrow: the narrowest writes last
        for leaf in range(span[0], span[1] + 1):
            leaf_parent[leaf] = span
    level_of: dict[tuple[int, int], int] = {}
    for span in spans:
        level_of[span] = max(level_of.get(span, 1), 1)
        above = parent_span[span]
        if above is not None:
            level_of[above] = max(level_of.get(above, 1), level_of[span] + 1)
    inner = sorted(spans, key=lambda span: (level_of[span], span[0]))
    number = {span: n + i for i, span in enumerate(inner)}
    parent = [number[leaf_parent[leaf]] for leaf in range(n)]
    for span in inner:
        above = parent_span[span]
        parent.append(-1 if above is None else number[above])
    labels = (*leaves, *(nodes[span] for span in inner))
    _check_labels(name, labels)
    return Tree(
        name=name,
        labels=labels,
        parent=np.array(parent, dtype=np.int32),
        level=np.array([0] * n + [level_of[span] for span in inner], dtype=np.int32),
        first=np.array([*range(n), *(span[0] for span in inner)], dtype=np.int32),
        last=np.array([*range(n), *(span[1] for span in inner)], dtype=np.int32),
        levels=levels,
    )


def _check_labels(name: str, labels: tuple[str, ...]) -> None:
    seen: set[str] = set()
    for label in labels:
        if label in seen:
            raise TreeError(
                f"tree {name!r}: label {quote(label)} names two different nodes. Give each group a label of its own."
            )
        seen.add(label)


def _level(labels: list[str]) -> Level:
    index: dict[str, int] = {}
    codes = np.array([index.setdefault(label, len(index)) for label in labels], dtype=np.int32)
    return Level(codes, tuple(index))
