"""Networks: every column drawn given a few columns before it, straight from noisy counts, without fitting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from paravent.private.graphical.fit import Noisy
from paravent.private.graphical.junction import Columns
from paravent.private.graphical.sample import dealt, flat

Parents = Mapping[int, Columns]
"""For each column, in the order in which they are drawn, those that it is drawn from."""


def chances(noisy: Noisy, child: int) -> np.ndarray:
    """The chances of a column's cells (last axis), given its parents' (all others, as one). Counts below 0 are none;
    where nothing is left, every cell is as likely as in all rows together."""
    axis = noisy.columns.index(child)
    counts = np.maximum(np.moveaxis(noisy.counts, axis, -1), 0.0)
    table = counts.reshape(-1, counts.shape[-1])
    overall = table.sum(axis=0)
    overall = overall / overall.sum() if overall.sum() > 0 else np.full(len(overall), 1 / len(overall))
    sums = table.sum(axis=1, keepdims=True)
    return np.where(sums > 0, table / np.where(sums > 0, sums, 1.0), overall)


def walk(
    sizes: Sequence[int],
    parents: Parents,
    tables: Mapping[Columns, Noisy],
    rows: int,
    rng: np.random.Generator,
    impossible: Mapping[Columns, np.ndarray] | None = None,
) -> list[np.ndarray]:
    """The codes of every column for some rows, in random order, column by column. What is impossible, together with
    the columns drawn before, is not drawn."""
    codes: dict[int, np.ndarray] = {}
    for child, given in parents.items():
        table = chances(tables[tuple(sorted((*given, child)))], child)
        shut = {columns: never for columns, never in (impossible or {}).items() if child in columns}
        shut = {columns: never for columns, never in shut.items() if set(columns) <= {*codes, child}}
        known = tuple(sorted(set(given).union(*shut) - {child}))
        group = flat([codes[column] for column in known], [sizes[column] for column in known], rows)
        if shut:
            table = _shut(table, given, known, child, sizes, shut)
        codes[child] = dealt(table, group, rng).astype(np.int32)
    order = rng.permutation(rows)
    return [codes[column][order] for column in range(len(sizes))]


def _shut(
    table: np.ndarray,
    given: Columns,
    known: Columns,
    child: int,
    sizes: Sequence[int],
    impossible: Mapping[Columns, np.ndarray],
) -> np.ndarray:
    """The chances over more parents, with impossible cells at 0; what is left of a row is as likely as before."""
    shape = [sizes[column] for column in known]
    wide = table.reshape([sizes[column] if column in given else 1 for column in known] + [sizes[child]])
    wide = np.broadcast_to(wide, [*shape, sizes[child]]).copy()
    for columns, never in impossible.items():
        inner = [column for column in columns if column != child]
        mask = np.moveaxis(never, columns.index(child), -1)
        mask = mask.reshape([sizes[column] if column in inner else 1 for column in known] + [sizes[child]])
        wide = np.where(mask, 0.0, np.maximum(wide, 1e-12))
    return wide.reshape(-1, sizes[child])
