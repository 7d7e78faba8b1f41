"""Dealing: rows go into groups in which no two have the same sensitive value.

Xiao and Tao (2006, §5) hash rows by sensitive value, take one row from each of the l largest buckets until fewer than l
are left, and give each row that remains to a group without its value: ⌊n / l⌋ groups of l rows or more. Here rows are
dealt like cards: sorted by value, by chance among equal ones, row i goes to group i mod ⌊n / l⌋. A value that at most
⌊n / l⌋ rows have comes to no group twice, which is when their algorithm works, too. Groups are as many, the values of a
group are all different, and so is every guarantee of theirs, in O(n log n) and without a heap. Among the rows of one
value all ways to deal are equally likely, so that a group tells nothing of whose a value is but that it is there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Dealt:
    """The group of each row (−1: suppressed), and how many groups there are."""

    of_row: np.ndarray
    n_groups: int


def deal(codes: np.ndarray, l: int, rng: np.random.Generator) -> Dealt:  # noqa: E741
    """As many groups of l rows or more as can be, no value twice in any. Where a value has too many rows, as few of
    them as possible are suppressed, by chance. The numbers of the groups are drawn by chance.

    >>> dealt = deal(np.array([0, 0, 0, 1, 1, 2]), 2, np.random.default_rng(0))
    >>> dealt.n_groups, np.bincount(dealt.of_row).tolist()
    (3, [2, 2, 2])
    """
    counts = np.bincount(codes)
    n_groups = most_groups(counts, l)
    of_row = np.full(len(codes), -1, dtype=np.int32)
    if n_groups == 0:
        return Dealt(of_row, 0)
    order = rng.permutation(len(codes))
    order = order[np.argsort(codes[order].astype(np.min_scalar_type(len(counts))), kind="stable")]
    if int(counts.max()) > n_groups:
        place = np.arange(len(codes)) - np.repeat(np.cumsum(counts) - counts, counts)
        order = order[place < n_groups]
    number = rng.permutation(n_groups).astype(np.int32)
    of_row[order] = np.resize(number, len(order))
    return Dealt(of_row, n_groups)


def most_groups(counts: np.ndarray, l: int) -> int:  # noqa: E741
    """The largest number g of groups of l different values each: Σ min(count, g) ≥ g · l, for a value has a row in each
    group at most. With no value too frequent it is ⌊n / l⌋.

    >>> most_groups(np.array([5, 1, 1]), 2), most_groups(np.array([2, 2, 2]), 2), most_groups(np.array([5]), 2)
    (2, 3, 0)
    """
    low, high = 0, int(counts.sum()) // l
    while low < high:  # what is left over is concave in g, and 0 at 0: it has one sign change
        g = (low + high + 1) // 2
        if int(np.minimum(counts, g).sum()) >= g * l:
            low = g
        else:
            high = g - 1
    return low


def suppressed(counts: np.ndarray, l: int) -> int:  # noqa: E741
    """The rows that dealing in groups of l leaves out.

    >>> suppressed(np.array([5, 1, 1]), 2), suppressed(np.array([2, 2, 2]), 2)
    (3, 0)
    """
    return int((counts - np.minimum(counts, most_groups(counts, l))).sum())


def largest_l(counts: np.ndarray, allowed: int) -> int:
    """The largest l for which no more than the `allowed` rows are left out.

    >>> largest_l(np.array([5, 1, 1]), 0), largest_l(np.array([5, 1, 1]), 4), largest_l(np.array([5]), 0)
    (1, 3, 1)
    """
    low, high = 1, max(int(np.count_nonzero(counts)), 1)
    while low < high:
        l = (low + high + 1) // 2  # noqa: E741
        if suppressed(counts, l) <= allowed:
            low = l
        else:
            high = l - 1
    return low


def least_error(n_rows: int, l: int) -> float:  # noqa: E741
    """The re-construction error that no l-diverse release of groups can be below (Xiao, Tao 2006, Theorem 2).

    >>> least_error(10, 2)
    5.0
    """
    return n_rows * (1 - 1 / l)


def reconstruction_error(counts: np.ndarray, sizes: np.ndarray) -> float:
    """The re-construction error of groups (Xiao, Tao 2006, Eq. 13): a row of a group is told as each value with its
    share, and errs by the squared distance of these shares from the truth. `counts[i]` is how often pair i of value and
    group occurs, `sizes[i]` the rows of its group: Σ count · (1 − 2 p + Σ p²), summed over the values of the group.

    >>> reconstruction_error(np.array([1, 1, 1, 1]), np.array([2, 2, 2, 2]))
    2.0
    """
    return float((counts * (1 - counts / sizes)).sum())
