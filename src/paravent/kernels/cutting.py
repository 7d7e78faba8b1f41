"""Mondrian's cuts; see cpp/mondrian.hpp."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from paravent.kernels import native
from paravent.kernels.checks import Guard, asked, check_tree, check_weights, sensitive_parts
from paravent.kernels.native import check_codes

SCALE = 1 << 24
"""The cost of a cell that says nothing, at weight 1. Costs are whole numbers, so that ties are exact."""

WIDEST_SET = 1024
"""Set axes with more codes than this are costed by their span."""


class Style(IntEnum):
    SPAN = 0
    TREE = 1
    SET = 2


class Rule(IntEnum):
    """Which cut a group takes: the one that costs least, the median of the widest axis, or the one that leaves the
    least of a target: weighted entropy of its classes, squared deviation of its numbers (LeFevre, DeWitt, Ramakrishnan
    2008, §3 and §4), told apart by 12 digits."""

    LEAST_COST = 0
    MEDIAN = 1
    ENTROPY = 2
    DEVIATION = 3


class Classes(NamedTuple):
    """The class of each row, and how many classes there are: the target of cuts by entropy."""

    codes: np.ndarray
    size: int


_ENDLESS = 2**63 - 1
_NO_NODES = np.zeros(0, dtype=np.int32)
_NO_COSTS = np.zeros(0, dtype=np.int64)
_NO_NUMBERS = np.zeros(0, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class CutAxis:
    """One dimension and its costs; see cpp/mondrian.hpp. `ruler` is non-decreasing and has one entry a code. In
    clusters no span costs more than `cap`."""

    style: Style
    ruler: np.ndarray
    unit: int = 0
    parent: np.ndarray = field(default_factory=lambda: _NO_NODES)
    first: np.ndarray = field(default_factory=lambda: _NO_NODES)
    last: np.ndarray = field(default_factory=lambda: _NO_NODES)
    node_cost: np.ndarray = field(default_factory=lambda: _NO_COSTS)
    cap: int = 2**62

    @property
    def size(self) -> int:
        return len(self.ruler)

    @property
    def step(self) -> int:
        """The least that a second value adds to the cost of one."""
        if self.style is Style.SET:
            return self.unit
        if self.style is Style.SPAN:
            return min(int(np.diff(self.ruler).min(initial=_ENDLESS)), self.cap)
        codes = np.flatnonzero(self.parent[: self.size] >= 0)
        return int((self.node_cost[self.parent[codes]] - self.node_cost[codes]).min(initial=_ENDLESS))


class Partition(NamedTuple):
    """Class c is `order[starts[c]:starts[c + 1]]`, with codes from `low[c]` to `high[c]`; `cuts` counts by axis. Where
    asked for, row i of `tree` is (begin, mid, end, axis): cut i parts `order[begin:end]` at mid and leaves `score[i]`
    of the target. A group comes before its parts, the left one first."""

    order: np.ndarray
    starts: np.ndarray
    low: np.ndarray
    high: np.ndarray
    cuts: np.ndarray
    tree: np.ndarray = np.zeros((0, 4), dtype=np.int64)
    score: np.ndarray = np.zeros(0, dtype=np.float64)


def check_axis(axis: CutAxis, at: int) -> None:
    if axis.size == 0 or axis.ruler.dtype != np.int64 or np.any(np.diff(axis.ruler) < 0):
        raise ValueError(f"axis {at}: the ruler must be ascending int64")
    if axis.style is not Style.TREE:
        return
    check_tree(axis, axis.node_cost, f"axis {at}")
    leaves = np.arange(axis.size)
    own = np.array_equal(axis.first[: axis.size], leaves) and np.array_equal(axis.last[: axis.size], leaves)
    if not own or axis.last[-1] != axis.size - 1:
        raise ValueError(f"axis {at}: the leaves of a tree are its first nodes, one a code")


def mondrian(
    codes: np.ndarray,
    axes: Sequence[CutAxis],
    *,
    k: int,
    weights: np.ndarray | None = None,
    rule: Rule = Rule.LEAST_COST,
    target: Classes | np.ndarray | None = None,
    relaxed: bool = False,
    sample: int = 0,
    sensitive: Sequence[np.ndarray] = (),
    guard: Guard | None = None,
    watch: Callable[[float], None] | None = None,
    record: bool = False,
) -> Partition:
    """Cut the rows of `codes` (rows × axes) into classes of at least k that `guard` allows; see cpp/mondrian.hpp.

    Row i stands for `weights[i]` people (one each by default; not with `relaxed`, a guard or a target, which part rows
    or look at them one by one). `target` is what cuts by entropy (classes) and by deviation (a number a row) look at;
    every place between two codes is a cut for them. `record` asks for the tree of cuts.
    """
    if codes.ndim != 2 or codes.shape[1] != len(axes) or not len(axes):
        raise ValueError("codes must be a matrix with one column an axis")
    if codes.shape[0] >= 2**31:
        raise ValueError("more than 2^31 rows")
    codes = np.ascontiguousarray(codes)
    for at, axis in enumerate(axes):
        check_axis(axis, at)
        check_codes(codes[:, at], axis.size, f"axis {at}")
    if weights is not None:
        check_weights(weights)
        if len(weights) != len(codes) or relaxed or guard is not None or target is not None:
            raise ValueError("weights must be one a row, and go with neither relaxed cuts nor a guard nor a target")
    classes, numbers = _target_parts(rule, target, len(codes))
    order, by_thread = native.module.mondrian(
        rows=len(codes),
        codes=codes,
        axes=list(axes),
        weights=None if weights is None else np.ascontiguousarray(weights),
        k=max(1, k),
        rule=rule,
        target=None if classes is None else classes._replace(codes=np.ascontiguousarray(classes.codes)),
        numbers=numbers,
        relaxed=relaxed,
        sample=sample,
        threads=native.threads(),
        guard=asked(guard, sensitive_parts(sensitive, len(codes))),
        watch=watch or native.unwatched,
    )
    starts, low, high, tree, score = map(np.concatenate, zip(*by_thread, strict=True))
    d, tree, in_turn = len(axes), tree.reshape(-1, 4), np.argsort(starts, kind="stable")
    made = Partition(
        order,
        np.append(starts[in_turn], len(codes)),
        low.reshape(-1, d)[in_turn],
        high.reshape(-1, d)[in_turn],
        np.bincount(tree[:, 3], minlength=d),
    )
    if not record:
        return made
    in_turn = np.lexsort((-tree[:, 2], tree[:, 0]))
    return made._replace(tree=tree[in_turn], score=_NO_NUMBERS if target is None else score[in_turn])


def _target_parts(rule: Rule, target: Classes | np.ndarray | None, rows: int) -> tuple[Classes | None, np.ndarray]:
    """The classes of a target, and the numbers that its rule reads: n log n up to all rows, or those of the rows."""
    if isinstance(target, Classes) and rule is Rule.ENTROPY:
        check_codes(target.codes, target.size, "classes of the target")
        n = np.arange(rows + 1, dtype=np.float64)
        sound, numbers = len(target.codes) == rows, n * np.log2(np.maximum(n, 1))
        classes: Classes | None = target
    elif isinstance(target, np.ndarray) and rule is Rule.DEVIATION:
        classes, sound, numbers = None, len(target) == rows, np.ascontiguousarray(target, dtype=np.float64)
    else:
        classes, sound, numbers = None, target is None and rule in (Rule.LEAST_COST, Rule.MEDIAN), _NO_NUMBERS
    if not sound:
        raise ValueError("a target goes with its rule: classes with entropy, numbers with deviation, one a row")
    return classes, numbers
