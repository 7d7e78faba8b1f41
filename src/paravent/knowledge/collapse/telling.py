"""Parts that tell: the table halved, again and again, where a half tells most about the class or the number to predict.

No half is smaller than k, so that parts are grown anew for each k, and whatever can be cut is cut. The cut that is
taken leaves the least squared error of a number, or the least entropy of a class, of all cuts between two ranks of a
column (LeFevre, DeWitt, Ramakrishnan 2008); of equals, to 12 digits, the first column's, then the lowest.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from paravent.knowledge.collapse.folded import FoldedTable

Kept = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""What parts tell, by the rows of each and the sums over its rows of what is told."""
_DIGITS = 1e12


def kept_of_number(rows: np.ndarray, told: np.ndarray) -> np.ndarray:
    """The squares that the means of a number tell."""
    return np.asarray((told**2).sum(axis=1) / rows)


def kept_of_class(rows: np.ndarray, told: np.ndarray) -> np.ndarray:
    """The negative entropy of a class, in bits of all rows; `told` has a column for each value."""
    return np.asarray(_x_log_x(told).sum(axis=1) - _x_log_x(rows))


def _x_log_x(x: np.ndarray) -> np.ndarray:
    return np.asarray(x * np.log2(np.maximum(x, 1)))


def telling_parts(table: FoldedTable, told: np.ndarray, k: int, kept: Kept) -> np.ndarray:
    """The part of each tuple, numbered without gaps. `told[t]` are sums over the rows of tuple t of what is told: a
    number, or one for each class."""
    leaves, weight = np.stack(table.leaves, axis=1), table.weight.astype(float)
    of_tuple, count = np.zeros(len(table), dtype=np.int64), 1
    open_parts = np.array([0])
    while len(open_parts):
        at = np.flatnonzero(np.isin(of_tuple, open_parts))
        part = np.searchsorted(open_parts, of_tuple[at])
        column, cut = _best_cuts(leaves[at], np.column_stack([weight, told])[at], part, len(open_parts), k, kept)
        cuts = column >= 0
        right = cuts[part] & (leaves[at, np.maximum(column, 0)[part]] > cut[part])
        new = np.cumsum(cuts) - 1 + count
        of_tuple[at[right]] = new[part[right]]
        open_parts = np.sort(np.concatenate([open_parts[cuts], new[cuts]]))
        count += int(cuts.sum())
    return np.unique(of_tuple, return_inverse=True)[1]


def _best_cuts(
    leaves: np.ndarray, sums: np.ndarray, part: np.ndarray, n: int, k: int, kept: Kept
) -> tuple[np.ndarray, np.ndarray]:
    """The column to cut each part at, −1 where none can be, and the last rank of the lower half."""
    total = np.zeros((n, sums.shape[1]))
    np.add.at(total, part, sums)
    rows = total[:, 0]
    scale = np.abs(kept(rows, total[:, 1:]))
    scale[scale == 0] = 1.0
    best, column, cut = np.full(n, -np.inf), np.full(n, -1), np.zeros(n, dtype=np.int64)
    for j in range(leaves.shape[1]):
        order = np.lexsort((leaves[:, j], part))
        rank, own = leaves[order, j], part[order]
        upto = np.cumsum(sums[order], axis=0)
        start = np.searchsorted(own, np.arange(n))
        low = upto - (upto[start] - sums[order[start]])[own]
        last = np.append((rank[1:] != rank[:-1]) & (own[1:] == own[:-1]), False)
        last &= (low[:, 0] >= k) & (rows[own] - low[:, 0] >= k)
        at = np.flatnonzero(last)
        if not len(at):
            continue
        low, of = low[at], own[at]
        high = total[of] - low
        score = kept(low[:, 0], low[:, 1:]) + kept(high[:, 0], high[:, 1:])
        score = np.round(score / scale[of] * _DIGITS) / _DIGITS
        first = np.lexsort((at, -score, of))
        chosen = first[np.unique(of[first], return_index=True)[1]]
        better = chosen[score[chosen] > best[of[chosen]]]
        best[of[better]], column[of[better]], cut[of[better]] = score[better], j, rank[at[better]]
    return column, cut
