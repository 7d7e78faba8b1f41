"""How far the distribution of each column has moved, as somebody with nothing but the release sees it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from paravent.measures import Measure
from paravent.utility.family import family
from paravent.utility.reading import Reading
from paravent.utility.subject import Subject


@family
def distributions(subject: Subject) -> Iterator[Measure]:
    if not len(subject.classes):
        return
    for reading in subject.readings:
        name = reading.axis.name
        yield Measure(
            f"utility.shift.{name}",
            shift(reading, ~subject.placeholder),
            f"Shift of {name}",
            f"The share of rows that would have to move to give {name} its old distribution.",
            unit="share",
        )


def shift(reading: Reading, rows: np.ndarray) -> float:
    """The total variation distance between a column and its release."""
    before = np.bincount(reading.axis.codes, minlength=len(reading.axis))
    after = reading.spread(rows)
    return float(np.abs(before / before.sum() - after / after.sum()).sum() / 2)
