"""The hot loops, alone: plain arrays in, plain arrays out.

Each runs in C++ (`cpp/`) and has a NumPy twin (`reference.py`) that gives the same bytes: the oracle of the tests, and
the fallback where the compiled module cannot be loaded. The arrays are checked here, before a kernel sees them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from paravent.kernels import reference
from paravent.kernels.contract import CutAxis, Folded, Guard, Histograms, Merges, Partition, Rule, Sets, Slope, Style

_native: Any
try:
    from paravent.kernels import _native
except ImportError:  # pragma: no cover - a source tree without a compiler
    _native = None


def is_native() -> bool:
    """Whether the compiled kernels are in use."""
    return _native is not None


def threads() -> int:
    """How many threads a kernel may use: the cores this process may run on, or PARAVENT_THREADS."""
    asked = os.environ.get("PARAVENT_THREADS", "")
    return max(1, int(asked)) if asked.isdigit() else len(os.sched_getaffinity(0))


def check_codes(codes: np.ndarray, size: int, what: str) -> None:
    """Refuse codes that a kernel would read out of bounds by."""
    if codes.dtype != np.int32:
        raise ValueError(f"{what}: codes must be int32, not {codes.dtype}")
    if codes.size and (int(codes.min()) < 0 or int(codes.max()) >= size):
        raise ValueError(f"{what}: codes must lie between 0 and {size - 1}")


def _check_axis(axis: CutAxis, at: int) -> None:
    if axis.size == 0 or axis.ruler.dtype != np.int64 or np.any(np.diff(axis.ruler) < 0):
        raise ValueError(f"axis {at}: the ruler must be ascending int64")
    if axis.style is not Style.TREE:
        return
    nodes = len(axis.parent)
    if not nodes == len(axis.first) == len(axis.last) == len(axis.node_cost) or nodes <= axis.size - (axis.size == 1):
        raise ValueError(f"axis {at}: the tree's arrays do not fit together")
    leaves = np.arange(axis.size)
    inner = axis.parent[:-1]
    sound = (
        axis.parent[-1] == -1
        and np.all(inner > np.arange(nodes - 1))
        and np.all(inner < nodes)
        and np.array_equal(axis.first[: axis.size], leaves)
        and np.array_equal(axis.last[: axis.size], leaves)
        and axis.first[-1] == 0
        and axis.last[-1] == axis.size - 1
        and np.all(axis.first[inner] <= axis.first[:-1])
        and np.all(axis.last[inner] >= axis.last[:-1])
    )
    if not sound:
        raise ValueError(f"axis {at}: not a tree in which every node covers an interval of leaves")


def mondrian(
    codes: np.ndarray,
    axes: Sequence[CutAxis],
    *,
    k: int,
    weights: np.ndarray | None = None,
    rule: Rule = Rule.LEAST_COST,
    relaxed: bool = False,
    sample: int = 0,
    sensitive: Sequence[np.ndarray] = (),
    guard: Guard | None = None,
    watch: Callable[[float], None] | None = None,
    portable: bool = False,
) -> Partition:
    """Cut the rows of `codes` (rows × axes) into classes of at least k that `guard` allows; see cpp/mondrian.hpp.

    Row i stands for `weights[i]` people (one each by default; not with `relaxed` or a guard, which part rows and look
    at them one by one). `portable` asks for the copy that runs on any processor.
    """
    if codes.ndim != 2 or codes.shape[1] != len(axes) or not len(axes):
        raise ValueError("codes must be a matrix with one column an axis")
    if codes.shape[0] >= 2**31:
        raise ValueError("more than 2^31 rows")
    codes = np.ascontiguousarray(codes)
    for at, axis in enumerate(axes):
        _check_axis(axis, at)
        check_codes(codes[:, at], axis.size, f"axis {at}")
    if weights is not None:
        check_codes(weights, 2**31 - 1, "weights")
        if len(weights) != len(codes) or weights.min(initial=1) < 1 or relaxed or guard is not None:
            raise ValueError("weights must be positive, one a row, and go with neither relaxed cuts nor a guard")
    sizes = []
    for at, column in enumerate(sensitive):
        sizes.append(int(column.max(initial=-1)) + 1)
        check_codes(column, sizes[-1], f"sensitive column {at}")
        if len(column) != codes.shape[0]:
            raise ValueError(f"sensitive column {at}: {len(column)} codes for {codes.shape[0]} rows")
    if _native is None:
        return reference.mondrian(
            codes,
            axes,
            k=k,
            weights=weights,
            rule=rule,
            relaxed=relaxed,
            sample=sample,
            sensitive=sensitive,
            guard=guard,
            watch=watch,
        )
    parts = [(int(a.style), a.ruler, a.unit, a.parent, a.first, a.last, a.node_cost) for a in axes]
    judge = None if guard is None else lambda groups, found: guard(groups, found).astype(np.uint8)
    columns = [(np.ascontiguousarray(column), size) for column, size in zip(sensitive, sizes, strict=True)]
    found = _native.mondrian(
        codes,
        parts,
        weights=None if weights is None else np.ascontiguousarray(weights),
        k=max(1, k),
        rule=int(rule),
        relaxed=relaxed,
        sample=sample,
        threads=threads(),
        sensitive=columns,
        guard=judge,
        watch=watch or _unwatched,
        portable=portable,
    )
    return Partition(*found)


def _unwatched(done: float) -> None:
    """Somebody must be called so that Ctrl-C is heard."""


def _check_slope(slope: Slope, at: int) -> None:
    nodes = len(slope.parent)
    inner = slope.parent[:-1]
    sound = (
        nodes == len(slope.first) == len(slope.last) == len(slope.climb)
        and slope.parent[-1] == -1
        and np.all(inner > np.arange(nodes - 1))
        and np.all(inner < nodes)
        and np.all(slope.first[inner] <= slope.first[:-1])
        and np.all(slope.last[inner] >= slope.last[:-1])
        and slope.climb[-1] == 0
        and np.all(slope.climb[inner] <= slope.climb[:-1])
    )
    if not sound:
        raise ValueError(f"axis {at}: not a tree whose costs grow towards the leaves")


def merge(
    nodes: np.ndarray,
    sizes: np.ndarray,
    axes: Sequence[Slope],
    *,
    k: int,
    watch: Callable[[float], None] | None = None,
) -> Merges:
    """Merge classes (their tree nodes, classes × axes, all different, and sizes), the smallest first, each with the
    class that costs least to join, until every class has k rows or one is left. Ties: the class that came first."""
    if nodes.ndim != 2 or nodes.shape[1] != len(axes) or len(sizes) != len(nodes) or not len(axes):
        raise ValueError("nodes must be a matrix with one column an axis and one row a size")
    if sizes.dtype != np.int64 or sizes.min(initial=1) < 1:
        raise ValueError("sizes must be positive int64")
    for at, slope in enumerate(axes):
        _check_slope(slope, at)
        check_codes(nodes[:, at], len(slope.parent), f"axis {at}")
    if _native is None:
        return reference.merge(nodes, sizes, axes, k=k, watch=watch)
    parts = [(slope.parent, slope.first, slope.last, slope.climb) for slope in axes]
    return Merges(*_native.merge(np.ascontiguousarray(nodes), sizes, parts, k=k, watch=watch or _unwatched))


def fold(columns: Sequence[np.ndarray], sizes: Sequence[int]) -> Folded:
    """Equal rows, given column by column (the codes of column j below `sizes[j]`), as one weighted tuple."""
    if len(columns) != len(sizes) or len({len(column) for column in columns}) != 1 or len(columns[0]) >= 2**31:
        raise ValueError("columns must be equally long, have a size each, and fewer than 2^31 rows")
    for at, (column, size) in enumerate(zip(columns, sizes, strict=True)):
        check_codes(column, size, f"column {at}")
    if _native is None:
        return reference.fold(columns)
    return Folded(*_native.fold([np.ascontiguousarray(column) for column in columns], list(sizes)))


def class_sets(order: np.ndarray, starts: np.ndarray, codes: np.ndarray) -> Sets:
    """The distinct sets of codes that the classes of a partition hold, numbered by first appearance."""
    if _native is None:
        return reference.class_sets(order, starts, codes)
    check_codes(order, len(codes), "order")
    if len(starts) == 0 or starts[0] != 0 or starts[-1] != len(order) or np.any(np.diff(starts) < 0):
        raise ValueError("starts must ascend from 0 to the number of rows")
    return Sets(*_native.class_sets(order, starts, np.ascontiguousarray(codes)))


__all__ = [
    "CutAxis",
    "Folded",
    "Guard",
    "Histograms",
    "Merges",
    "Partition",
    "Rule",
    "Sets",
    "Slope",
    "Style",
    "check_codes",
    "class_sets",
    "fold",
    "is_native",
    "merge",
    "mondrian",
    "threads",
]
