"""Columns by themselves: cut into groups of k rows each along their own values, and cells blanked in turn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from paravent import kernels
from paravent.knowledge.collapse.folded import FoldedTable
from paravent.knowledge.collapse.groups import Groups


def own_groups(table: FoldedTable, k: int) -> Groups:
    """Tuples that lie in the same groups on all columns, when each column is cut by itself as soon as k rows are
    together; the last group takes what is left."""
    codes, sizes, ends = [], [], []
    for column, leaves in zip(table.columns, table.leaves, strict=True):
        order = np.argsort(column.line, kind="stable")
        cuts = _cuts(column.counts[order], k)
        of_rank = np.empty(len(column), dtype=np.int32)
        of_rank[order] = np.repeat(np.arange(len(cuts) - 1), np.diff(cuts))
        codes.append(of_rank[leaves])
        sizes.append(len(cuts) - 1)
        ends.append(_middles(column.counts, of_rank, column.line, len(cuts) - 1))
    folded = kernels.fold(codes, sizes, table.weight)
    middles = [middle[code[folded.representative]] for middle, code in zip(ends, codes, strict=True)]
    count = folded.weight.astype(np.int64)
    return Groups(table, folded.tuple_of_row, count, np.zeros(len(count)), middles, middles)


def _cuts(counts: np.ndarray, k: int) -> np.ndarray:
    """Where groups of values begin, and the end."""
    cuts, inside = [0], 0.0
    for at, rows in enumerate(counts.tolist()):
        inside += rows
        if inside >= k:
            cuts.append(at + 1)
            inside = 0.0
    if len(cuts) > 1:
        cuts[-1] = len(counts)
    else:
        cuts.append(len(counts))
    return np.array(cuts)


def _middles(counts: np.ndarray, of_rank: np.ndarray, line: np.ndarray, n: int) -> np.ndarray:
    """The rank nearest to the mean of each group."""
    mean = np.bincount(of_rank, counts * line, n) / np.maximum(np.bincount(of_rank, counts, n), 1)
    order = np.argsort(line, kind="stable")
    ruler = line[order]
    return np.asarray(order[np.searchsorted((ruler[1:] + ruler[:-1]) / 2, mean)])


def blanked(table: FoldedTable, columns: Sequence[int], k: int) -> Groups:
    """Groups when rows that are with fewer than k others have their cells blanked, one column after the other."""
    shown = [np.ones(len(table), dtype=bool) for _ in table.columns]
    sizes = [len(column) + 1 for column in table.columns]

    def folded() -> kernels.Folded:
        codes = [
            np.where(seen, leaves + 1, 0).astype(np.int32) for seen, leaves in zip(shown, table.leaves, strict=True)
        ]
        return kernels.fold(codes, sizes, table.weight)

    found = folded()
    for j in columns:
        small = (found.weight < k)[found.tuple_of_row]
        if not small.any():
            break
        shown[j] &= ~small
        found = folded()
    cost, lows, highs = np.zeros(len(found.weight)), [], []
    for share, column, leaves, seen in zip(table.shares, table.columns, table.leaves, shown, strict=True):
        open_, ranks = seen[found.representative], leaves[found.representative]
        cost += share * ~open_
        lows.append(np.where(open_, ranks, 0))
        highs.append(np.where(open_, ranks, len(column) - 1))
    return Groups(table, found.tuple_of_row, found.weight.astype(np.int64), cost, lows, highs)
