"""What the wrappers of several kernels check before the compiled module sees an array."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from paravent.kernels.native import check_codes

Histograms = Sequence[tuple[np.ndarray, np.ndarray, np.ndarray]]
"""For each sensitive column: start, value, count (sparse, one group after the other)."""

Guard = Callable[[np.ndarray, Histograms], np.ndarray]
"""Sizes and histograms of groups in, one truth value a group out."""


class Tree(Protocol):
    """Nodes by number, the leaves first and the root last; node v covers the leaves `first[v]` to `last[v]`."""

    @property
    def parent(self) -> np.ndarray: ...

    @property
    def first(self) -> np.ndarray: ...

    @property
    def last(self) -> np.ndarray: ...


def check_tree(tree: Tree, costs: np.ndarray, where: str) -> None:
    """Refuse a tree on whose way to the root a kernel would get lost, and costs that are not one int64 a node."""
    nodes = len(tree.parent)
    inner, below = tree.parent[:-1], np.arange(nodes - 1)
    sound = (
        nodes == len(tree.first) == len(tree.last) == len(costs) != 0
        and tree.parent.dtype == tree.first.dtype == tree.last.dtype == np.int32
        and costs.dtype == np.int64
        and tree.first[-1] == 0
        and tree.last[-1] < nodes
        and tree.parent[-1] == -1
        and np.all(inner > below)
        and np.all(inner < nodes)
        and np.all(tree.first[inner] <= tree.first[:-1])
        and np.all(tree.last[inner] >= tree.last[:-1])
    )
    if not sound:
        raise ValueError(f"{where}: not a tree in which every node covers an interval of leaves")


def check_columns(columns: Sequence[np.ndarray], sizes: Sequence[int], rows: int, what: str = "column") -> None:
    """Refuse columns whose codes are out of bounds, or that do not have one code a row."""
    for at, (column, size) in enumerate(zip(columns, sizes, strict=True)):
        check_codes(column, size, f"{what} {at}")
        if len(column) != rows:
            raise ValueError(f"{what} {at}: {len(column)} codes for {rows} rows")


def check_weights(weight: np.ndarray) -> None:
    """Refuse weights that are not positive int32, or that add up to more rows than an int32 counts."""
    check_codes(weight, 2**31 - 1, "weights")
    if weight.min(initial=1) < 1 or int(weight.sum(dtype=np.int64)) >= 2**31:
        raise ValueError("weights must be positive and add up to fewer than 2^31 rows")


class Coded(NamedTuple):
    """The code of each row on a column, and how many codes there are."""

    codes: np.ndarray
    size: int


def sensitive_parts(columns: Sequence[np.ndarray], rows: int) -> list[Coded]:
    """Sensitive columns as kernels take them."""
    sizes = [int(column.max(initial=-1)) + 1 for column in columns]
    check_columns(columns, sizes, rows, "sensitive column")
    return [Coded(np.ascontiguousarray(column), size) for column, size in zip(columns, sizes, strict=True)]


Groups = tuple[np.ndarray, np.ndarray]
"""Rows, one group after the other, and where each begins and the last one ends."""


def asked(guard: Guard | None, columns: Sequence[Coded]) -> Callable[[Groups], np.ndarray] | None:
    """What a guard says of groups of rows by their counts of the codes of some columns: bytes, one a group."""
    if guard is None:
        return None

    def answers(groups: Groups) -> np.ndarray:
        rows, start = groups
        sizes = start[1:] - start[:-1]
        found = [_histograms(codes.take(rows), sizes, size) for codes, size in columns]
        holds = np.ascontiguousarray(guard(sizes, found), dtype=np.uint8)
        if len(holds) != len(sizes):
            raise RuntimeError("the guard judged another number of groups")
        return holds

    return answers


def _histograms(codes: np.ndarray, sizes: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The codes below `size` that groups hold, one group after the other: a table of all pairs of a group and a code
    where it is not much larger than what it counts."""
    begins = np.arange(0, (len(sizes) + 1) * size, size)
    pairs = begins[:-1].repeat(sizes) + codes
    if begins[-1] <= 4 * len(pairs) + 1024:
        table = np.bincount(pairs, minlength=begins[-1])
        seen = table.nonzero()[0]
        count = table[seen]
    else:
        seen, count = np.unique(pairs, return_counts=True)
    return seen.searchsorted(begins), (seen % size).astype(np.int32), count
