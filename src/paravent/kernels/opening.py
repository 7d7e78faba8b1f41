"""Labels opened, closed, raised and lowered while rows move between them; see cpp/opening.hpp."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from paravent.kernels import native
from paravent.kernels.checks import Coded, sensitive_parts
from paravent.kernels.cutting import CutAxis, Style
from paravent.kernels.demands import Demand, check_demands
from paravent.kernels.folding import fold
from paravent.kernels.regrouping import Regrouped, check_classes

_MEMORY = 2**32
"""Bits, at most: which tuples lie under which node."""


def has_room(tuples: int, axes: Sequence[CutAxis]) -> bool:
    """Whether so many different rows of codes are not too many."""
    return tuples * sum(max(2 * axis.size, len(axis.parent)) for axis in axes) <= _MEMORY


def open_labels(
    codes: np.ndarray,
    axes: Sequence[CutAxis],
    of_row: np.ndarray,
    *,
    k: int,
    work: int,
    hot: float,
    cold: float = 0.1,
    seed: int = 0,
    sensitive: Sequence[np.ndarray] = (),
    demands: Sequence[Demand] = (),
    watch: Callable[[float], None] | None = None,
) -> Regrouped:
    """Make some classes (`of_row`, of at least k rows of `codes` each) cheaper: labels open and close while rows move
    between them and the temperature falls from `hot` to `cold` (in what a row of the start costs), until so much `work`
    is done (`regrouping.A_SECOND` is about a second).

    Labels are nodes of trees; the codes of an axis without one stand in pairs, pairs of pairs, and so on. Classes with
    one label are joined. The costs are those of the labels that were open: classes may have tighter ones. The result
    costs no more than the start and depends on nothing but the arguments. All classes satisfy all `demands` on the
    codes of `sensitive`, if those of the start do.

    >>> codes = np.array([[0], [3], [1], [2]], dtype=np.int32)
    >>> axis = CutAxis(Style.SPAN, np.array([0, 1, 8, 9], dtype=np.int64))
    >>> open_labels(codes, [axis], np.zeros(4, dtype=np.int32), k=2, work=20_000, hot=1.0)
    Regrouped(of_row=array([1, 0, 1, 0], dtype=int32), cost=4, start_cost=36)
    """
    check_classes(codes, axes, of_row, k)
    if not hot >= cold > 0:
        raise ValueError("hot ≥ cold > 0")
    columns = sensitive_parts(sensitive, len(codes))
    check_demands(list(demands), [size for _, size in columns])
    told_apart = sorted(range(len(axes)), key=lambda at: -axes[at].size)  # tuples of one node stand side by side
    folded = fold([np.ascontiguousarray(codes[:, at]) for at in told_apart], [axes[at].size for at in told_apart])
    order = np.argsort(folded.tuple_of_row, kind="stable")
    found, cost, start_cost = native.module.open_labels(
        tuples=len(folded.weight),
        codes=np.ascontiguousarray(codes[folded.representative]),
        axes=[as_tree(axis) for axis in axes],
        rows_of=np.r_[0, np.cumsum(folded.weight, dtype=np.int64)],
        tuple_of=np.ascontiguousarray(folded.tuple_of_row[order]),
        start=np.ascontiguousarray(of_row[order]),
        n_classes=int(of_row.max()) + 1,
        k=k,
        work=work,
        hot=float(hot),
        cold=float(cold),
        seed=seed % 2**64,
        demands={"columns": [Coded(column[order], size) for column, size in columns], "list": list(demands)},
        watch=watch or native.unwatched,
    )
    result = np.empty(len(codes), dtype=np.int32)
    result[order] = np.unique(found, return_inverse=True)[1].reshape(-1)
    return Regrouped(result, cost, start_cost)


def as_tree(axis: CutAxis) -> CutAxis:
    """An axis without a tree as one whose codes stand in pairs, pairs of pairs, and so on.

    >>> made = as_tree(CutAxis(Style.SPAN, np.array([0, 1, 8], dtype=np.int64)))
    >>> [x.tolist() for x in (made.parent, made.first, made.last, made.node_cost)]
    [[3, 3, 4, 5, 5, -1], [0, 1, 2, 0, 2, 0], [0, 1, 2, 1, 2, 2], [0, 0, 0, 1, 0, 8]]
    """
    if axis.style is Style.TREE:
        return axis
    first = [np.arange(axis.size, dtype=np.int32)]
    parent, nodes = [], axis.size
    while len(first[-1]) > 1:
        parent.append(nodes + np.arange(len(first[-1])) // 2)
        first.append(first[-1][::2])
        nodes += len(first[-1])
    last = [np.r_[level[1:], axis.size] - 1 for level in first]
    low, high = np.concatenate(first), np.concatenate(last).astype(np.int32)
    cost = axis.unit * (high - low) if axis.style is Style.SET else axis.ruler[high] - axis.ruler[low]
    up = np.concatenate([*parent, [-1]]).astype(np.int32)
    return CutAxis(Style.TREE, axis.ruler, 0, up, low, high, cost.astype(np.int64))
