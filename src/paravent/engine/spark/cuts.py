"""A tree of cuts that divides a table into blocks: made from a sample, followed by all rows, mended where one fails.

Node 0 is the whole table. A node that is cut sends the codes from `at` on, of one axis, to the right.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from paravent.kernels import Partition
from paravent.methods.label_space import LabelSpace


@dataclass(frozen=True, eq=False)
class CutTree:
    """Node i is cut on `axis[i]` (−1: it is a block) at code `at[i]`, into nodes `left[i]` and `right[i]`, which come
    after it."""

    axis: np.ndarray
    at: np.ndarray
    left: np.ndarray
    right: np.ndarray

    @classmethod
    def whole(cls) -> CutTree:
        """The table as one block."""
        return cls(np.array([-1]), np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros(1, np.int64))

    @property
    def blocks(self) -> np.ndarray:
        """The nodes that are not cut."""
        return np.flatnonzero(self.axis < 0)

    def block_of(self, codes: Sequence[np.ndarray]) -> np.ndarray:
        """The block of each row, given its code on every axis."""
        matrix = np.stack(codes, axis=1)
        node = np.zeros(len(matrix), dtype=np.int64)
        while True:
            open_ = np.flatnonzero(self.axis[node] >= 0)
            if not len(open_):
                return node
            here = node[open_]
            right = matrix[open_, self.axis[here]] >= self.at[here]
            node[open_] = np.where(right, self.right[here], self.left[here])

    def grown(self, block: int, cuts: CutTree) -> CutTree:
        """With a block cut further."""
        n = len(self.axis)
        # Node 0 of the new cuts is the block itself; the others follow behind all that are there.
        place = np.r_[block, n + np.arange(len(cuts.axis) - 1)]
        axis, at = np.r_[self.axis, cuts.axis[1:]], np.r_[self.at, cuts.at[1:]]
        left, right = np.r_[self.left, place[cuts.left[1:]]], np.r_[self.right, place[cuts.right[1:]]]
        axis[block], at[block] = cuts.axis[0], cuts.at[0]
        left[block], right[block] = place[cuts.left[0]], place[cuts.right[0]]
        return CutTree(axis, at, left, right)

    def mended(self, counts: np.ndarray, holds: Callable[[np.ndarray], bool]) -> tuple[CutTree, np.ndarray, np.ndarray]:
        """The tree in which every block holds: a cut that leaves one which does not is taken back, and so on upwards.
        `counts[i]` are the counts of block i, which add up; also the counts of every node of the new tree, and which
        node of this tree it was."""
        axis, total = self.axis.copy(), counts.copy()
        sound = np.zeros(len(axis), dtype=bool)
        for node in range(len(axis) - 1, -1, -1):
            if axis[node] < 0:
                sound[node] = holds(total[node])
                continue
            low, high = int(self.left[node]), int(self.right[node])
            total[node] = total[low] + total[high]
            sound[node] = sound[low] and sound[high]
            if not sound[node]:
                axis[node] = -1
                sound[node] = holds(total[node])
        return CutTree(axis, self.at, self.left, self.right)._without_lost(total)

    def _without_lost(self, total: np.ndarray) -> tuple[CutTree, np.ndarray, np.ndarray]:
        """Without the nodes that no row reaches any more."""
        order, stack = [], [0]
        while stack:
            node = stack.pop()
            order.append(node)
            if self.axis[node] >= 0:
                stack += [int(self.right[node]), int(self.left[node])]
        kept = np.array(order)
        place = np.zeros(len(self.axis), dtype=np.int64)
        place[kept] = np.arange(len(kept))
        cut = self.axis[kept] >= 0
        left, right = np.where(cut, place[self.left[kept]], 0), np.where(cut, place[self.right[kept]], 0)
        return CutTree(self.axis[kept], self.at[kept], left, right), total[kept], kept


def tree_of(partition: Partition, codes: np.ndarray, space: LabelSpace) -> CutTree:
    """The cuts of a partition of a sample, as they will part all rows: values that the sample lacks go with the nearest
    that it has, and with their siblings in a tree."""
    axis, at, left, right = [-1], [0], [0], [0]
    node_of = {(0, len(partition.order)): 0}
    for begin, mid, end, j in partition.tree.tolist():
        node = node_of.get((begin, end))
        if node is None:
            continue
        here = codes[partition.order[begin:end], j]
        highest, lowest = int(here[: mid - begin].max()), int(here[mid - begin :].min())
        if highest >= lowest:
            continue
        axis[node], at[node] = j, _boundary(space, j, int(here.min()), highest, lowest, int(here.max()))
        for side, span in ((left, (begin, mid)), (right, (mid, end))):
            side[node] = len(axis)
            node_of[span] = len(axis)
            axis.append(-1)
            at.append(0)
            left.append(0)
            right.append(0)
    return CutTree(*(np.array(column, dtype=np.int64) for column in (axis, at, left, right)))


def _boundary(space: LabelSpace, j: int, low: int, highest: int, lowest: int, high: int) -> int:
    """The first code of the right part: where a child of the node over both begins, else in the middle."""
    tree = space.axes[j].tree
    if tree is not None:
        node = int(tree.ancestor(np.array([low], np.int32), np.array([high], np.int32))[0])
        starts = tree.first[tree.children(node)]
        between = starts[(starts > highest) & (starts <= lowest)]
        if len(between):
            return int(between[0])
    return (highest + lowest + 1) // 2
