"""Networks: every column drawn given a few columns before it, straight from noisy counts, without fitting."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from paravent.errors import InfeasibleError, PlanError
from paravent.private.graphical.fit import Noisy
from paravent.private.graphical.junction import Columns
from paravent.private.graphical.sample import dealt, flat

Parents = Mapping[int, Columns]
"""For each column, in the order in which they are drawn, those that it is drawn from."""
_LEAST = 1e-12
"""The chance of a cell that is possible where noise left none that is."""
_MOST_CELLS = 10**8


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
    """The codes of every column for some rows, in random order, column by column. What is impossible is not drawn, nor
    what would leave nothing possible to a column drawn later."""
    codes: dict[int, np.ndarray] = {}
    masks = dead_ends(tuple(parents), sizes, impossible or {})
    for child, given in parents.items():
        table = chances(tables[tuple(sorted((*given, child)))], child)
        shut = {columns: never for columns, never in masks.items() if child in columns}
        shut = {columns: never for columns, never in shut.items() if set(columns) <= {*codes, child}}
        known = tuple(sorted(set(given).union(*shut) - {child}))
        group = flat([codes[column] for column in known], [sizes[column] for column in known], rows)
        if shut:
            table = _shut(table, given, known, child, sizes, shut)
        codes[child] = dealt(table, group, rng).astype(np.int32)
    order = rng.permutation(rows)
    return [codes[column][order] for column in range(len(sizes))]


def dead_ends(
    order: Sequence[int], sizes: Sequence[int], impossible: Mapping[Columns, np.ndarray]
) -> dict[Columns, np.ndarray]:
    """What is impossible, and the cells of columns drawn first for which every cell of a later one is: drawn last to
    first, what shuts a column altogether is shut itself."""
    masks = dict(impossible)
    for column in reversed(order):
        shut = [columns for columns in masks if column in columns and _last(columns, order) == column]
        others = tuple(sorted(set().union(*shut) - {column}))
        if not shut:
            continue
        over = (*others, column)
        cells = math.prod(sizes[each] for each in over)
        if cells > _MOST_CELLS:
            raise PlanError(
                f"impossible: what rules out values of one column together concerns {cells} cells of others, more than "
                f"{_MOST_CELLS}. Rule out less, or take wider cells."
            )
        dead = np.zeros([sizes[each] for each in over], dtype=bool)
        for columns in shut:
            dead |= _over(masks[columns], columns, over, sizes)
        dead = np.asarray(dead.all(axis=-1))
        if dead.all():
            raise InfeasibleError("impossible: no row is left that could be. Rule out less.")
        if dead.any():
            masks[others] = masks[others] | dead if others in masks else dead
    return masks


def _last(columns: Columns, order: Sequence[int]) -> int:
    return max(columns, key=list(order).index)


def _over(mask: np.ndarray, columns: Columns, over: Columns, sizes: Sequence[int]) -> np.ndarray:
    """A mask of some columns as one of more, that broadcasts."""
    mine = [column for column in over if column in columns]
    mask = mask.transpose([columns.index(column) for column in mine])
    return mask.reshape([sizes[column] if column in columns else 1 for column in over])


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
    wide = np.maximum(np.broadcast_to(wide, [*shape, sizes[child]]), _LEAST)
    for columns, never in impossible.items():
        wide[np.broadcast_to(_over(never, columns, (*known, child), sizes), wide.shape)] = 0.0
    return np.asarray(wide.reshape(-1, sizes[child]))
