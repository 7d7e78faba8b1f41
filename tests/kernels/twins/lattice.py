"""Outliers of full-domain generalizations in NumPy: see cpp/lattice.hpp."""

from __future__ import annotations

import numpy as np

from paravent.kernels import Outliers, Tuples


def outliers_twin(
    tuples: Tuples, nodes: np.ndarray, *, k: int, limit: int, sizes: bool = False, areas: bool = False
) -> Outliers:
    """`outliers`, written to be read; it counts to the end."""
    rows, cost, counts, logs, area = [], [], [], [], []
    weight = tuples.weight
    for node in nodes.tolist():
        priced = [own[level] for own, level in zip(tuples.priced_levels, node, strict=True)]
        columns = list(zip(priced, tuples.leaves, strict=True))
        cells = np.stack([level.codes[column] for level, column in columns], axis=1)
        of_tuple = np.unique(cells, axis=0, return_inverse=True)[1].reshape(-1)
        size = np.bincount(of_tuple, weights=weight).astype(np.int64)
        out = size[of_tuple] < k
        rows.append(int(weight[out].sum()))
        cost.append([int((weight * level.cost[column])[out].sum()) for level, column in columns])
        both = (size, size[size >= k])
        if sizes:
            counts.append([[len(some), int(some @ some)] for some in both])
            logs.append([float((some * np.log(some)).sum()) for some in both])
        if areas:
            covered = np.prod([level.covers[column] for level, column in columns if level.covers is not None], axis=0)
            area.append(float((weight * covered)[~out].sum()))
    del limit
    return Outliers(
        np.array(rows, dtype=np.int64),
        np.array(cost, dtype=np.int64).reshape(len(rows), -1),
        np.array(counts, dtype=np.int64).reshape(-1, 2, 2),
        np.array(logs, dtype=np.float64).reshape(-1, 2),
        np.array(area, dtype=np.float64),
    )
