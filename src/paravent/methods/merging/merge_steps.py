"""Merges told one by one: which classes joined, at what cost, and what their rows then read."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from paravent.hierarchy.axis import Axis
from paravent.kernels import Merges
from paravent.methods.labelling import tree_cells
from paravent.methods.trace import Change, Step
from paravent.published.by_class import Labels


def merge_steps(
    axes: tuple[Axis, ...], of_row: np.ndarray, merges: Merges, count: int, cells: dict[str, Labels], left: np.ndarray
) -> Iterator[Step]:
    """The first `count` merges of rows that begin in the classes `of_row`. `left` is the class of each row at the end
    (−1: left out), and `cells` what classes are published as: where rows are left out, the others are labelled anew."""
    n = int(of_row.max()) + 1
    low, high = ([_ends(axis, of_row, merges, count, least) for axis in axes] for least in (True, False))
    labels = [tree_cells(axis, a, b) for axis, a, b in zip(axes, low, high, strict=True)]
    order = np.argsort(of_row, kind="stable")
    members = dict(enumerate(np.split(order, np.searchsorted(of_row[order], np.arange(1, n)))))
    for t in range(count):
        one, other = members.pop(int(merges.left[t])), members.pop(int(merges.right[t]))
        rows = members[n + t] = np.concatenate([one, other])
        changes = tuple(
            Change(axis.name, own.labels[own.codes[n + t]], 0, len(axis) - 1, rows)
            for axis, own in zip(axes, labels, strict=True)
        )
        small, large = sorted((len(one), len(other)))
        words = f"A class of {small} joined one of {large}: together they have {small + large} rows."
        yield Step(words, {"cost": float(merges.cost[t])}, changes)
    gone = np.flatnonzero(left < 0)
    if len(gone):
        again = tuple(
            Change(axis.name, cells[axis.name].labels[cells[axis.name].codes[c]], 0, len(axis) - 1, rows)
            for c, rows in _by_class(left)
            for axis in axes
        )
        words = f"{len(gone)} rows are left out, and the classes that they had widened are labelled anew."
        yield Step(words, {"suppressed": len(gone)}, again, gone)


def _ends(axis: Axis, of_row: np.ndarray, merges: Merges, count: int, least: bool) -> np.ndarray:
    """The lowest (or highest) code of every class, the starting ones and those that merges make."""
    n = int(of_row.max()) + 1
    found = np.empty(n + count, dtype=np.int32)
    found[:n] = axis.codes[np.unique(of_row, return_index=True)[1]]
    for t in range(count):
        ends = found[merges.left[t]], found[merges.right[t]]
        found[n + t] = min(ends) if least else max(ends)
    return found


def _by_class(of_row: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    order = np.argsort(of_row, kind="stable")
    numbers, first = np.unique(of_row[order], return_index=True)
    for number, rows in zip(numbers.tolist(), np.split(order, first[1:]), strict=True):
        if number >= 0:
            yield number, rows
