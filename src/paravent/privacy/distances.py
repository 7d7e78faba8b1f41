"""How far the sensitive values of each class are from those of the table: whole numbers over whole numbers.

With c rows of a value in a class of n and C rows of it in a table of N, p − q = (c·N − C·n) / (n·N): sums of such
differences have a whole numerator over n·N. Only the pairs that occur are looked at; what a class lacks is known from
what it has. Numbers beyond 2^62 are counted with Python's own integers.

Where people are counted, p and q are the shares of people who hold a value. People who hold several let these sum to
more than 1, and to another sum in a class than in the table. The formulas stay, with half of that difference as what no
moving of shares can mend.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from paravent.privacy.classes import Histogram

_WIDEST = 2**62


def equal_distance(histogram: Histogram) -> tuple[np.ndarray, np.ndarray]:
    """½ Σ|p − q|, the total variation, of each class.

    Σ of the positive differences alone: the negative ones sum to the same, so values that a class lacks need no look.

    >>> pairs = Histogram(np.array([0, 1, 3]), np.array([0, 0, 1]), np.array([2, 1, 1]), np.array([3, 1]))
    >>> [part.tolist() for part in equal_distance(pairs)]
    [[2, 2], [8, 8]]
    """
    over, under = _positive_part(histogram, histogram.start, histogram.value, histogram.count, histogram.table)
    if histogram.people is None:
        return over, under
    return 2 * over - _surplus(histogram, over.dtype), 2 * under  # |x| = 2 max(x, 0) − x, summed and halved


def hierarchical_distance(histogram: Histogram, heights: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The earth mover's distance in a tree. `heights[h][v]` is the group of value v at height h, from 0 (each value by
    itself) to one below the root.

    Two values are h/H apart when their lowest common ancestor is h high in a tree of height H. Moving a share from one
    to the other then crosses h of H levels, so that the distance is the mean over the levels of the total variation
    of the groups there (an optimal flow in a tree is the difference on each edge).
    """
    sizes = _wide(histogram.sizes, 2 * histogram.n_rows * len(heights))
    total, under = np.zeros_like(sizes), sizes * histogram.n_rows
    for group in heights:
        n_groups = int(group.max(initial=0)) + 1
        if n_groups == len(histogram.table):  # every value by itself
            whole = _positive_part(histogram, histogram.start, histogram.value, histogram.count, histogram.table)
            total = total + whole[0]
            continue
        key, count = _gathered(histogram.owner * n_groups + group[histogram.value], histogram.count)
        start = np.searchsorted(key, np.arange(len(sizes) + 1) * n_groups)
        table = np.bincount(group, weights=histogram.table, minlength=n_groups).astype(np.int64)
        total = total + _positive_part(histogram, start, key % n_groups, count, table)[0]
    if histogram.people is None:
        return total, under * len(heights)
    return 2 * total - len(heights) * _surplus(histogram, total.dtype), 2 * under * len(heights)


def _gathered(key: np.ndarray, count: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct keys, ascending, and the sum of the counts of each."""
    span = int(key.max(initial=-1)) + 1
    if span <= 4 * len(key) + 1024 and int(count.sum()) < 2**53:
        summed = np.bincount(key, weights=count, minlength=span)
        found = np.flatnonzero(summed)
        return found, summed[found].astype(np.int64)
    order = np.argsort(key, kind="stable")
    first = np.flatnonzero(np.diff(key[order], prepend=-1))
    return key[order][first], np.add.reduceat(count[order], first) if len(first) else count


def ordered_distance(histogram: Histogram, ranks: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """Σ_i |Σ_{j ≤ i} (p_j − q_j)| of each class for values in the order of their `ranks`, and the m − 1 steps between
    the m values.

    Between two values that a class has, its cumulated share stands still while that of the table, Q, climbs. Where Q
    passes it is found by bisection; the sums on both sides come from the cumulated sums of Q.
    """
    m = int((histogram.table > 0).sum())
    table = np.zeros(m, dtype=np.int64)
    present = histogram.table > 0
    table[ranks[present]] = histogram.table[present]
    climbed = np.cumsum(table)
    rows, sizes = histogram.n_rows, histogram.sizes
    under = _wide(sizes, 4 * rows * max(m, 1)) * rows
    if len(sizes) == 0:
        return under, under, max(m - 1, 1)
    sums = np.concatenate(([0], np.cumsum(climbed))).astype(under.dtype)

    rank = ranks[histogram.value]
    count = histogram.count
    if np.any((np.diff(rank) < 0) & (np.diff(histogram.owner) == 0)):
        order = np.argsort(histogram.owner * m + rank, kind="stable")
        rank, count = rank[order], count[order]
    start = histogram.start[:-1]
    before = np.cumsum(count) - count
    height = np.cumsum(count) - before[start][histogram.owner]  # the class's cumulated count, from its pair on
    until = np.append(rank[1:], m)
    until[histogram.start[1:] - 1] = m

    n = sizes[histogram.owner].astype(under.dtype)
    level = height.astype(under.dtype) * rows  # compared with n · Q
    cross = np.searchsorted(climbed, (level // n).astype(np.int64), side="right")
    cross = np.clip(cross, rank, until)
    below = level * (cross - rank) - n * (sums[cross] - sums[rank])
    above = n * (sums[until] - sums[cross]) - level * (until - cross)
    first = sizes.astype(under.dtype) * sums[rank[start]]  # before the first value of the class its share is 0
    total = first + histogram.summed(below + above)
    if histogram.people is None:
        return total, under, max(m - 1, 1)
    left = np.abs(_surplus(histogram, under.dtype))  # what is left after the last value: its last step, counted above
    return 2 * (total - left) + left * max(m - 1, 1), 2 * under, max(m - 1, 1)


def _surplus(histogram: Histogram, dtype: np.dtype[Any]) -> np.ndarray:
    """Σp − Σq of each class, over n·N."""
    held = histogram.held.astype(dtype) * histogram.n_rows
    return np.asarray(held - int(histogram.table.sum()) * histogram.sizes.astype(dtype))


def _positive_part(
    histogram: Histogram, start: np.ndarray, value: np.ndarray, count: np.ndarray, table: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    sizes = _wide(histogram.sizes, histogram.n_rows)
    owner = np.repeat(np.arange(len(sizes)), np.diff(start))
    gain = count.astype(sizes.dtype) * histogram.n_rows - table[value] * sizes[owner]
    gain[gain < 0] = 0
    return np.add.reduceat(gain, start[:-1]) if len(gain) else gain, sizes * histogram.n_rows


def _wide(sizes: np.ndarray, factor: int) -> np.ndarray:
    """Sizes that can be multiplied by `factor`, twice over, without leaving their type."""
    return sizes.astype(object) if 4 * int(sizes.max(initial=0)) * factor >= _WIDEST else sizes
