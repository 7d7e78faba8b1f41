"""Loss: how much of each quasi-identifier's detail is gone (NCP per cell, GCP over the table).

A cell that may stand for several values costs the span it covers: (high − low) / (max − min) for numbers and dates,
(values covered − 1) / (values − 1) for categories, counted over values that occur. Suppressed cells, and all cells of
dropped rows and columns, cost 1 (Xu et al. 2006; Ghinita et al. 2007). A value that a class shares in place of others
(an average, a median, a mode) costs what a label for all that it replaces would: it tells no more than that. Rows that
a sample leaves out on purpose are not counted: that costs precision of estimates, which statistics show, and no detail.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from paravent.measures import Absent, Measure
from paravent.utility.family import family
from paravent.utility.reading import Reading
from paravent.utility.subject import Subject
from paravent.utility.unchanged import unchanged


@family
def loss(subject: Subject) -> Iterator[Measure | Absent]:
    unknown = [reading.axis.name for reading in subject.readings if _unknown(reading, subject)]
    if unknown:
        why = "values stand for others, and nobody knows for which: rows cannot be matched with the original."
        yield from (Absent(name, why) for name in ("utility.gcp", *(f"utility.loss.{name}" for name in unknown)))
    known = [reading for reading in subject.readings if reading.axis.name not in unknown]
    losses = {reading.axis.name: column_loss(reading, subject) for reading in known}
    if subject.undetailed and not unknown:
        yield Absent("utility.gcp", subject.undetailed)
    yield from _losses(subject, losses)
    yield from _cells(subject)


def _losses(subject: Subject, per_column: dict[str, float]) -> Iterator[Measure]:
    """The loss of the table, where that of all columns is known and says what was lost, and of each column."""
    if not subject.undetailed and per_column and len(per_column) == len(subject.readings):
        yield from _overall(subject, per_column)
    for name, lost in per_column.items():
        yield Measure(
            f"utility.loss.{name}",
            lost,
            f"Loss in {name}",
            f"The mean loss of the cells of {name}.",
            unit="share",
        )


def _overall(subject: Subject, per_column: dict[str, float]) -> Iterator[Measure]:
    yield Measure(
        "utility.gcp",
        float(np.mean(list(per_column.values()))),
        "Loss of detail (GCP)",
        "The mean loss over all quasi-identifier cells: 0 means untouched, 1 means everything is suppressed.",
        unit="share",
    )
    weights = [axis.weight for axis in subject.axes]
    if len(set(weights)) > 1 and sum(weights) > 0:
        yield Measure(
            "utility.gcp.weighted",
            float(np.average(list(per_column.values()), weights=weights)),
            "Loss of detail, weighted",
            "The mean loss with each column counted by the weight that the plan gives it.",
            unit="share",
        )


def _cells(subject: Subject) -> Iterator[Measure]:
    cells = subject.n_asked * len(subject.axes)
    if cells == 0:
        return
    dropped = (subject.n_asked - subject.released.height) * len(subject.axes)
    blank = sum(int(reading.counts[reading.blank].sum()) for reading in subject.readings)
    if subject.kept is not None:
        changed = sum(_changed(reading, subject) for reading in subject.readings)
        yield Measure(
            "utility.cells.changed",
            (changed + dropped) / cells,
            "Cells changed",
            "The share of quasi-identifier cells that no longer show exactly their original value.",
            unit="share",
        )
    yield Measure(
        "utility.cells.suppressed",
        (blank + dropped) / cells,
        "Cells suppressed",
        "The share of quasi-identifier cells that say nothing any more: starred, emptied, or dropped with their row.",
        unit="share",
    )


def _changed(reading: Reading, subject: Subject) -> int:
    """How many released cells do not show their original value."""
    if reading.axis.name in subject.treated and reading.axis.name in subject.released.columns:
        return int((~unchanged(subject, reading.axis.name)).sum())
    pairs = subject.pairs_of(reading)
    return int(pairs.count[reading.differs(pairs.label, pairs.rank)].sum())


def column_loss(reading: Reading, subject: Subject) -> float:
    """The mean NCP of one column over all rows that were to be released."""
    if subject.n_asked == 0:
        return 0.0
    dropped = subject.n_asked - subject.released.height
    replaced = _replaced(reading, subject)
    if replaced is None:
        lost = math.fsum((reading.counts * label_costs(reading)).tolist())  # exact: the order of labels is no matter
    else:
        lost = math.fsum(replacing_costs(reading, subject, replaced).tolist())
    return (lost + dropped) / subject.n_asked


def _unknown(reading: Reading, subject: Subject) -> bool:
    """Whether cells show a value in the place of others, and nobody knows of which."""
    return subject.averages and subject.kept is None and bool((reading.moved | (reading.only >= 0)).any())


def _replaced(reading: Reading, subject: Subject) -> np.ndarray | None:
    """Which released cells show a value that is not the original one; None where there are none."""
    if subject.kept is None:
        return None
    one_value = (reading.only >= 0) | reading.moved
    if not one_value.any():
        return None
    pairs = subject.pairs_of(reading)  # how often what stands for what: rows are looked at only where something is
    if not (one_value[pairs.label] & reading.differs(pairs.label, pairs.rank)).any():
        return None
    return np.asarray(one_value[reading.codes] & reading.changed(subject.kept))


def replacing_costs(reading: Reading, subject: Subject, replaced: np.ndarray) -> np.ndarray:
    """The NCP of each released cell; in a class that shows other values than the original ones, the span of these."""
    assert subject.kept is not None
    of_row, n_classes = subject.of_row, len(subject.classes)
    concerned = np.zeros(n_classes + 1, dtype=bool)  # the last entry is class −1: placeholders
    concerned[of_row[replaced]] = True
    concerned[-1] = False
    costs = label_costs(reading)[reading.codes]
    rows = np.flatnonzero(concerned[of_row] & ~reading.never_known[reading.codes])
    owner, ranks = of_row[rows].astype(np.int64), reading.axis.codes[subject.kept[rows]]
    line = reading.axis.line
    if line is None:
        size = max(len(reading.axis), 1)
        pairs = np.unique(owner * size + ranks)
        spans = (np.bincount(pairs // size, minlength=n_classes) - 1) / max(size - 1, 1)
    else:
        low, high = np.full(n_classes, np.inf), np.full(n_classes, -np.inf)
        place = line[ranks]
        np.fmin.at(low, owner, place)
        np.fmax.at(high, owner, place)
        width = float(np.nanmax(line) - np.nanmin(line)) or 1.0
        spans = np.maximum(high - low, 0.0) / width
        spans[owner[np.isnan(place)]] = 1.0  # a missing value beside others: it may be anything
        spans[high < low] = 0.0
    costs[rows] = np.clip(spans[owner], 0.0, 1.0)
    return np.asarray(costs)


def label_costs(reading: Reading) -> np.ndarray:
    """The NCP of each distinct label of a column, by what it covers: a number in place of others covers itself."""
    if reading.bounds is None:
        costs = (reading.n_covered - 1) / max(len(reading.axis) - 1, 1)
    else:
        line, (low, high) = reading.axis.line, reading.bounds
        assert line is not None
        width = float(np.nanmax(line) - np.nanmin(line)) or 1.0
        # A missing value has no place: beside others it may be anything, by itself it is what it was.
        costs = np.where(np.isfinite(high - low), (high - low) / width, reading.n_covered != 1)
    costs = np.where(reading.blank, 1.0, np.clip(costs, 0.0, 1.0))
    return np.where(reading.never_known, 0.0, costs)
