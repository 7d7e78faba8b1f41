"""What a group of rows is published as: the average of its values, or a label that covers them.

Numbers and dates have their mean, ordinal values their lower median or their convex median on the scale of the column
(which may be a category that does not occur), names their mode (the value of the lowest rank of equals, which is the
most frequent in the table where there is no tree). As generalizations the same groups show the interval, range or set
of their values, or their lowest common ancestor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

import numpy as np

from paravent import kernels
from paravent.hierarchy.axis import MISSING_LABEL
from paravent.methods.labelling import set_cells, span_cells, tree_cells
from paravent.methods.method import Axis
from paravent.published import Averages, ByClass, Labels, Representatives
from paravent.table.kinds import Kind

Publish = Literal["average", "interval", "ancestor"]
Median = Literal["median", "convex"]

_AT_ONCE = 1 << 22
_CALENDAR = (-719_000.0, 2_932_000.0)
"""The days of the years 1 to 9997, counted from 1970."""
_NO_SPREAD, _ROUNDING = 1e-6, 1e-13
"""Means are as good as equal when their deviation is this share of the column's, or that share of its numbers."""


def averages(
    axis: Axis,
    of_row: np.ndarray,
    n_classes: int,
    *,
    median: Median = "median",
    whole: bool = False,
    rescale: bool = False,
) -> ByClass:
    """The cells of one column as averages of its classes."""
    if axis.positions is not None:
        places = means(axis, of_row, n_classes)
        if rescale:
            places = _stretched(axis, of_row, places)
        return Averages(places, whole=whole and axis.kind is Kind.INTEGER, within=not rescale)
    if axis.kind is Kind.ORDINAL and median == "convex":
        return Representatives(_by_counts(axis, of_row, n_classes, convex_medians))
    if axis.kind is Kind.ORDINAL:
        return Representatives(_by_counts(axis, of_row, n_classes, medians))
    return Representatives(_by_counts(axis, of_row, n_classes, lambda counts: np.argmax(counts, axis=1)))


def means(axis: Axis, of_row: np.ndarray, n_classes: int) -> np.ndarray:
    """The mean of each class over the numbers that are known; nan where none is."""
    assert axis.positions is not None
    places = axis.positions[axis.codes]
    known = np.isfinite(places) if axis.unknown is None else np.isfinite(places) & ~axis.unknown
    places, owner = places[known], of_row[known]
    centre = float(places.mean()) if len(places) else 0.0  # sums of what is left lose fewer digits
    count = np.bincount(owner, minlength=n_classes)
    with np.errstate(invalid="ignore", divide="ignore"):
        found = centre + np.bincount(owner, weights=places - centre, minlength=n_classes) / count
    low, high = np.full(n_classes, np.inf), np.full(n_classes, -np.inf)
    np.minimum.at(low, owner, places)
    np.maximum.at(high, owner, places)
    return np.where(count > 0, np.clip(found, low, high), np.nan)  # rounding may not lead out of the class


