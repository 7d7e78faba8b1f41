"""Distributions that may be shown: bars of aggregated people, none of them about fewer people than allowed.

A report is handed on. Values that only a few people hold are lumped together, numbers are binned between round
bounds, and the outermost bins are left open so that no extreme value of one person shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from paravent.methods.method import Axis
from paravent.report.bins import bins_of
from paravent.utility.reading import places

MOST_BARS = 16


@dataclass(frozen=True)
class Bar:
    """One bar of a distribution: how many original rows it stands for, and how many released ones (expected)."""

    label: str
    before: float
    after: float

    def __add__(self, other: Bar) -> Bar:
        return replace(self, before=self.before + other.before, after=self.after + other.after)


def distribution(axis: Axis, after: np.ndarray, *, fewest: int) -> list[Bar]:
    """The column before and after, in at most `MOST_BARS` bars or so, each about `fewest` people or more before.

    `after` is the expected number of released rows of each value. An empty list means that too few people are in the
    table to show anything.
    """
    before = np.bincount(axis.codes, minlength=len(axis))
    if before.sum() < fewest:
        return []
    line = places(axis)
    if line is not None:
        return _of_line(axis, line, before, after, fewest)
    labels, of_value = _readable(axis)
    before, after = (np.bincount(of_value, weights=rows, minlength=len(labels)) for rows in (before, after))
    bars = [Bar(*three) for three in zip(labels, before.tolist(), after.tolist(), strict=True)]
    return lump(bars, fewest=fewest, most=MOST_BARS, keep_order=axis.kind.is_ordered)


def lump(bars: Sequence[Bar], *, fewest: int, most: int, keep_order: bool = False) -> list[Bar]:
    """Keep the largest bars; the others, and all that are too small, become one bar that is large enough.

    >>> bars = [Bar("a", 50, 50), Bar("b", 3, 2), Bar("c", 9, 10), Bar("d", 7, 7)]
    >>> [(bar.label, bar.before) for bar in lump(bars, fewest=5, most=9)]
    [('a', 50), ('c', 9), ('2 others', 10)]
    """
    by_size = sorted(range(len(bars)), key=lambda i: (-bars[i].before, i))
    shown = [i for i in by_size if bars[i].before >= fewest]
    if len(shown) + (len(shown) < len(bars)) > most:
        shown = shown[: most - 1]
    hidden = [i for i in by_size if i not in set(shown)]
    while hidden and shown and sum(bars[i].before for i in hidden) < fewest:
        hidden.append(shown.pop())  # else the rest could be worked out to be too few people
    if keep_order:
        shown.sort()
    result = [bars[i] for i in shown]
    if hidden:
        rest = Bar("all values" if not shown else f"{len(hidden)} others", 0, 0)
        for i in hidden:
            rest = rest + bars[i]
        result.append(rest)
    return result


def _readable(axis: Axis) -> tuple[Sequence[str], np.ndarray]:
    """The values, or where they are too many the groups of the lowest level of their tree that are few enough."""
    if axis.tree is not None and len(axis) > MOST_BARS:
        for level in axis.tree.levels[1:]:
            if 2 <= len(level.labels) <= MOST_BARS:
                return level.labels, level.codes
    return axis.values, np.arange(len(axis))


def _of_line(axis: Axis, line: np.ndarray, before: np.ndarray, after: np.ndarray, fewest: int) -> list[Bar]:
    placed = np.isfinite(line)
    bars: list[Bar] = []
    if placed.any():
        bins = bins_of(axis.kind, line[placed], before[placed])
        at = bins.index(line[placed])
        counted = np.bincount(at, weights=before[placed], minlength=len(bins))
        expected = np.bincount(at, weights=after[placed], minlength=len(bins))
        for low, high in _wide_enough(counted, fewest):
            bars.append(Bar(bins.label(low, high), float(counted[low:high].sum()), float(expected[low:high].sum())))
    for i in np.flatnonzero(~placed).tolist():  # values without a place, such as a missing one kept as a value
        bars.append(Bar(axis.values[i], float(before[i]), float(after[i])))
    if all(bar.before >= fewest for bar in bars):
        return bars
    return lump(bars, fewest=fewest, most=len(bars), keep_order=True)


def _wide_enough(counts: np.ndarray, fewest: int) -> list[tuple[int, int]]:
    """Neighbouring bins joined, left to right, until each stretch holds `fewest`; a poor last one joins its neighbour.

    >>> _wide_enough(np.array([9, 1, 2, 3, 8, 1]), 5)
    [(0, 1), (1, 4), (4, 6)]
    """
    stretches: list[tuple[int, int]] = []
    start, held = 0, 0.0
    for i, count in enumerate(counts.tolist()):
        held += count
        if held >= fewest:
            stretches.append((start, i + 1))
            start, held = i + 1, 0.0
    if start < len(counts):
        low = stretches.pop()[0] if stretches else 0
        stretches.append((low, len(counts)))
    return stretches
