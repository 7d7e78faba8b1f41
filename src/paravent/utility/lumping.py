"""Distributions that may be shown: bars of aggregated people, none of them about fewer people than allowed.

A report is handed on. Values that only a few people hold are lumped together, numbers are binned between round
bounds, and the outermost bins are left open so that no extreme value of one person shows. The groups of a tree stand
for values that are too many only where the labels of the groups name no rare value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from paravent.hierarchy.axis import MISSING_LABEL, Axis
from paravent.privacy.model import Model
from paravent.utility.bins import bins_of

MOST_BARS = 16


def smallest_group(models: Iterable[Model], reached: int) -> int:
    """People below whom nothing that is shown may be about: five, or more where no smaller class can satisfy the
    models. Where none of them is about the size of classes, the smallest that was reached."""
    asked = tuple(models)
    least = max((model.least_size for model in asked), default=1)
    return max(5, least) if any(model.size_only for model in asked) else max(5, least, reached)


@dataclass(frozen=True)
class Bar:
    """One bar of a distribution: how many original rows it stands for, how many released ones (expected), how many
    people at least, where that is not the number of rows, and the codes of the values that it stands for."""

    label: str
    before: float
    after: float
    held: float | None = None
    values: tuple[int, ...] = field(default=(), repr=False)

    @property
    def people(self) -> float:
        return self.before if self.held is None else self.held


def distribution(
    axis: Axis,
    after: np.ndarray,
    *,
    fewest: int,
    persons: np.ndarray | None = None,
    original: pl.Series | None = None,
    shows: Callable[[Sequence[str]], bool] = lambda _: True,
) -> list[Bar]:
    """The column before and after, in at most `MOST_BARS` bars or so, each about `fewest` people or more before.

    `after` is the expected number of released rows of each value, `persons` whose each original row is (None: rows are
    people), `original` the column itself: a value that only stands in for a missing one is held by nobody. `shows` says
    whether labels of a tree may be shown. An empty list means that too few people are in the table to show anything.
    """
    if original is not None and original.null_count():
        there = original.is_not_null().to_numpy() | (np.array(axis.values)[axis.codes] == MISSING_LABEL)
        axis = replace(axis, codes=axis.codes[there], unknown=None)
        persons = None if persons is None else persons[there]
    everybody = len(axis.codes) if persons is None else len(np.unique(persons))
    if everybody < fewest:
        return []
    before = np.bincount(axis.codes, minlength=len(axis))
    line = axis.line
    if line is not None:
        return binned(axis, line, before, after, fewest, persons)
    labels, of_value = _readable(axis, shows)
    before, after = (np.bincount(of_value, weights=rows, minlength=len(labels)) for rows in (before, after))
    held = held_by(of_value[axis.codes], len(labels), persons)
    bars = [Bar(*four) for four in zip(labels, before.tolist(), after.tolist(), held, strict=True)]
    return lump(bars, fewest=fewest, most=MOST_BARS, keep_order=axis.kind.is_ordered)


def lump(bars: Sequence[Bar], *, fewest: int, most: int, keep_order: bool = False) -> list[Bar]:
    """Keep the largest bars; the others, and all that are too small, become one bar that is large enough.

    >>> bars = [Bar("a", 50, 50), Bar("b", 3, 2), Bar("c", 9, 10), Bar("d", 7, 7)]
    >>> [(bar.label, bar.before) for bar in lump(bars, fewest=5, most=9)]
    [('a', 50), ('c', 9), ('2 others', 10)]
    """
    by_size = sorted(range(len(bars)), key=lambda i: (-bars[i].before, i))
    shown = [i for i in by_size if bars[i].people >= fewest]
    if len(shown) + (len(shown) < len(bars)) > most:
        shown = shown[: most - 1]
    hidden = [i for i in by_size if i not in set(shown)]
    while hidden and shown and _together([bars[i] for i in hidden]).people < fewest:
        hidden.append(shown.pop())  # else the rest could be worked out to be too few people
    if keep_order:
        shown.sort()
    result = [bars[i] for i in shown]
    if hidden:
        result.append(_together([bars[i] for i in hidden], "all values" if not shown else f"{len(hidden)} others"))
    return result


def _together(bars: Sequence[Bar], label: str = "") -> Bar:
    return Bar(
        label,
        sum(bar.before for bar in bars),
        sum(bar.after for bar in bars),
        None if bars[0].held is None else max(bar.people for bar in bars),  # they may be the same people
        tuple(value for bar in bars for value in bar.values),
    )


def held_by(of_row: np.ndarray, width: int, persons: np.ndarray | None) -> list[float | None]:
    """How many people hold each of `width` values; None where rows are people."""
    if persons is None:
        return [None] * width
    pairs = np.unique(np.stack([of_row, persons.astype(np.int64)]), axis=1)
    return list(np.bincount(pairs[0], minlength=width).astype(float).tolist())


def _readable(axis: Axis, shows: Callable[[Sequence[str]], bool]) -> tuple[Sequence[str], np.ndarray]:
    """The values, or where they are too many the groups of the lowest level of their tree that are few enough."""
    if axis.tree is not None and len(axis) > MOST_BARS:
        for level in axis.tree.levels[1:]:
            if 2 <= len(level.labels) <= MOST_BARS and shows(level.labels):
                return level.labels, level.codes
    return axis.values, np.arange(len(axis))


def binned(
    axis: Axis, line: np.ndarray, before: np.ndarray, after: np.ndarray, fewest: int, persons: np.ndarray | None
) -> list[Bar]:
    """The column in bins between round bounds, each about `fewest` people or more before; `line` is where its values
    lie."""
    placed = np.isfinite(line)
    bars: list[Bar] = []
    if placed.any():
        bins = bins_of(axis.kind, line[placed], before[placed])
        at = bins.index(line[placed])
        counted = np.bincount(at, weights=before[placed], minlength=len(bins))
        expected = np.bincount(at, weights=after[placed], minlength=len(bins))
        bin_of = np.full(len(line), len(bins))
        bin_of[placed] = at
        held = held_by(bin_of[axis.codes], len(bins) + 1, persons)
        within = [tuple(np.flatnonzero(bin_of == i).tolist()) for i in range(len(bins))]
        single = [Bar("", *four) for four in zip(counted.tolist(), expected.tolist(), held[:-1], within, strict=True)]
        for low, high in _wide_enough(single, fewest):
            bars.append(_together(single[low:high], bins.label(low, high)))
    of_value = held_by(axis.codes, len(axis), persons)
    for i in np.flatnonzero(~placed).tolist():  # values without a place, such as a missing one kept as a value
        if before[i] or after[i]:
            bars.append(Bar(axis.values[i], float(before[i]), float(after[i]), of_value[i], (i,)))
    if all(bar.people >= fewest for bar in bars):
        return bars
    return lump(bars, fewest=fewest, most=len(bars), keep_order=True)


def _wide_enough(bins: Sequence[Bar], fewest: int) -> list[tuple[int, int]]:
    """Neighbouring bins joined, left to right, until each stretch holds `fewest`; a poor last one joins its neighbour.

    >>> _wide_enough([Bar("", count, count) for count in (9, 1, 2, 3, 8, 1)], 5)
    [(0, 1), (1, 4), (4, 6)]
    """
    stretches: list[tuple[int, int]] = []
    start = 0
    for end in range(1, len(bins) + 1):
        if _together(bins[start:end]).people >= fewest:
            stretches.append((start, end))
            start = end
    if start < len(bins):
        low = stretches.pop()[0] if stretches else 0
        stretches.append((low, len(bins)))
    return stretches
