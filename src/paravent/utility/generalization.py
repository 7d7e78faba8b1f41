"""How general the cells have become, by the trees as they were given.

A suppressed cell, and every cell of a dropped row, counts as generalized to the root; the `kept` variants leave dropped
rows out. These measures look at how much a cell may stand for, not at whether it is true: a number that was replaced
by another is as precise as before (see the statistics for what that cost).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from paravent.measures import Absent, Better, Measure
from paravent.utility.family import family
from paravent.utility.given import Given
from paravent.utility.subject import Subject


@family(labels=True)
def generalization(subject: Subject) -> Iterator[Measure | Absent]:
    if not subject.axes or subject.n_rows == 0:
        return
    given = [Given(reading) for reading in subject.readings]
    shares = [leaf_shares(column) for column in given]
    yield Measure(
        "utility.lm",
        _table(subject, [iyengar(column) for column in given]),
        "Loss metric (LM)",
        "The mean share of a column that a cell may stand for: leaves of its tree, or the interval that is written "
        "(Iyengar 2002).",
        unit="share",
    )
    yield from _with_kept(
        subject,
        [column.spans for column in given],
        "utility.genloss",
        "Generalization loss (GenILoss)",
        "The mean reach of a cell over its column, values numbered in the order of the tree: 0 untouched, 1 everything "
        "generalized to the root (Nergiz, Clifton 2007).",
    )
    yield Measure(
        "utility.granularity",
        1 - _table(subject, shares),
        "Granularity",
        "The mean share of a tree's leaves that a cell still tells apart: 1 untouched, 0 everything suppressed.",
        better="higher",
        unit="share",
    )
    lost = np.array([_column(subject, column, share) for column, share in zip(given, shares, strict=True)])
    yield Measure(
        "utility.arx_loss",
        float(np.prod(1 + lost) ** (1 / len(lost)) - 1),
        "Loss (ARX)",
        "The share of each tree's leaves that a cell covers, averaged over the rows and geometrically over the columns "
        "(ARX 3.9, Loss).",
        unit="share",
    )
    yield from _precision(subject, given)


def leaf_shares(column: Given) -> np.ndarray:
    """The share of the other leaves of its tree that each label covers too."""
    reading = column.reading
    found = (column.leaves - 1) / max(column.n_leaves - 1, 1)
    return np.where(reading.blank, 1.0, np.where(reading.never_known, 0.0, np.clip(found, 0.0, 1.0)))


def iyengar(column: Given) -> np.ndarray:
    """LM of each label: by length for numbers and dates, by leaves for all else."""
    return leaf_shares(column) if column.reading.bounds is None else column.spans


def _column(subject: Subject, column: Given, of_label: np.ndarray) -> float:
    """The mean over all rows that were to be released; the cell of a dropped row counts 1."""
    dropped = subject.n_asked - subject.released.height
    return float((np.dot(column.reading.counts, of_label) + dropped) / max(subject.n_asked, 1))


def _table(subject: Subject, of_labels: list[np.ndarray]) -> float:
    columns = zip(subject.readings, of_labels, strict=True)
    return float(np.mean([_column(subject, Given(reading), found) for reading, found in columns]))


def _kept(subject: Subject, of_labels: list[np.ndarray]) -> float:
    """The mean over the rows that are in the release and no placeholders."""
    means = [
        np.dot(subject.classes.sizes, found[labels]) / max(int(subject.classes.sizes.sum()), 1)
        for labels, found in zip(subject.class_labels, of_labels, strict=True)
    ]
    return float(np.mean(means))


def _with_kept(
    subject: Subject, of_labels: list[np.ndarray], name: str, title: str, meaning: str, *, precision: bool = False
) -> Iterator[Measure]:
    """A mean over the table, and where rows were suppressed a second one without them; 1 − the loss for precision."""
    better: Better = "higher" if precision else "lower"
    sign = -1 if precision else 1
    yield Measure(name, precision + sign * _table(subject, of_labels), title, meaning, better=better, unit="share")
    if subject.n_suppressed:
        yield Measure(
            f"{name}.kept",
            precision + sign * _kept(subject, of_labels),
            f"{title}, kept rows",
            f"{meaning.rstrip('.')}; suppressed rows are left out.",
            better=better,
            unit="share",
        )


def _precision(subject: Subject, given: list[Given]) -> Iterator[Measure | Absent]:
    bare = [column.reading.axis.name for column in given if column.tree is None]
    if bare:
        yield Absent("utility.prec", f"{_named(bare)} no tree, so there are no levels to count.")
        return
    heights = [
        np.where(column.reading.blank, 1.0, np.where(column.reading.never_known, 0.0, column.heights / column.top))
        for column in given
    ]
    yield from _with_kept(
        subject,
        heights,
        "utility.prec",
        "Precision (PREC)",
        "1 minus the mean share of the levels of its tree that a cell was climbed: 1 untouched, 0 everything at the "
        "root (Sweeney 2002).",
        precision=True,
    )


def _named(columns: list[str]) -> str:
    """
    >>> _named(["age"]), _named(["age", "zip"])
    ("column 'age' has", "columns 'age', 'zip' have")
    """
    names = ", ".join(map(repr, columns))
    return f"column {names} has" if len(columns) == 1 else f"columns {names} have"
