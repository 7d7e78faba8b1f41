"""Classes made anew in small neighbourhoods; see cpp/regrouping.hpp."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from paravent.kernels import native
from paravent.kernels.checks import Coded, Guard, asked, sensitive_parts
from paravent.kernels.cutting import CutAxis, Rule, Style, check_axis, mondrian
from paravent.kernels.demands import Demand, check_demands
from paravent.kernels.folding import fold
from paravent.kernels.native import check_codes

A_SECOND = 330_000_000
"""The work that takes about a second."""
_MEDIANS = 3
"""Orders by median cuts in which neighbours are looked for, beside that of cuts that cost least."""


class Regrouped(NamedTuple):
    """The class of each row, what the rows cost at the tightest labels of their classes, and what they cost before."""

    of_row: np.ndarray
    cost: int
    start_cost: int


def regroup(
    codes: np.ndarray,
    axes: Sequence[CutAxis],
    of_row: np.ndarray,
    *,
    k: int,
    work: int,
    planned: int | None = None,
    seed: int = 0,
    sensitive: Sequence[np.ndarray] = (),
    demands: Sequence[Demand] = (),
    judged: Sequence[np.ndarray] = (),
    guard: Guard | None = None,
    watch: Callable[[float], None] | None = None,
) -> Regrouped:
    """Make some classes (`of_row`, of at least k rows of `codes` each) cheaper: a few that lie near one another are put
    together and their rows are clustered anew, where that costs less, until `work` axes of rows were held against
    labels (an axis with a large tree counts twice).

    A little loss is accepted on the way, less and less of it as the work goes on that is `planned` (all of it, if that
    is not said). With the same plan more work never gives a dearer result, and the result depends on nothing but the
    arguments. Every class that it makes satisfies all `demands` on the codes of `sensitive`, and `guard` allows it by
    its counts of `judged`; classes that it leaves as they were are not asked.
    """
    n = len(codes)
    check_classes(codes, axes, of_row, k)
    sizes = np.bincount(of_row)
    counted = sensitive_parts(sensitive, n)
    check_demands(list(demands), [size for _, size in counted])
    looked = sensitive_parts(judged, n)
    told_apart = [np.ascontiguousarray(codes[:, at]) for at in range(len(axes))] + [c for c, _ in (*counted, *looked)]
    widths = [axis.size for axis in axes] + [size for _, size in (*counted, *looked)]
    tuples = fold(told_apart, widths).tuple_of_row
    order = np.lexsort((of_row, tuples))
    row, weight = pieces(tuples[order], of_row[order], k)
    orders = near_orders(codes[order[row]], axes, seed)
    row, weight = row[orders[0]], weight[orders[0]]  # pieces are numbered in the first of the orders
    place = np.argsort(orders[0]).astype(np.int32)
    first = order[row]
    found, cost, start_cost = native.module.regroup(
        rows=n,
        axes=list(axes),
        pieces=len(row),
        codes=np.ascontiguousarray(codes[first]),
        weight=np.ascontiguousarray(weight),
        start=np.ascontiguousarray(of_row[first]),
        orders=[place[way] for way in orders],
        places=[np.argsort(place[way]).astype(np.int32) for way in orders],
        n_classes=len(sizes),
        k=k,
        work=work,
        planned=work if planned is None else planned,
        seed=seed % 2**64,
        demands={"columns": [Coded(column[first], size) for column, size in counted], "list": list(demands)},
        guard=asked(guard, [Coded(column[first], size) for column, size in looked]),
        watch=watch or native.unwatched,
    )
    found = np.repeat(found[place], weight[place])
    result = np.empty(n, dtype=np.int32)
    result[order] = np.unique(found, return_inverse=True)[1].reshape(-1)
    return Regrouped(result, cost, start_cost)


def near_orders(points: np.ndarray, axes: Sequence[CutAxis], seed: int) -> list[np.ndarray]:
    """Orders in which points that cost little together stand near one another: that of cuts that cost least, and those
    of median cuts, an axis first on which the ends cost most together, times a draw."""
    lines = [axis.ruler - axis.ruler[0] if axis.style is Style.SPAN else np.arange(axis.size) for axis in axes]
    far = np.array([_ends(axis) for axis in axes], dtype=np.float64)
    draws = np.random.default_rng(seed % 2**64).integers(64, 192, (_MEDIANS, len(axes)))
    orders = [mondrian(points, axes, k=8, sample=32).order]
    for widths in draws * (far / max(far.max(), 1.0) * 2**20):
        steps = [width / max(int(line[-1]), 1) for line, width in zip(lines, widths, strict=True)]
        cuts = [CutAxis(Style.SPAN, (line * step).astype(np.int64)) for line, step in zip(lines, steps, strict=True)]
        orders.append(mondrian(points, cuts, k=2, rule=Rule.MEDIAN, relaxed=True).order)
    return orders


def _ends(axis: CutAxis) -> int:
    """What the ends of an axis cost together."""
    if axis.style is Style.SET:
        return axis.unit
    return int(axis.node_cost[-1] if axis.style is Style.TREE else axis.ruler[-1] - axis.ruler[0])


def check_classes(codes: np.ndarray, axes: Sequence[CutAxis], of_row: np.ndarray, k: int) -> None:
    """Rows of codes on priced axes, in classes of at least k."""
    n = len(codes)
    if codes.ndim != 2 or codes.shape[1] != len(axes) or not len(axes) or not 1 <= k <= n < 2**31:
        raise ValueError("rows × columns, one axis a column, and at least k rows")
    for at, axis in enumerate(axes):
        check_axis(axis, at)
        check_codes(np.ascontiguousarray(codes[:, at]), axis.size, f"axis {at}")
        if axis.unit < 0 or axis.node_cost.min(initial=0) < 0:
            raise ValueError(f"axis {at}: costs must not be negative")
    check_codes(of_row, n, "classes")
    if len(of_row) != n or np.bincount(of_row).min() < k:
        raise ValueError("one class a row, numbered without gaps, of at least k rows each")


def pieces(tuples: np.ndarray, of_row: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows that are alike and in one class, side by side, cut into pieces: the first row of each, and how many it has.
    Of many, k at least stay together, and up to k − 1 stand alone.

    >>> [part.tolist() for part in pieces(np.array([3, 3, 3, 3, 5]), np.zeros(5), k=2)]
    [[0, 3, 4], [3, 1, 1]]
    """
    begins = np.flatnonzero(np.r_[True, (np.diff(tuples) != 0) | (np.diff(of_row) != 0)])
    size = np.diff(begins, append=len(tuples))
    alone = np.clip(size - k, 0, k - 1)
    first = np.cumsum(alone + 1) - alone - 1
    run = np.repeat(np.arange(len(begins)), alone + 1)
    at = np.arange(len(run)) - first[run]
    together = (size - alone)[run]
    row = begins[run] + np.where(at == 0, 0, together + at - 1)
    return row.astype(np.int32), np.where(at == 0, together, 1).astype(np.int32)
