"""The cost model: what it costs to generalize values, to merge classes, and to publish a table (Mauger 2021, §3.1).

Costs are whole numbers of one common unit, so that equal costs are equal and sums telescope exactly. Large trees need
no matrix: the cost from a node to an ancestor is a difference of two entries of one array.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm

import numpy as np

from paravent.errors import PlanError
from paravent.hierarchy.tree import Tree
from paravent.near import suggest
from paravent.utility.cost.weights import METRICS, Conventions, EdgeWeights, weights_from

_ROOM = 2**62

Weight = float | int | str | Fraction
Formula = Callable[[Tree, int], Weight]
"""What the edge above a node of a tree weighs."""

Metric = str | Mapping[str, Mapping[str, Weight]] | Formula
"""One of the seven by name, weights by column and node label, or a formula."""


def edge_weights(trees: Sequence[Tree], metric: Metric, conventions: Conventions | None = None) -> list[EdgeWeights]:
    """The weights that a metric puts on the edges of some trees.

    >>> tree = Tree.from_paths("q", [["q1", "q12", "*"], ["q2", "q12", "*"], ["q3", "q3", "*"]])
    >>> halved = edge_weights([tree], lambda tree, node: Fraction(1, 2 ** int(tree.level[node])))[0]
    >>> [str(halved.of(node)) for node in range(tree.root)]
    ['1', '1', '1', '1/2']
    """
    say = conventions or Conventions()
    if isinstance(metric, str):
        if metric not in METRICS:
            raise PlanError(f"metric {metric!r} is unknown. {suggest(metric, list(METRICS))}")
        heights = [tree.height for tree in trees]
        return [METRICS[metric](tree, heights, at, say) for at, tree in enumerate(trees)]
    if callable(metric):
        return [weights_from(tree, {tree.labels[v]: metric(tree, v) for v in range(tree.root)}) for tree in trees]
    for tree in trees:
        if tree.name not in metric:
            raise PlanError(f"metric: no weights are given for column {tree.name!r}. Add them.")
    return [weights_from(tree, metric[tree.name]) for tree in trees]


@dataclass(frozen=True, eq=False)
class CostModel:
    """Costs on some trees.

    `climb[j][v]` is the cost of generalizing node v of tree j to the root, in multiples of `unit`. `exact` is False
    where the weights had to be rounded to fit 64 bits for `rows` rows.
    """

    trees: tuple[Tree, ...]
    climb: tuple[np.ndarray, ...]
    unit: Fraction
    exact: bool = True

    @classmethod
    def of(
        cls,
        trees: Sequence[Tree],
        metric: Metric,
        *,
        conventions: Conventions | None = None,
        rows: int = 1,
        weights: Sequence[Fraction] | None = None,
    ) -> CostModel:
        """The costs of a metric; `weights` says how much those of each tree count.

        >>> tree = Tree.from_paths("q", [["q1", "q12", "*"], ["q2", "q12", "*"], ["q3", "q3", "*"]])
        >>> model = CostModel.of([tree], {"q": {"q1": 1, "q2": 2, "q12": 3, "q3": 4}})
        >>> model.matrix(0).astype(int).tolist()
        [[0, 1, 4, 1, 4], [2, 0, 5, 2, 5], [4, 4, 0, 4, 4], [0, 0, 3, 0, 3], [0, 0, 0, 0, 0]]
        """
        edges = edge_weights(trees, metric, conventions)
        if weights is not None:
            edges = [EdgeWeights(each.whole, each.unit * w) for each, w in zip(edges, weights, strict=True)]
        common = lcm(*(each.unit.denominator for each in edges))
        factors = [int(each.unit * common) for each in edges]
        climbs = [_climb(tree, each.whole) for tree, each in zip(trees, edges, strict=True)]
        most = sum(int(climb.max(initial=0)) * factor for climb, factor in zip(climbs, factors, strict=True))
        if most * max(rows, 1) < _ROOM:
            scaled = [climb * np.int64(factor) for climb, factor in zip(climbs, factors, strict=True)]
            return cls(tuple(trees), tuple(scaled), Fraction(1, common))
        fit = Fraction(_ROOM // 2 // max(rows, 1), most)  # round each weight once, to whole multiples of a coarser unit
        rounded = [
            _climb(tree, np.array([round(int(x) * factor * fit) for x in each.whole.tolist()], dtype=np.int64))
            for tree, each, factor in zip(trees, edges, factors, strict=True)
        ]
        return cls(tuple(trees), tuple(rounded), Fraction(1, common) / fit, exact=False)

    def between(self, at: int, node: np.ndarray, above: np.ndarray) -> np.ndarray:
        """The cost of generalizing nodes to ancestors of theirs on tree `at` (0 where `above` is none)."""
        steps = self.climb[at][node] - self.climb[at][above]
        return np.where(self.trees[at].is_ancestor(above, node), steps, 0)

    def row(self, at: int, node: int) -> np.ndarray:
        """What it costs `node` to meet each node of its tree: one row of the cost matrix."""
        tree = self.trees[at]
        every = np.arange(tree.n_nodes)
        return np.asarray(self.climb[at][node] - self.climb[at][tree.common(np.full_like(every, node), every)])

    def matrix(self, at: int) -> np.ndarray:
        """The cost matrix of a tree in real units; for small trees, and to look at."""
        rows = [self.row(at, node) for node in range(self.trees[at].n_nodes)]
        return np.array(rows, dtype=np.float64) * float(self.unit)

    def merge(self, a: Sequence[int], size_a: int, b: Sequence[int], size_b: int) -> int:
        """The cost of merging two classes, given by their nodes and sizes, in multiples of `unit`."""
        total = 0
        for climb, tree, x, y in zip(self.climb, self.trees, a, b, strict=True):
            meet = int(tree.common(np.array([x]), np.array([y]))[0])
            total += int(climb[x] - climb[meet]) * size_a + int(climb[y] - climb[meet]) * size_b
        return total

    def table(self, original: Sequence[np.ndarray], released: Sequence[np.ndarray]) -> int:
        """The cost of publishing `released` nodes in place of `original` ones (one array a tree, one entry a row)."""
        return sum(
            int(self.between(at, before, after).sum())
            for at, (before, after) in enumerate(zip(original, released, strict=True))
        )

    def most(self, original: Sequence[np.ndarray]) -> int:
        """The cost of publishing nothing but roots."""
        return sum(int(climb[nodes].sum()) for climb, nodes in zip(self.climb, original, strict=True))

    def alteration(self, original: Sequence[np.ndarray], released: Sequence[np.ndarray]) -> float:
        """The cost of a table as a share of the most it could cost, in percent; 0 where nothing can be lost."""
        counts = [
            (np.bincount(before, minlength=tree.n_nodes), np.bincount(after, minlength=tree.n_nodes))
            for tree, before, after in zip(self.trees, original, released, strict=True)
        ]
        return self.altered(*zip(*counts, strict=True)) if counts else 0.0

    def altered(self, before: Sequence[np.ndarray], after: Sequence[np.ndarray]) -> float:
        """The alteration of a table that is told by how many cells stand at each node: before, and after every cell has
        climbed to an ancestor of its own. Sums are whole numbers: equal releases cost the same to the last digit."""
        most = sum(int(np.dot(counts, climb)) for counts, climb in zip(before, self.climb, strict=True))
        left = sum(int(np.dot(counts, climb)) for counts, climb in zip(after, self.climb, strict=True))
        return percent(most - left, most)

    @cached_property
    def heights(self) -> tuple[int, ...]:
        return tuple(tree.height for tree in self.trees)


def percent(spent: int, most: int) -> float:
    """A cost in percent of the most it could be: the alteration (Mauger 2021, §3.1). 0 where nothing can be lost."""
    return 100 * spent / most if most else 0.0


def _climb(tree: Tree, whole: np.ndarray) -> np.ndarray:
    """The weights summed along the way to the root: parents have higher numbers, so one pass a level suffices."""
    climb = whole.astype(np.int64).copy()
    climb[tree.root] = 0
    node = tree.parent.copy()
    while (node >= 0).any():
        inner = node >= 0
        climb[inner] += whole[node[inner]]
        node[inner] = tree.parent[node[inner]]
    return climb
