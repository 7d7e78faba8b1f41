"""Groups of rows on their way to a release: cut into blocks, given their leftovers, merged until the models hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from paravent.errors import InfeasibleError
from paravent.kernels.micro import Measure, MicroColumn
from paravent.methods.class_judge import ClassJudge
from paravent.methods.method import Task


def _average(column: MicroColumn, rows: np.ndarray) -> float:
    """The lower median of an order, the most frequent of names (the lowest code of equals), over some rows."""
    counts = np.bincount(column.codes[rows], minlength=len(column.places))
    if column.measure is Measure.ORDER:
        return float(column.places[int(np.flatnonzero(2 * np.cumsum(counts) >= len(rows))[0])])
    return float(np.argmax(counts))


def _distances(columns: Sequence[MicroColumn], rows: np.ndarray, point: list[float]) -> np.ndarray:
    """The squared distance of each of some rows to a point."""
    total = np.zeros(len(rows))
    for column, at in zip(columns, point, strict=True):
        values = column.values[rows]
        if column.measure <= Measure.ORDER:
            total += (values - at) ** 2
        elif column.measure is Measure.NAME:
            total += np.where(values != at, column.weight, 0.0)
        else:
            total += column.table[int(at), values.astype(np.int64)]
    return total


def least_size(task: Task) -> int:
    """How many rows a group needs at least, whatever is in it."""
    return min(task.least_size, task.n_rows)


def median_blocks(columns: Sequence[MicroColumn], rows: np.ndarray, most: int) -> list[np.ndarray]:
    """The rows in blocks of at most so many: halved at the median of the column of widest reach, again and again."""
    blocks, open_ = [], [rows]
    while open_:
        rows = open_.pop()
        if len(rows) <= most:
            blocks.append(rows)
            continue
        reach = [
            float(np.ptp(c.values[rows]))
            if c.measure <= Measure.ORDER
            else float(np.ptp(c.values[rows]) > 0) * c.weight**0.5
            for c in columns
        ]
        values = columns[int(np.argmax(reach))].values[rows]
        order = np.argsort(values, kind="stable")
        middle = len(rows) // 2
        open_ += [rows[np.sort(order[middle:])], rows[np.sort(order[:middle])]]
    return blocks


def part(columns: Sequence[MicroColumn], rows: np.ndarray) -> list[MicroColumn]:
    """The columns of some rows alone."""
    return [
        MicroColumn(c.measure, c.values[rows], c.weight, c.codes[rows] if len(c.codes) else c.codes, c.places, c.table)
        for c in columns
    ]


def with_leftovers(columns: Sequence[MicroColumn], of_row: np.ndarray, n_classes: int) -> np.ndarray:
    """Rows without a group (−1) join the group of the nearest average, the first of equals."""
    left = np.flatnonzero(of_row < 0)
    if not len(left):
        return of_row
    centres = group_columns(columns, of_row, n_classes)
    everybody, found = np.arange(n_classes), of_row.copy()
    for row in left.tolist():
        found[row] = int(np.argmin(_distances(centres, everybody, [float(c.values[row]) for c in columns])))
    return found


def group_columns(columns: Sequence[MicroColumn], of_row: np.ndarray, n_classes: int) -> list[MicroColumn]:
    """The averages of groups, as columns of their own."""
    placed = of_row >= 0
    rows, owner = np.flatnonzero(placed), of_row[placed]
    order = rows[np.argsort(owner, kind="stable")]
    ends = np.cumsum(np.bincount(owner, minlength=n_classes))
    found = []
    for column in columns:
        if column.measure is Measure.LINE:
            values = np.bincount(owner, weights=column.values[rows], minlength=n_classes) / np.diff(ends, prepend=0)
        else:
            members = np.split(order, ends[:-1])
            values = np.array([_average(column, those) for those in members])
        codes = values.astype(np.int32) if column.measure >= Measure.NAME else column.codes[:0]
        found.append(MicroColumn(column.measure, values, column.weight, codes, column.places, column.table))
    return found


def merged_until_safe(
    task: Task, columns: Sequence[MicroColumn], of_row: np.ndarray, n_classes: int
) -> tuple[np.ndarray, int]:
    """Groups in which a model fails join the nearest other group, the first such group first, until every model holds.

    Any model can be asked for in this way (Soria-Comas et al. 2015 for t-closeness). The nearest group is that of the
    nearest average; of equals the first.
    """
    if task.k_alone:
        return of_row, n_classes
    judge = ClassJudge(task, of_row, n_classes)
    centres = group_columns(columns, of_row, n_classes)
    values = [column.values.copy() for column in centres]
    sizes = np.bincount(of_row, minlength=n_classes).astype(np.float64)
    alive, failing = np.ones(n_classes, dtype=bool), judge.failing.copy()
    number, now = np.arange(n_classes), np.arange(n_classes)  # the judge's number of each group; the group of each
    made = n_classes
    while failing.any():
        one = int(np.flatnonzero(failing)[0])
        others = np.flatnonzero(alive & (np.arange(n_classes) != one))
        if not len(others):
            raise InfeasibleError(
                "the models fail even where all rows are one group. Ask for less, or leave out the model that fails."
            )
        moved = [
            MicroColumn(
                c.measure, v, c.weight, c.codes if c.measure < Measure.NAME else v.astype(np.int32), c.places, c.table
            )
            for c, v in zip(centres, values, strict=True)
        ]
        other = int(others[np.argmin(_distances(moved, others, [float(v[one]) for v in values]))])
        holds = judge(int(number[one]), int(number[other]))
        kept, gone = min(one, other), max(one, other)
        for column, v in zip(centres, values, strict=True):
            if column.measure is Measure.LINE:
                v[kept] = (v[kept] * sizes[kept] + v[gone] * sizes[gone]) / (sizes[kept] + sizes[gone])
            elif sizes[gone] > sizes[kept]:
                v[kept] = v[gone]
        sizes[kept] += sizes[gone]
        alive[gone] = failing[gone] = False
        failing[kept] = not holds
        number[kept] = made
        made += 1
        now[now == gone] = kept
    renumber = np.cumsum(alive) - 1
    return renumber[now][of_row].astype(np.int32), int(alive.sum())


def by_own_k(
    own: np.ndarray, least: int, group: Callable[[np.ndarray, int], tuple[np.ndarray, int]]
) -> tuple[np.ndarray, int]:
    """Groups of rows that each ask for a k of their own: rows of one k together, from the largest k down; where fewer
    than k rows ask for it, they go with those of the next smaller k, all of them in groups of the larger one."""
    asked = np.maximum(own, least)
    strata: list[tuple[int, np.ndarray]] = []
    waiting, strictest = np.zeros(0, dtype=np.int64), 0
    for k in np.unique(asked)[::-1].tolist():
        waiting = np.sort(np.concatenate([waiting, np.flatnonzero(asked == k)]))
        strictest = max(strictest, int(k))
        if len(waiting) >= strictest:
            strata.append((strictest, waiting))
            waiting, strictest = np.zeros(0, dtype=np.int64), 0
    if len(waiting):
        if not strata:
            raise InfeasibleError(f"a row asks for groups of {strictest}, but there are only {len(own)} rows.")
        k, rows = strata.pop()
        strata.append((max(k, strictest), np.sort(np.concatenate([rows, waiting]))))
    of_row, count = np.full(len(own), -1, dtype=np.int32), 0
    for k, rows in strata:
        found, groups = group(rows, k)
        of_row[rows] = found + count
        count += groups
    return of_row, count
