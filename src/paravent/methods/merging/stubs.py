"""KACA's class division (Li et al. 2006) for greedy merging: a large class gives a stub and keeps its trunk.

A class that lacks rows joins the class that costs least to join. Where that one would keep k rows, it gives only as
many as are missing, and only these are generalized: rows that were equal may so come to stand in different classes
(local recoding). `kernels.stubs.merge_stubs` says which class gives how many rows; `stubbed` says which rows these are.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from paravent.errors import InfeasibleError, PlanError
from paravent.kernels.folding import Folded
from paravent.kernels.merging import TreeCosts
from paravent.kernels.stubs import StubMerges, merge_stubs
from paravent.methods.merging.merge_run import cells, coalesced
from paravent.methods.method import Recoding, Task

_Piece = tuple[int, int, int]
"""Rows `from` to `to` (of those that are equal, in the order of the table) of a starting class."""


def stub_rows(of_row: np.ndarray, n_classes: int, steps: StubMerges) -> np.ndarray:
    """The class of each row after the steps, given its starting class.

    A class gives the rows that joined it last; of equal rows those that stand last in the table.

    >>> steps = StubMerges(*(np.array(x) for x in ([0], [1], [3], [2])))
    >>> stub_rows(np.array([0, 1, 1, 1, 1, 1]), 2, steps).tolist()
    [1, 0, 0, 0, 1, 1]
    """
    sizes = np.bincount(of_row, minlength=n_classes)
    held: list[list[_Piece]] = [[(c, 0, size)] for c, size in enumerate(sizes.tolist())]
    for a, b, taken in zip(steps.left.tolist(), steps.right.tolist(), steps.taken.tolist(), strict=True):
        if taken:
            held.append(held[a] + _cut(held[b], taken))
        else:
            held[b].extend(held[a])
            held.append(held[b])
            held[b] = []
        held[a] = []
    rows = np.argsort(of_row, kind="stable")
    before = np.concatenate([[0], np.cumsum(sizes)])
    found = np.empty(len(of_row), dtype=np.int32)
    for number, pieces in enumerate(pieces for pieces in held if pieces):
        for c, start, end in pieces:
            found[rows[before[c] + start : before[c] + end]] = number
    return found


def _cut(pieces: list[_Piece], rows: int) -> list[_Piece]:
    """So many rows off the end of a class."""
    gone: list[_Piece] = []
    while rows:
        c, start, end = pieces.pop()
        here = min(rows, end - start)
        if here < end - start:
            pieces.append((c, start, end - here))
        gone.append((c, end - here, end))
        rows -= here
    return gone


def stubbed(
    task: Task,
    folded: Folded,
    order: np.ndarray,
    nodes: np.ndarray,
    sizes: np.ndarray,
    tree_costs: Sequence[TreeCosts],
    *,
    k: int,
) -> Recoding:
    """The table merged with stubs. `order` says which distinct row (of the fold) each class is; `nodes` and `sizes` are
    theirs."""
    if not task.k_alone:
        raise PlanError("stubs know k-anonymity only. Leave out stubs, or the other models.")
    if task.n_rows < k:
        raise InfeasibleError(f"{k}-anonymity cannot hold: the table has fewer rows. Ask for a smaller k.")
    steps = merge_stubs(nodes, sizes, tree_costs, k=k, watch=lambda done: task.progress("merging", done))
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    of_row = stub_rows(place[folded.tuple_of_row], len(order), steps)
    of_row, n_classes = coalesced(task.axes, of_row, int(of_row.max()) + 1)
    found = np.bincount(of_row)
    whole, parted = int((steps.taken == 0).sum()), int((steps.taken > 0).sum())
    trace = (
        f"Began with {len(nodes)} classes of equal rows.",
        f"Merged {whole} times, and {parted} times with a part of a class, at a cost of {int(steps.cost.sum())} units.",
        f"All classes are large enough: {n_classes} classes of {found.min()} to {found.max()} rows.",
    )
    return Recoding(of_row, n_classes, cells(task.axes, of_row, n_classes), trace)
