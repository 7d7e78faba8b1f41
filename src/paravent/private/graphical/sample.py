"""Sampling rows from a fitted distribution, clique by clique along the junction tree."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from paravent.private.graphical.beliefs import Beliefs, ratio
from paravent.private.graphical.junction import JunctionTree, cells_of, spread, summed


def sample(beliefs: Beliefs, rows: int, rng: np.random.Generator) -> list[np.ndarray]:
    """The codes of every column for some rows, in random order.

    Given the cell of the parent's columns, the new columns of a clique are dealt so that every cell has its expected
    number of rows, rounded up or down by chance. The rows of a parent's cell are shuffled before: were they left in
    order, columns that are independent given the parent would be drawn in step.
    """
    sizes, tree = beliefs.sizes, beliefs.tree
    codes = [np.zeros(rows, dtype=np.int32) for _ in sizes]
    for place, clique in enumerate(tree.cliques):
        given = tree.separators[place]
        new = tuple(column for column in clique if column not in given)
        table = beliefs.cliques[place]
        if given:
            table = ratio(table, spread(beliefs.separators[place], given, clique))
        table = table.transpose([clique.index(column) for column in (*given, *new)])
        table = table.reshape(cells_of(given, sizes), cells_of(new, sizes))
        group = flat([codes[column] for column in given], [sizes[column] for column in given], rows)
        drawn = dealt(table, group, rng)
        for column in reversed(new):
            codes[column] = (drawn % sizes[column]).astype(np.int32)
            drawn = drawn // sizes[column]
    order = rng.permutation(rows)
    return [column[order] for column in codes]


def sample_given(
    beliefs: Beliefs, known: Mapping[int, np.ndarray], rows: int, rng: np.random.Generator
) -> list[np.ndarray]:
    """The codes of every column for rows whose codes of some columns are known, in the order of these rows. The known
    columns lie in one clique: from there, every clique is dealt given what is known of it before."""
    sizes, tree = beliefs.sizes, beliefs.tree
    codes = dict(known)
    for place in _outwards(tree, tree.home(tuple(sorted(known)), sizes)):
        clique = tree.cliques[place]
        given = tuple(column for column in clique if column in codes)
        new = tuple(column for column in clique if column not in codes)
        if not new:
            continue
        table = beliefs.cliques[place]
        table = ratio(table, spread(summed(table, clique, given), given, clique)) if given else table
        table = table.transpose([clique.index(column) for column in (*given, *new)])
        table = table.reshape(cells_of(given, sizes), cells_of(new, sizes))
        drawn = dealt(table, flat([codes[column] for column in given], [sizes[c] for c in given], rows), rng)
        for column in reversed(new):
            codes[column] = (drawn % sizes[column]).astype(np.int32)
            drawn = drawn // sizes[column]
    return [codes[column] for column in range(len(sizes))]


def _outwards(tree: JunctionTree, start: int) -> list[int]:
    """All cliques, each after one of its neighbours: those of the tree of `start` from there, then all others."""
    order: list[int] = []
    for root in (start, *range(len(tree.cliques))):
        waiting = [root]
        while waiting:
            place = waiting.pop()
            if place not in order:
                order.append(place)
                waiting += [neighbour for neighbour, _ in tree.neighbours(place)]
    return order


def dealt(chances: np.ndarray, group: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """For each row a cell, by the chances (a row for each group) of its group, as evenly as whole numbers allow."""
    sizes = np.bincount(group, minlength=len(chances))
    present = np.flatnonzero(sizes)
    sizes = sizes[present]
    table = np.maximum(chances[present], 0.0)
    sums = table.sum(axis=1, keepdims=True)
    table = np.where(sums > 0, table / np.where(sums > 0, sums, 1.0), 1 / table.shape[1])
    cells = rounded(table * sizes[:, None], sizes, rng)
    values = np.repeat(np.tile(np.arange(table.shape[1]), len(present)), cells.ravel())
    mixed = rng.permutation(len(group))
    narrow = np.uint16 if len(chances) <= 2**16 else np.int64  # 16 bits are sorted by radix, in linear time
    out = np.empty(len(group), dtype=np.int64)
    out[mixed[np.argsort(group[mixed].astype(narrow), kind="stable")]] = values
    return out


def rounded(expected: np.ndarray, sums: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Whole numbers near the expected ones that add up to `sums` in each row. A cell is rounded up with the chance that
    its fraction tells (systematic sampling, in random order of the cells)."""
    order = rng.permutation(expected.shape[1])
    mixed = expected[:, order]
    down = np.floor(mixed)
    missing = np.maximum(sums - down.sum(axis=1), 0)
    ends = np.cumsum(mixed - down, axis=1)
    last = ends[:, -1:]
    ends = np.where(last > 0, ends / np.where(last > 0, last, 1.0), 0.0) * missing[:, None]
    ends[:, -1] = missing
    ends = np.floor(ends + rng.random((len(ends), 1)))
    up = np.diff(ends, axis=1, prepend=0.0)
    found = np.empty_like(down)
    found[:, order] = down + up
    return np.asarray(found, dtype=np.int64)


def flat(codes: list[np.ndarray], sizes: list[int], rows: int) -> np.ndarray:
    found = np.zeros(rows, dtype=np.int64)
    for column, size in zip(codes, sizes, strict=True):
        found = found * size + column
    return found
