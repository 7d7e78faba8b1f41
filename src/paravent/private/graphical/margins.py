"""Margins: a table over columns, summed onto several sets of fewer columns, and made as a product of smaller tables,
with as few passes over the large table as can be."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import numpy as np

from paravent.private.graphical.junction import Columns, spread, without

Sums = list[tuple[Columns, int, Columns]]
"""Steps by which a table is summed: the columns of the one before, the axis that goes, the columns that are left."""


def sums_onto(columns: Columns, wanted: Iterable[Columns], sizes: Sequence[int]) -> Sums:
    """How a table is summed onto sets of its columns. The column that most of them lack is summed out for all of these
    at once, the larger one first, then the one before."""
    steps: Sums = []
    left = set(wanted) - {columns}
    while left:
        lacking = {column: {each for each in left if column not in each} for column in columns}
        out = max(columns, key=lambda column: (len(lacking[column]), sizes[column], -column))
        fewer = tuple(column for column in columns if column != out)
        steps += [(columns, columns.index(out), fewer), *sums_onto(fewer, lacking[out], sizes)]
        left -= lacking[out]
    return steps


def margins(table: np.ndarray, columns: Columns, steps: Sums) -> dict[Columns, np.ndarray]:
    """A table summed step by step: the table, and every sum of it."""
    found = {columns: table}
    for before, axis, after in steps:
        found[after] = without(found[before], axis)
    return found


def product_order(sets: Sequence[Columns], sizes: Sequence[int]) -> list[tuple[int, int]]:
    """In which order tables over some columns are multiplied: always the two whose product is smallest, ties by their
    places. A product takes the place after the last one."""
    held = dict(enumerate(sets))
    order = []
    while len(held) > 1:
        cells = {
            pair: math.prod(sizes[column] for column in {*held[pair[0]], *held[pair[1]]})
            for pair in combinations(held, 2)
        }
        first, second = min(cells, key=lambda pair: (cells[pair], pair))
        order.append((first, second))
        held[len(sets) + len(order) - 1] = tuple(sorted({*held.pop(first), *held.pop(second)}))
    return order


def product(
    tables: Mapping[Columns, np.ndarray], order: Sequence[tuple[int, int]], over: Columns, sizes: Sequence[int]
) -> np.ndarray:
    """The product of tables as a new one over columns that hold all of theirs."""
    held = list(tables.items())
    for first, second in order:
        columns = tuple(sorted({*held[first][0], *held[second][0]}))
        held.append(
            (
                columns,
                spread(held[first][1], held[first][0], columns) * spread(held[second][1], held[second][0], columns),
            )
        )
    shape = [sizes[column] for column in over]
    if not held:
        return np.ones(shape)
    columns, table = held[-1]
    return table if order and columns == over else np.broadcast_to(spread(table, columns, over), shape).copy()