def _stretched(axis: Axis, of_row: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Means stretched around the mean of the column, so that its variance is what it was. Means that differ by no more
    than rounding have nothing to stretch."""
    assert axis.positions is not None
    before, after = axis.positions[axis.codes], places[of_row]
    known = np.isfinite(before) & np.isfinite(after)
    if axis.unknown is not None:
        known &= ~axis.unknown
    before, after = before[known], after[known]
    if not len(before):
        return places
    mean, deviation = float(before.mean()), float(before.std())
    if float(after.std()) <= max(_NO_SPREAD * deviation, _ROUNDING * abs(mean)):
        return places
    offset = after - mean
    offset_mean = float(offset.mean())  # what rounding left over would be stretched too
    away = places - mean - offset_mean
    stretch = deviation / float(offset.std())
    if axis.kind is Kind.DATE:
        stretch = min(stretch, _room(axis.positions, away, mean))
    return np.asarray(mean + away * stretch)


def _room(positions: np.ndarray, away: np.ndarray, mean: float) -> float:
    """How far dates can be stretched before they leave the calendar, and times of day their day."""
    times = bool(np.nanmin(positions) >= 0 and np.nanmax(positions) < 1)
    first, last = (0.0, 1.0 - 1e-9) if times else _CALENDAR
    highest, lowest = float(np.nanmax(away)), float(np.nanmin(away))
    up = (last - mean) / highest if highest > 0 else np.inf
    down = (first - mean) / lowest if lowest < 0 else np.inf
    return min(up, down)


def medians(counts: np.ndarray) -> np.ndarray:
    """The lower median of each row of counts.

    >>> medians(np.array([[1, 1, 0, 0, 0, 0, 1]])) + 1
    array([2])
    """
    reached = np.cumsum(counts, axis=1)
    return np.asarray(np.argmax(2 * reached >= reached[:, -1:], axis=1))


def convex_medians(counts: np.ndarray) -> np.ndarray:
    """The median of the counts made convex: f*(c) = min(max f up to c, max f from c on) (Domingo-Ferrer, Torra 2005).

    >>> convex_medians(np.array([[1, 1, 0, 0, 0, 0, 1]])) + 1
    array([4])
    """
    upward = np.maximum.accumulate(counts, axis=1)
    downward = np.maximum.accumulate(counts[:, ::-1], axis=1)[:, ::-1]
    return medians(np.minimum(upward, downward))


def _by_counts(axis: Axis, of_row: np.ndarray, n_classes: int, pick: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """What `pick` takes of how often each category of the column stands in each class."""
    known = np.ones(len(of_row), dtype=bool) if axis.unknown is None else ~axis.unknown
    places, owner, width = axis.category[axis.codes[known]], of_row[known], max(len(axis.categories), 1)
    found = np.zeros(n_classes, dtype=np.int64)
    for begin, end in _spans(n_classes, max(1, _AT_ONCE // width)):
        here = (owner >= begin) & (owner < end)
        pair = (owner[here].astype(np.int64) - begin) * width + places[here]
        counts = np.bincount(pair, minlength=(end - begin) * width).reshape(end - begin, width)
        found[begin:end] = pick(counts)
    return found


def _spans(size: int, step: int) -> Iterator[tuple[int, int]]:
    for begin in range(0, size, step):
        yield begin, min(size, begin + step)


def labels(axis: Axis, of_row: np.ndarray, n_classes: int, publish: Publish) -> Labels:
    """The cells of one column as labels that cover its classes."""
    if publish == "ancestor" and axis.tree is not None:
        return tree_cells(axis, *_ends(axis.codes, of_row, n_classes))
    if axis.positions is not None:
        ordered = _along_the_line(axis)
        return span_cells(ordered, *_ends(ordered.codes, of_row, n_classes))
    if axis.kind is Kind.ORDINAL and axis.values[-1:] != (MISSING_LABEL,):
        return span_cells(axis, *_ends(axis.codes, of_row, n_classes))
    order = np.argsort(of_row, kind="stable").astype(np.int32)
    starts = np.concatenate([[0], np.cumsum(np.bincount(of_row, minlength=n_classes))]).astype(np.int64)
    return set_cells(axis, kernels.class_sets(order, starts, np.ascontiguousarray(axis.codes)))


def _ends(codes: np.ndarray, of_row: np.ndarray, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    low, high = np.full(n_classes, np.iinfo(np.int32).max, dtype=np.int32), np.zeros(n_classes, dtype=np.int32)
    np.minimum.at(low, of_row, codes)
    np.maximum.at(high, of_row, codes)
    return low, high


def _along_the_line(axis: Axis) -> Axis:
    """The axis with its ranks in the order of its places (a tree may order otherwise); a missing value stays last."""
    assert axis.positions is not None
    order = np.argsort(axis.positions, kind="stable")
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    values = tuple(axis.values[i] for i in order.tolist())
    return Axis(
        axis.name, axis.kind, rank[axis.codes], values, None, axis.positions[order], axis.weight, grid=axis.grid
    )
