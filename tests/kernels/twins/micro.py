"""The twin of cpp/micro_impl.hpp: MDAV and V-MDAV as they are published, every distance computed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from paravent.kernels.micro import UNIT, Measure, MicroColumn


def mdav_twin(
    columns: Sequence[MicroColumn],
    *,
    k: int,
    gain: float | None = None,
    watch: Callable[[float], None] | None = None,
) -> tuple[np.ndarray, int]:
    """The group of each row, and how many groups."""
    rows = len(columns[0].values)
    of_row = np.full(rows, -1, dtype=np.int32)
    left = np.arange(rows)
    count = 0

    def gather(row: int, left: np.ndarray) -> np.ndarray:
        """The row and its k − 1 nearest become a group; what is left."""
        nonlocal count
        near = np.lexsort((left, distances(columns, left, at_row(columns, row))))[:k]
        of_row[left[near]] = count
        count += 1
        return np.delete(left, near)

    if gain is not None:
        return _variable(columns, of_row, k, gain)
    while len(left) >= 3 * k:
        if watch is not None:
            watch(1 - (len(left) / rows) ** 2)
        outer = farthest(columns, left, average(columns, left))
        left = gather(outer, left)
        left = gather(farthest(columns, left, at_row(columns, outer)), left)
    if len(left) >= 2 * k:
        left = gather(farthest(columns, left, average(columns, left)), left)
    if len(left):
        of_row[left] = count
        count += 1
    return of_row, count


def _variable(columns: Sequence[MicroColumn], of_row: np.ndarray, k: int, gain: float) -> tuple[np.ndarray, int]:
    everybody = np.arange(len(of_row))
    if not len(of_row):
        return of_row, 0
    outside_in = np.lexsort((everybody, -distances(columns, everybody, average(columns, everybody))))
    count = 0
    for outer in outside_in.tolist():
        left = np.flatnonzero(of_row < 0)
        if len(left) < k:
            break
        if of_row[outer] >= 0:
            continue
        members = left[np.lexsort((left, distances(columns, left, at_row(columns, outer))))[:k]].tolist()
        of_row[members] = count
        while len(members) < 2 * k - 1:
            left = np.flatnonzero(of_row < 0)
            if not len(left):
                break
            to_group = np.min([distances(columns, left, at_row(columns, member)) for member in members], axis=0)
            at = int(np.lexsort((left, to_group))[0])
            others = np.delete(left, at)
            beside = distances(columns, others, at_row(columns, int(left[at])))
            out = float(np.sqrt(beside.min())) if len(others) else np.inf
            if not np.sqrt(to_group[at]) < gain * out:
                break
            of_row[left[at]] = count
            members.append(int(left[at]))
        count += 1
    return of_row, count


def at_row(columns: Sequence[MicroColumn], row: int) -> list[float]:
    return [float(column.values[row]) for column in columns]


def average(columns: Sequence[MicroColumn], rows: np.ndarray) -> list[float]:
    """The mean of a line, the lower median of an order, the most frequent of names."""
    found = []
    for column in columns:
        if column.measure is Measure.LINE:
            total = int((column.values[rows] / UNIT).astype(np.int64).sum())
            found.append(float(total) * UNIT / len(rows))
            continue
        counts = np.bincount(column.codes[rows], minlength=len(column.places))
        if column.measure is Measure.ORDER:
            found.append(float(column.places[int(np.flatnonzero(2 * np.cumsum(counts) >= len(rows))[0])]))
        else:
            found.append(float(np.argmax(counts)))
    return found


def distances(columns: Sequence[MicroColumn], rows: np.ndarray, point: list[float]) -> np.ndarray:
    """The squared distance of each row to a point, summed column by column."""
    total = np.zeros(len(rows))
    for column, at in zip(columns, point, strict=True):
        values = column.values[rows]
        if column.measure <= Measure.ORDER:
            total += (values - at) * (values - at)
        elif column.measure is Measure.NAME:
            total += np.where(values != at, column.weight, 0.0)
        else:
            total += column.table[int(at), column.codes[rows]]
    return total


def farthest(columns: Sequence[MicroColumn], rows: np.ndarray, point: list[float]) -> int:
    return int(rows[np.argmax(distances(columns, rows, point))])  # rows ascend: the lowest of equals


def shortest_cuts_twin(points: np.ndarray, k: int) -> np.ndarray:
    rows = len(points)
    zero = np.zeros((1, points.shape[1]))
    sums = np.concatenate([zero, np.cumsum(points, axis=0)])
    cost, before = np.full(rows + 1, np.inf), np.zeros(rows + 1, dtype=np.int64)
    cost[0] = 0.0
    for end in range(k, rows + 1):
        begins = np.arange(max(0, end - 2 * k + 1), end - k + 1)
        parts = sums[end] - sums[begins]
        squares = np.zeros(len(begins))
        for j in range(points.shape[1]):
            squares += parts[:, j] * parts[:, j]
        found = cost[begins] - squares / (end - begins)
        best = int(np.argmin(found))
        cost[end], before[end] = found[best], begins[best]
    of_row = np.zeros(rows, dtype=np.int32)
    ends, end = [], rows
    while end:
        ends.append(end)
        end = int(before[end])
    for number, (start, stop) in enumerate(zip([0, *ends[:0:-1]], ends[::-1], strict=True)):
        of_row[start:stop] = number
    return of_row
