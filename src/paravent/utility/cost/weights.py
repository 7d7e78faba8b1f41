"""Edge weights: what it costs, on one tree, to replace a node by its parent.

A metric of the unified loss model (Mauger 2021, ch. 3) is a set of non-negative weights on the edges of each tree.
Weights are kept exact: whole numbers, one a node (the edge to its parent; 0 at the root), times one rational unit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Literal

import numpy as np

from paravent.errors import PlanError, quote
from paravent.hierarchy.tree import Tree


@dataclass(frozen=True, eq=False)
class EdgeWeights:
    """The weight of the edge from node v to its parent is `whole[v] * unit`."""

    whole: np.ndarray
    unit: Fraction

    def of(self, node: int) -> Fraction:
        return int(self.whole[node]) * self.unit


@dataclass(frozen=True)
class Conventions:
    """What the sources leave open (Mauger 2021; each has a default that reproduces the published numbers).

    `leaf_count`: how many leaves a leaf counts in the weights, 0 (as in the worked examples) or 1 (as defined).
    `skipped`: the Distortion of an edge that skips levels, `sum` of the levels it skips, or `last`, the formula read
    literally at its upper end. `single`: the weight p1 of a lone quasi-identifier is 0 by its formula, which makes all
    costs 0; `one` takes 1 instead, `error` refuses.
    """

    leaf_count: Literal[0, 1] = 0
    skipped: Literal["sum", "last"] = "sum"
    single: Literal["one", "error"] = "one"

    def __post_init__(self) -> None:
        for name, allowed in (("leaf_count", (0, 1)), ("skipped", ("sum", "last")), ("single", ("one", "error"))):
            if getattr(self, name) not in allowed:
                raise PlanError(f"Conventions: {name} must be {' or '.join(map(repr, allowed))}.")


def p1(heights: Sequence[int], at: int, single: Literal["one", "error"] = "one") -> Fraction:
    """The column weight of Pramanik et al.: low trees weigh more.

    >>> [round(float(p1([5, 3, 2], j)), 2) for j in range(3)]
    [0.12, 0.89, 0.99]
    """
    m = len(heights)
    if m == 1:
        if single == "error":
            raise PlanError("the column weight p1 is 0 for a single quasi-identifier. Choose a metric without it.")
        return Fraction(1)
    total = sum((height - 1) ** m for height in heights)
    return 1 - Fraction((heights[at] - 1) ** m, total)


def p2(heights: Sequence[int], at: int) -> Fraction:
    """The column weight of Mauger: the highest tree's height over this one's.

    >>> [str(p2([5, 3, 2], j)) for j in range(3)]
    ['1', '5/3', '5/2']
    """
    return Fraction(max(heights), heights[at])


def lost_leaves(tree: Tree, leaf_count: int) -> np.ndarray:
    """How many more leaves a node's parent covers."""
    counts = tree.leaf_counts.astype(np.int64)
    counts[: tree.n_leaves] = leaf_count
    return _to_parent(tree, counts)


def lost_levels(tree: Tree) -> np.ndarray:
    """How many levels higher a node's parent stands."""
    return _to_parent(tree, tree.level.astype(np.int64))


def _to_parent(tree: Tree, value: np.ndarray) -> np.ndarray:
    whole = np.zeros(tree.n_nodes, dtype=np.int64)
    whole[:-1] = value[tree.parent[:-1]] - value[:-1]
    return whole


def distortion(tree: Tree, skipped: Literal["sum", "last"]) -> EdgeWeights:
    """The weighted hierarchical distance of KACA (Li et al. 2006) with height weights 1/(h − level), normalised."""
    h = tree.height
    common = lcm(*range(1, h))
    of_level = np.array([0] + [common // (h - level) for level in range(1, h)], dtype=np.int64)
    upto = np.cumsum(of_level)
    upper, lower = tree.level[tree.parent[:-1]], tree.level[:-1]
    whole = np.zeros(tree.n_nodes, dtype=np.int64)
    whole[:-1] = upto[upper] - upto[lower] if skipped == "sum" else of_level[upper]
    return EdgeWeights(whole, Fraction(1, int(upto[-1])))


Weigh = Callable[[Tree, Sequence[int], int, Conventions], EdgeWeights]
"""Weights of one tree, given the heights of all trees and which of them it is."""


def _distortion(tree: Tree, heights: Sequence[int], at: int, say: Conventions) -> EdgeWeights:
    base = distortion(tree, say.skipped)
    return EdgeWeights(base.whole, base.unit * p1(heights, at, say.single))


def _total(tree: Tree, heights: Sequence[int], at: int, say: Conventions) -> EdgeWeights:  # noqa: ARG001
    return EdgeWeights(lost_levels(tree), Fraction(1, tree.height - 1))


def _leaves(normalised: bool, weight: Literal["none", "p1", "p2"]) -> Weigh:
    def weigh(tree: Tree, heights: Sequence[int], at: int, say: Conventions) -> EdgeWeights:
        unit = Fraction(1, tree.n_leaves) if normalised else Fraction(1)
        if weight == "p1":
            unit *= p1(heights, at, say.single)
        elif weight == "p2":
            unit *= p2(heights, at)
        return EdgeWeights(lost_leaves(tree, say.leaf_count), unit)

    return weigh


METRICS: Mapping[str, Weigh] = {
    "distortion": _distortion,
    "ncp": _leaves(True, "none"),
    "total": _total,
    "llm": _leaves(False, "p2"),
    "nllm": _leaves(True, "p2"),
    "wllm": _leaves(False, "p1"),
    "wnllm": _leaves(True, "p1"),
}
"""The seven metrics of Mauger 2021, Table 3.1."""


def weights_from(tree: Tree, given: Mapping[str, float | int | str | Fraction]) -> EdgeWeights:
    """Weights said edge by edge: the label of each node below the root, and what its step up costs.

    Numbers may be written `2/3` to stay exact.
    """
    found: list[Fraction] = []
    for label in tree.labels[:-1]:
        if label not in given:
            raise PlanError(f"tree {tree.name!r}: the weight of the edge above {quote(label)} is not said. Add it.")
        try:
            weight = Fraction(given[label])
        except (ValueError, ZeroDivisionError, OverflowError):
            raise PlanError(
                f"tree {tree.name!r}: the weight of the edge above {quote(label)} is no number. Write one such as 2/3."
            ) from None
        if weight < 0:
            raise PlanError(
                f"tree {tree.name!r}: the weight of the edge above {quote(label)} is negative. Use 0 or more."
            )
        found.append(weight)
    for label in given:
        if label not in tree.node_of or tree.node_of[label] == tree.root:
            raise PlanError(f"tree {tree.name!r}: it has no edge above {quote(label)}. Remove that weight.")
    common = lcm(*(weight.denominator for weight in found))
    whole = [int(weight * common) for weight in found]
    if max(whole) >= 2**62:
        raise PlanError(f"tree {tree.name!r}: the weights cannot be kept exactly. Use fewer digits.")
    return EdgeWeights(np.array([*whole, 0], dtype=np.int64), Fraction(1, common))
