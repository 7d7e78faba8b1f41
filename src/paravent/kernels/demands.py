"""Demands on the sensitive values of a class, as a search asks them of every move; see cpp/demands.hpp."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np


class DemandKind(IntEnum):
    DISTINCT = 0
    ENTROPY = 1
    RECURSIVE = 2
    SHARE = 3
    DISTANCE = 4
    TOLERANCE = 5
    ORDERED = 6
    LIKENESS = 7
    DISCLOSURE = 8


SEARCHED = frozenset(list(DemandKind)[:5])
"""Those that searches ask of every move. The others are asked where classes are counted."""


@dataclass(frozen=True, eq=False)
class Demand:
    """`distinct`: `a` values at least. `entropy`: exp(entropy) of at least `a`. `recursive`: with counts r1 ≥ r2 ≥ …,
    r1 < b · (r_a + r_(a+1) + …). `share`: none above `a`. `distance`: ½ Σ|share − share in the table| at most `a`,
    where `whole` holds the latter. `column` is a number of the sensitive columns.

    `tolerance`: r1 − r_a at most `b` of the rows, and `a` values. With p a share in the class and q in the table,
    `ordered`: the mean of |Σ (p − q)| over the steps between values of the table at most `a`, or the sum where `b` is
    set. `likeness`: p / q at most 1 + a, and 1 − ln q where `b` is set. `disclosure`: |ln(p / q)| below `a`, with all
    values of the table."""

    kind: DemandKind
    column: int
    a: float
    b: float = 0.0
    whole: np.ndarray = field(default_factory=lambda: np.zeros(0))


def demand_holds(demand: Demand, counts: np.ndarray) -> bool:
    """Whether counts of the values of a column are as demanded, a little on the safe side.

    >>> demand_holds(Demand(DemandKind.ENTROPY, 0, 1.8), np.array([2, 2, 0]))
    True
    >>> demand_holds(Demand(DemandKind.DISTANCE, 0, 0.2, whole=np.array([0.5, 0.5])), np.array([4, 1]))
    False
    """
    safe, size = 1e-9, counts.sum()
    if demand.kind is DemandKind.DISTINCT:
        return int((counts > 0).sum()) >= demand.a
    if demand.kind is DemandKind.SHARE:
        return bool(counts.max() <= (demand.a - safe) * size)
    if demand.kind is DemandKind.ENTROPY:
        seen = counts[counts > 0]
        return bool(np.log(size) - (seen * np.log(seen)).sum() / size >= np.log(demand.a) + safe)
    if demand.kind is DemandKind.DISTANCE:
        return bool(np.maximum(counts / size - demand.whole, 0).sum() <= demand.a - safe)
    assert demand.kind is DemandKind.RECURSIVE, "no search asks this"
    falling = np.sort(counts)[::-1]
    return bool(falling[0] < demand.b * falling[int(demand.a) - 1 :].sum() - safe)


def check_demands(demands: list[Demand], sizes: list[int], *, beside_table: bool = False) -> None:
    """Refuse demands on columns that are not there, or with shares of another number of values; none are looked at
    where a table is given beside."""
    for demand in demands:
        if not 0 <= demand.column < len(sizes):
            raise ValueError(f"demand on sensitive column {demand.column} of {len(sizes)}")
        wanted = sizes[demand.column] if demand.kind is DemandKind.DISTANCE else len(demand.whole)
        if ((demand.whole.dtype != np.float64 or len(demand.whole) != wanted) and not beside_table) or demand.a < 0:
            raise ValueError(f"demand on sensitive column {demand.column}: its numbers do not fit")
        if demand.kind in (DemandKind.DISTINCT, DemandKind.ENTROPY, DemandKind.RECURSIVE) and demand.a < 1:
            raise ValueError(f"demand on sensitive column {demand.column}: at least 1 value")
