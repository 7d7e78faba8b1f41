"""Where outlying rows can move to: the nearest combination that enough rows share, one column away.

After Nergiz and Gök, Hybrid k-anonymity (2014): few moves save many generalizations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from paravent import kernels
from paravent.hierarchy.tree import Tree


class Scale(Protocol):
    """How far apart the codes of a column are, from 0 (equal) to 1. Of all codes on one side, the nearest in order is
    among the nearest."""

    def distance(self, a: np.ndarray, b: np.ndarray) -> np.ndarray: ...


@dataclass(frozen=True, eq=False)
class OnLine:
    """Places on a line, in ascending order of the codes."""

    places: np.ndarray

    def distance(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        reach = self.places[-1] - self.places[0]
        return np.asarray(np.abs(self.places[a] - self.places[b]) / (reach if reach > 0 else 1.0))


@dataclass(frozen=True, eq=False)
class InTree:
    """Leaves of a tree, in its order: as far apart as the share of the values that their lowest common ancestor covers
    beside one."""

    tree: Tree

    def distance(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        above = self.tree.ancestor(np.minimum(a, b), np.maximum(a, b))
        return np.asarray((self.tree.leaf_counts[above] - 1) / max(self.tree.n_leaves - 1, 1))


@dataclass(frozen=True, eq=False)
class Moves:
    """What moves: the rows, the column in which each changes, the code that it gets there; how many rows are outlying
    in all."""

    rows: np.ndarray
    column: np.ndarray
    code: np.ndarray
    outlying: int


def moves(columns: Sequence[np.ndarray], sizes: Sequence[int], scales: Sequence[Scale], k: int) -> Moves:
    """Rows whose combination of codes fewer than k rows share, each moved in one column to the nearest combination that
    k rows share. In each column the next such combination below and above is looked at; of two as near, the one that
    more rows share is taken, then the column that comes first, then the lower code."""
    folded = kernels.fold(columns, sizes)
    codes = np.array([column[folded.representative] for column in columns])
    weight = folded.weight.astype(np.int64)
    dense = weight >= k
    best = np.full((3, len(weight)), np.inf)  # distance, −rows there, order of columns and codes
    target = np.full((2, len(weight)), -1, dtype=np.int64)
    for at, scale in enumerate(scales):
        for to in _neighbours(codes, sizes, at, dense):
            found = np.flatnonzero(~dense & (to >= 0))
            there = to[found]
            code = codes[at, there]
            offer = np.array(
                [scale.distance(codes[at, found], code), -weight[there], np.full(len(found), at * 2.0**32) + code]
            )
            better = _before(offer, best[:, found])
            best[:, found[better]] = offer[:, better]
            target[0, found[better]] = at
            target[1, found[better]] = code[better]
    moved = (target[0] >= 0)[folded.tuple_of_row]
    rows = np.flatnonzero(moved)
    tuples = folded.tuple_of_row[rows]
    return Moves(rows, target[0, tuples], target[1, tuples], int(weight[~dense].sum()))


def _neighbours(codes: np.ndarray, sizes: Sequence[int], at: int, dense: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each tuple the nearest dense ones below and above it in one column, all others being equal; −1: none."""
    others = [np.ascontiguousarray(codes[i], dtype=np.int32) for i in range(len(codes)) if i != at]
    group = np.zeros(codes.shape[1], dtype=np.int64)
    if others:
        group = kernels.fold(others, [size for i, size in enumerate(sizes) if i != at]).tuple_of_row.astype(np.int64)
    order = np.lexsort((codes[at], group))
    place = np.arange(len(order))
    first = np.maximum.accumulate(np.where(np.diff(group[order], prepend=-1) > 0, place, 0))
    below = np.maximum.accumulate(np.where(dense[order], place, -1))
    last = _backwards(np.where(np.diff(group[order], append=group.max(initial=0) + 1) > 0, place, len(order)))
    above = _backwards(np.where(dense[order], place, len(order)))
    found = np.full((2, len(order)), -1, dtype=np.int64)
    inside = below >= first
    found[0, order[inside]] = order[below[inside]]
    inside = above <= last
    found[1, order[inside]] = order[above[inside]]
    return found[0], found[1]


def _backwards(places: np.ndarray) -> np.ndarray:
    return np.asarray(np.minimum.accumulate(places[::-1])[::-1])


def _before(offer: np.ndarray, best: np.ndarray) -> np.ndarray:
    """Which offers come first, compared number by number."""
    equal = np.ones(offer.shape[1], dtype=bool)
    less = np.zeros_like(equal)
    for a, b in zip(offer, best, strict=True):
        less |= equal & (a < b)
        equal &= a == b
    return less
