"""How far the distribution of each column has moved, as somebody with nothing but the release sees it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from paravent.measures import Measure
from paravent.table.text import as_text
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
            shift(reading, ~subject.placeholder, _treated(reading, subject)),
            f"Shift of {name}",
            f"The share of rows that would have to move to give {name} its old distribution.",
            unit="share",
        )


def _treated(reading: Reading, subject: Subject) -> pl.Series | None:
    """The original cells of a column that treatments have changed."""
    if reading.axis.name not in subject.treated or subject.original is None:
        return None
    return subject.original[reading.axis.name].alias("cells")


def shift(reading: Reading, rows: np.ndarray, original: pl.Series | None = None) -> float:
    """The total variation distance between a column and its release; between its `original` and the release where what
    the release was made of is not the original any more."""
    after = reading.spread(rows)
    if original is None:
        before = np.bincount(reading.axis.codes, minlength=len(reading.axis)).astype(np.float64)
    else:
        known = {value: place for place, value in enumerate(reading.axis.values)}
        counts = as_text(original).drop_nulls().value_counts()
        before = np.zeros(len(after) + 1)  # the last entry: values that no released cell stands for
        for value, count in counts.iter_rows():
            before[known.get(value, -1)] += count
        after = np.append(after, 0.0)
    return float(np.abs(before / before.sum() - after / after.sum()).sum() / 2)
