"""Outliers of full-domain generalizations; see cpp/lattice.hpp."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from paravent.kernels import native
from paravent.kernels.native import check_codes


@dataclass(frozen=True, eq=False)
class Rung:
    """One level of a column: the code of each leaf, how many codes there are, and what a cell of each leaf costs."""

    codes: np.ndarray
    size: int
    cost: np.ndarray


class Outliers(NamedTuple):
    """For each node of a lattice: the rows in classes below k (past the limit: at least that many), and by column what
    the cells of those rows cost."""

    rows: np.ndarray
    cost: np.ndarray


def outliers(
    leaves: Sequence[np.ndarray],
    ladders: Sequence[Sequence[Rung]],
    weight: np.ndarray,
    nodes: np.ndarray,
    *,
    k: int,
    limit: int,
) -> Outliers:
    """How many rows lie in classes below k when each column of some weighted tuples (`leaves`, column by column)
    stands on the level that a node (nodes × columns) names. What is past `limit` rows is not counted to the end."""
    if not len(leaves) == len(ladders) == nodes.shape[1]:
        raise ValueError("one ladder and one level a column")
    check_codes(weight, 2**31 - 1, "weight")
    for at, (column, rungs) in enumerate(zip(leaves, ladders, strict=True)):
        check_codes(column, len(rungs[0].codes), f"column {at}")
        check_codes(nodes[:, at], len(rungs), f"levels of column {at}")
        if len(column) != len(weight):
            raise ValueError(f"column {at}: {len(column)} codes for {len(weight)} weights")
        for rung in rungs:
            check_codes(rung.codes, rung.size, f"column {at}")
            if not len(rung.codes) == len(rung.cost) == len(rungs[0].codes) or rung.cost.dtype != np.int64:
                raise ValueError(f"column {at}: a level has {len(rung.codes)} codes and {len(rung.cost)} costs")
    if native.module is None:
        return outliers_twin(leaves, ladders, weight, nodes, k=k, limit=limit)
    parts = [
        (np.ascontiguousarray(column), [(rung.codes, rung.size, rung.cost) for rung in rungs])
        for column, rungs in zip(leaves, ladders, strict=True)
    ]
    found = native.module.outliers(
        parts, weight, np.ascontiguousarray(nodes), k=k, limit=limit, threads=native.threads()
    )
    return Outliers(*found)


def outliers_twin(
    leaves: Sequence[np.ndarray],
    ladders: Sequence[Sequence[Rung]],
    weight: np.ndarray,
    nodes: np.ndarray,
    *,
    k: int,
    limit: int,
) -> Outliers:
    """`outliers`, written to be read; it counts to the end."""
    rows, cost = [], []
    for node in nodes.tolist():
        rungs = [ladder[level] for ladder, level in zip(ladders, node, strict=True)]
        cells = np.stack([rung.codes[column] for rung, column in zip(rungs, leaves, strict=True)], axis=1)
        _, of_tuple = np.unique(cells, axis=0, return_inverse=True)
        of_tuple = of_tuple.reshape(-1)
        out = np.bincount(of_tuple, weights=weight)[of_tuple] < k
        rows.append(int(weight[out].sum()))
        cost.append([int((weight * rung.cost[c])[out].sum()) for rung, c in zip(rungs, leaves, strict=True)])
    del limit
    return Outliers(np.array(rows, dtype=np.int64), np.array(cost, dtype=np.int64).reshape(len(rows), -1))
