"""GkAA in parts, for large tables: neighbours are cut into parts of one size, each is merged by itself, on all cores.

After Mauger 2021, conclusion (parallel GkAA): sort the table so that classes likely to be merged stand side by side,
cut it, run GkAA on every part, and put the results together. Classes that show the same cells are one class.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from paravent import kernels
from paravent.errors import InfeasibleError, PlanError
from paravent.kernels import TreeCosts
from paravent.methods.merging.merge_run import cells, coalesced, root_of
from paravent.methods.method import Recoding, Task


def neighbours(nodes: np.ndarray, tree_costs: list[TreeCosts]) -> np.ndarray:
    """The classes in the order of their columns' trees, the column first whose steps up cost most on average."""
    cost = [float(tree.climb[nodes[:, j]].mean()) for j, tree in enumerate(tree_costs)]
    by_cost = sorted(range(len(tree_costs)), key=lambda j: (-cost[j], j))
    return np.lexsort([nodes[:, j] for j in reversed(by_cost)])


def parts(sizes: np.ndarray, count: int, k: int) -> list[np.ndarray]:
    """Consecutive classes in about `count` parts of one number of rows, each with k rows at least."""
    upto = np.cumsum(sizes)
    count = max(1, min(count, int(upto[-1]) // k))
    ends = np.searchsorted(upto, upto[-1] * np.arange(1, count) / count, side="left") + 1
    found = [part for part in np.split(np.arange(len(sizes)), np.unique(ends)) if len(part)]
    whole: list[np.ndarray] = []
    for part in found:
        if whole and (sizes[whole[-1]].sum() < k or sizes[part].sum() < k):
            whole[-1] = np.concatenate([whole[-1], part])
        else:
            whole.append(part)
    return whole


def sharded(
    task: Task, nodes: np.ndarray, sizes: np.ndarray, tree_costs: list[TreeCosts], *, k: int, shards: int
) -> Recoding:
    """The table merged in parts. `nodes` and `sizes` are those of the distinct rows, in the order of the fold."""
    if not task.k_alone:
        raise PlanError("GkAA: shards know k-anonymity only. Leave out shards, or the other models.")
    if task.n_rows < k:
        raise InfeasibleError(f"{k}-anonymity cannot hold: the table has fewer rows. Ask for a smaller k.")
    order = neighbours(nodes, tree_costs)
    pieces = [order[part] for part in parts(sizes[order], shards, k)]

    def merged(piece: np.ndarray) -> tuple[np.ndarray, int, int]:
        merges = kernels.merge(np.ascontiguousarray(nodes[piece]), sizes[piece], tree_costs, k=k)
        return root_of(merges, len(piece), len(merges.left)), len(merges.left), int(merges.cost.sum())

    of_tuple = np.empty(len(nodes), dtype=np.int64)
    before = steps = spent = 0
    with ThreadPoolExecutor(kernels.threads()) as pool:
        for done, (piece, (root, taken, cost)) in enumerate(zip(pieces, pool.map(merged, pieces), strict=True)):
            of_tuple[piece] = before + root
            before, steps, spent = before + len(piece) + taken, steps + taken, spent + cost
            task.progress("merging", (done + 1) / len(pieces))
    folded = kernels.fold([axis.codes for axis in task.axes], [len(axis) for axis in task.axes])
    _, number = np.unique(of_tuple, return_inverse=True)
    of_row = number.reshape(-1).astype(np.int32)[folded.tuple_of_row]
    of_row, n_classes = coalesced(task.axes, of_row, int(number.max()) + 1)
    found = np.bincount(of_row)
    trace = (
        f"Began with {len(nodes)} classes of equal rows, in {len(pieces)} parts.",
        f"Merged {steps} times, the smallest class of a part first, at a cost of {spent} units.",
        f"All classes are large enough: {len(found)} classes of {found.min()} to {found.max()} rows.",
    )
    return Recoding(of_row, n_classes, cells(task.axes, of_row, n_classes), trace)
