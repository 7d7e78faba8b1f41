"""Regression: how well a number is told by the class of its row, as CM asks of names."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from paravent.errors import PlanError
from paravent.measures import Absent, Measure
from paravent.near import suggest
from paravent.utility.family import Study, on_request
from paravent.utility.subject import Subject


@on_request
def regression(subject: Subject, study: Study) -> Iterator[Measure | Absent]:
    """The share of a number's variance that is left when every row is guessed by the mean of the others of its class.

    A row that is suppressed or alone in its class is guessed by the mean of the table.
    """
    if study.target is None:
        raise PlanError("measure: regression needs a column of numbers to predict. Name it with target= (--target).")
    name = f"utility.regression.{study.target}"
    found = _numbers(subject, study.target)
    if isinstance(found, str):
        yield Absent(name, found)
        return
    yield Measure(
        name,
        unexplained(found, _class_of_original(subject)),
        f"Share of {study.target} that classes do not tell",
        f"The squared error of guessing {study.target} by the mean of the other rows of a class, as a share of its "
        "variance: 0 where classes tell it, 1 where they say no more than the whole table.",
        unit="share",
    )


def unexplained(numbers: np.ndarray, of_row: np.ndarray) -> float:
    """The squared error of the mean of the others of a class (−1: none), over that of the mean of all.

    >>> round(unexplained(np.array([1.0, 1.0, 5.0, 5.0]), np.array([0, 0, 1, 1])), 3)
    0.0
    >>> unexplained(np.array([1.0, 5.0]), np.array([-1, -1]))
    1.0
    """
    known = np.isfinite(numbers)
    numbers, of_row = numbers[known], of_row[known]
    apart = numbers - numbers.mean()
    total = float((apart**2).sum())
    _, codes, sizes = np.unique(of_row, return_inverse=True, return_counts=True)
    inside = numbers - (np.bincount(codes, numbers) / sizes)[codes]
    size = sizes[codes]
    others = inside * size / np.maximum(1, size - 1)  # from the mean of the others: a row does not guess itself
    error = np.where((of_row < 0) | (size < 2), apart, others)
    return float((error**2).sum()) / total


def _numbers(subject: Subject, target: str) -> np.ndarray | str:
    """The numbers of the original's rows, or why there are none to be guessed."""
    if subject.original is None:
        return "the original table with its column to predict is not at hand."
    if target not in subject.original.columns:
        raise PlanError(f"measure: the table has no column {target!r}. {suggest(target, subject.original.columns)}")
    if subject.undetailed:
        return subject.undetailed
    if subject.synthetic or subject.kept is None:
        return "nobody knows which row of the release stands for which row of the original."
    cells = subject.original[target]
    if not cells.dtype.is_numeric():
        return f"column {target!r} holds no numbers."
    numbers = cells.cast(pl.Float64).to_numpy()
    known = numbers[np.isfinite(numbers)]
    return numbers if len(known) > 1 and np.ptp(known) > 0 else f"column {target!r} holds one number alone."


def _class_of_original(subject: Subject) -> np.ndarray:
    of_row = np.full(subject.n_rows, -1, dtype=np.int64)
    if subject.kept is not None:
        of_row[subject.kept] = subject.of_row
    return of_row
