"""Scores of combinations of levels, for a choice by the exponential mechanism.

The score of a node is what its levels keep of the columns, in thousandths of all levels (by the columns' weights),
times Σ over classes of f(size), for f(c) = min(c, max(0, 4c − 3m)) and m = ⌈k / β⌉, the rows of which k are drawn on
average.
A class counts with all its rows from m on, and with none below ¾ m. Nothing but the sizes of classes is read from the
data, and one row more in a class changes f by 4 at most, and no other class: the sensitivity is 4 times the largest
factor, 4 000. (A jump at m, which counts rows as lost one class at a time, would have a sensitivity of m · 1 000.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np

from paravent import kernels
from paravent.errors import PlanError
from paravent.methods.method import Axis
from paravent.private.sampling import Sampling

Node = tuple[int, ...]

_PARTS = 1000
_STEEP = 4
_MOST = 50_000


@dataclass(frozen=True, eq=False)
class Scores:
    """Whole numbers, the higher the better, and by how much one row changes each at most."""

    values: np.ndarray
    sensitivity: int


def candidates(options: Sequence[range]) -> list[Node]:
    """All combinations of levels."""
    count = prod(map(len, options))
    if count > _MOST:
        raise PlanError(
            f"SafePub: the levels have {count} combinations, and it chooses among {_MOST} at most. Name the levels of "
            "some columns."
        )
    return list(product(*options))


def kept_parts(axes: Sequence[Axis], node: Node, tops: Sequence[int]) -> int:
    """Thousandths of the levels that a node leaves, by the plan alone."""
    weights = [axis.weight for axis in axes]
    total = sum(weights) or 1.0
    left = sum(w * (1 - (at / top if top else 0)) for w, at, top in zip(weights, node, tops, strict=True))
    return min(_PARTS, max(0, round(_PARTS * left / total)))


def lasting(sizes: np.ndarray, least: int) -> int:
    """Σ f(size) over classes.

    >>> lasting(np.array([7, 9, 10, 100]), 10)
    116
    """
    return int(np.minimum(sizes, np.maximum(0, _STEEP * sizes - (_STEEP - 1) * least)).sum())


def scores(
    axes: Sequence[Axis],
    options: Sequence[range],
    tops: Sequence[int],
    others: Sequence[np.ndarray],
    rows: np.ndarray,
    sampling: Sampling,
    times: np.ndarray | None = None,
) -> Scores:
    """The scores of all candidates, in their order. Columns are generalized one after the other, and rows that have
    become alike are counted together for all nodes that share the levels so far. Where equal rows were counted before,
    `times` says how often each of all rows occurs."""
    least = -(-sampling.k * sampling.beta.denominator // sampling.beta.numerator)
    found: dict[Node, int] = {}

    def down(node: Node, columns: list[np.ndarray], weight: np.ndarray) -> None:
        """`columns`: those that stand on their levels, the rest as they are."""
        here = len(node)
        if here == len(axes):
            found[node] = lasting(weight, least)
            return
        axis = axes[here]
        for level in options[here]:
            codes = columns[here]
            if level and axis.tree is not None:
                codes = axis.tree.levels[level].codes.astype(np.int32)[codes]
            now = [*columns[:here], codes, *columns[here + 1 :]]
            down((*node, level), *_folded(now, weight) if level else (now, weight))

    first = [axis.codes[rows].astype(np.int32) for axis in axes] + [codes[rows] for codes in others]
    down((), *_folded(first, np.ones(len(rows), dtype=np.int64) if times is None else times[rows]))
    values = [found[node] * kept_parts(axes, node, tops) for node in candidates(options)]
    return Scores(np.array(values, dtype=np.int64), _STEEP * _PARTS)


def _folded(columns: list[np.ndarray], weight: np.ndarray) -> tuple[list[np.ndarray], np.ndarray]:
    sizes = [int(codes.max()) + 1 for codes in columns]
    folded = kernels.fold([np.ascontiguousarray(codes) for codes in columns], sizes)
    total = np.bincount(folded.tuple_of_row, weights=weight).astype(np.int64)
    return [np.ascontiguousarray(codes[folded.representative]) for codes in columns], total
