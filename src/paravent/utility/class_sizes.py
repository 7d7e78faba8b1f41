"""Measures of the class sizes: many small classes keep more detail than a few large ones."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from paravent.measures import Measure
from paravent.utility.family import family
from paravent.utility.subject import Subject


@family
def class_sizes(subject: Subject) -> Iterator[Measure]:
    sizes = subject.classes.sizes.astype(np.int64)
    yield Measure(
        "utility.classes",
        len(sizes),
        "Classes",
        "The number of groups of rows that share all their quasi-identifiers; more groups keep more detail.",
        better="higher",
        unit="count",
    )
    people, counted = subject.people.sizes, "rows" if subject.persons is None else "different people"
    if len(sizes):
        for name, value, title in (
            ("min", int(people.min()), "Smallest class"),
            ("median", float(np.median(people)), "Median class"),
            ("mean", float(people.mean()), "Mean class"),
            ("max", int(people.max()), "Largest class"),
        ):
            yield Measure(
                f"utility.class_size.{name}",
                value,
                title,
                f"The {_WORDS[name]} number of {counted} in a class.",
                better="neither",
            )
    yield from _discernability(subject, sizes)
    yield from _average(subject, sizes)
    yield from _ambiguity(subject, sizes)


_WORDS = {"min": "smallest", "median": "median", "mean": "mean", "max": "largest"}


def _discernability(subject: Subject, sizes: np.ndarray) -> Iterator[Measure]:
    squares = int(np.dot(sizes, sizes))
    yield Measure(
        "utility.dm",
        squares + subject.n_suppressed * subject.n_asked,
        "Discernability (DM)",
        "Every row is charged the size of its class, every suppressed row the whole table (Bayardo, Agrawal 2005).",
        unit="count",
    )
    if subject.n_suppressed:
        yield Measure(
            "utility.dm.kept",
            squares,
            "Discernability of the kept rows",
            "The sum of squared class sizes alone; suppressed rows are not charged.",
            unit="count",
        )


def _average(subject: Subject, sizes: np.ndarray) -> Iterator[Measure]:
    if subject.k is None or len(sizes) == 0:
        return
    yield Measure(
        "utility.cavg",
        subject.n_rows / len(sizes) / subject.k,
        "Average class size over k (C_AVG)",
        "How much larger than necessary the classes are, counted over the rows of the original; 1 is ideal.",
    )
    if subject.n_suppressed:
        yield Measure(
            "utility.cavg.kept",
            int(sizes.sum()) / len(sizes) / subject.k,
            "Average class size over k, kept rows",
            "How much larger than necessary the classes are, counted over the kept rows; 1 is ideal.",
        )


def _ambiguity(subject: Subject, sizes: np.ndarray) -> Iterator[Measure]:
    """The rows that each row might be: the product of what its cells cover. Counted in logarithms, so that ten columns
    of a thousand values do not overflow on the way."""
    if not subject.axes or subject.n_rows == 0:
        return
    everything = float(np.prod([len(axis) for axis in subject.axes], dtype=np.float64))
    per_row = float(np.dot(sizes, np.exp(log_area(subject)))) + subject.n_suppressed * everything
    yield Measure(
        "utility.ambiguity",
        per_row / subject.n_rows,
        "Ambiguity (AM)",
        "How many different original rows a released row may stand for, on average; 1 is untouched (Nergiz, Clifton "
        "2007).",
        bounds=(1.0, everything),
    )


def log_area(subject: Subject) -> np.ndarray:
    """The logarithm of the number of original combinations that each class covers."""
    total = np.zeros(len(subject.classes))
    for reading, labels in zip(subject.readings, subject.class_labels, strict=True):
        covered = np.where(reading.never_known, 1, np.maximum(reading.n_covered, 1))
        total += np.log(covered)[labels]
    return total
