"""Greedy merging guided by cost, diversity, closeness or size; see cpp/guided.hpp."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from paravent.kernels.merging import Merges, TreeCosts, native_merges

RULES = ("cost", "cost-l", "l-cost", "cost/l", "cost-t", "t-cost", "cost*t", "l", "t", "size-cost")
"""What a partner is chosen by: first one thing, then the other, or their product."""

FINE, GRID = 2.0**38, 2.0**30
"""Logarithms are kept in multiples of 1/FINE, and compared in multiples of 1/GRID."""

MOST_ROWS = 2_000_000
"""The sums of x ln x fit 64 bits up to here."""

Judge = Callable[[int, int], bool]
"""Told which two classes were merged, says whether the new class satisfies what is asked."""


@dataclass(frozen=True, eq=False)
class Values:
    """The sensitive values of the starting classes: those of class c are `value[start[c]:start[c + 1]]`, ascending,
    `count` of each. `table` counts them in the whole table."""

    start: np.ndarray
    value: np.ndarray
    count: np.ndarray
    table: np.ndarray


def none_of(classes: int) -> Values:
    """The values of a table without a sensitive column that matters."""
    empty = np.zeros(0, dtype=np.int32)
    return Values(
        np.zeros(classes + 1, dtype=np.int64), empty, np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    )


def merge_guided(
    nodes: np.ndarray,
    sizes: np.ndarray,
    axes: Sequence[TreeCosts],
    values: Values,
    *,
    rule: str,
    whole_table: bool = False,
    k: int = 1,
    failing: np.ndarray | None = None,
    judge: Judge | None = None,
    watch: Callable[[float], None] | None = None,
) -> Merges:
    """Merge the smallest class that fails with the class that the rule prefers, until none fails or one is left.

    A class fails with fewer than k rows, or by `failing` (the starting classes) and `judge` (those that are made). The
    measures are those of the merged class, or with `whole_table` of the table after the merge, in which classes that
    show the same nodes are one: the least diverse and the least close class. Ties: the least cost where a product is
    compared, then the class that came first."""
    if rule not in RULES:
        raise ValueError(f"rule must be one of {RULES}")
    n = len(nodes)
    sound = len(values.start) == n + 1 and len(values.value) == len(values.count) == int(values.start[-1])
    if not sound or (values.value.size and int(values.value.max()) >= len(values.table)):
        raise ValueError("values must say where the values of each class start, and their counts")
    if ("l" in rule or "t" in rule.replace("cost", "")) and int(values.count.sum()) != int(sizes.sum()):
        raise ValueError("this rule needs the sensitive value of every row")
    if int(sizes.sum()) > MOST_ROWS:
        raise ValueError(f"guided merging is for at most {MOST_ROWS} rows")
    failing = np.zeros(n, dtype=np.uint8) if failing is None else failing.astype(np.uint8)
    if len(failing) != n:
        raise ValueError("failing must have one entry a class")
    xlogx, logs = log_tables(int(sizes.sum()))
    kinds = {"start": "i8", "value": "i4", "count": "i8", "table": "i8"}
    counted: dict[str, Any] = {
        name: np.ascontiguousarray(getattr(values, name), dtype=kind) for name, kind in kinds.items()
    }
    found = native_merges(
        nodes,
        sizes,
        axes,
        k=k,
        watch=watch,
        **counted,
        xlogx=xlogx,
        logs=logs,
        floor=least_distances(values.table),
        rule=RULES.index(rule),
        whole_table=whole_table,
        failing=failing,
        judge=judge,
    )
    return Merges(*found[:4])


def log_tables(rows: int) -> tuple[np.ndarray, np.ndarray]:
    """x ln x in whole multiples of 2⁻³⁸, so that equal histograms have equal sums, and ln x."""
    logs = np.array([0.0, *(math.log(x) for x in range(1, rows + 1))])
    return np.rint(np.arange(rows + 1) * logs * FINE).astype(np.int64), logs


def least_distances(table: np.ndarray) -> np.ndarray:
    """How far a class with 0, 1, … distinct values is from the table at least, as twice a share: it misses the rarest
    others, and has as much too much of its own.

    >>> least_distances(np.array([1, 3]))
    array([2. , 0.5, 0. ])
    """
    rows = int(table.sum())
    unseen = rows - np.cumsum(np.sort(table)[::-1])
    return np.asarray(np.r_[2.0, 2 * unseen / max(rows, 1)], dtype=np.float64)
