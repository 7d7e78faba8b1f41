"""Membership: whether it can be told that somebody is in the table, where columns do not stand together.

In a sliced bucket the parts of its rows can be put together in many ways, and most of them are nobody. Where all
quasi-identifiers stand together, every way is somebody (Li et al. 2012, §5).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from paravent.measures import Measure
from paravent.privacy.grouping import group_rows
from paravent.utility.family import family
from paravent.utility.subject import Subject


@family
def membership(subject: Subject) -> Iterator[Measure]:
    if not subject.parts or subject.kept is None or not len(subject.parts[0].bucket):
        return
    yield Measure(
        "risk.membership.real",
        real_share(subject),
        "Combinations that fit a bucket and are somebody's",
        "Of the combinations of quasi-identifiers that can be put together in a bucket, the share that its rows have: "
        "how sure one can be that somebody who fits is in the table.",
        unit="share",
    )


def real_share(subject: Subject) -> float:
    """Σ combinations that rows of a bucket have / Σ combinations of its parts."""
    assert subject.kept is not None
    real = ~subject.placeholder
    possible = np.ones(int(subject.parts[0].bucket.max()) + 1)
    for part in subject.parts:
        labels = [reading.codes[real] for reading in subject.readings if reading.axis.name in part.names]
        if part.first and labels:
            possible *= _distinct(part.bucket, labels, len(possible))
    bucket = next(part.bucket for part in subject.parts if part.first)
    rows = subject.kept[real]
    had = _distinct(bucket, [axis.codes[rows] for axis in subject.axes], len(possible))
    return float(had.sum() / possible.sum())


def _distinct(bucket: np.ndarray, columns: list[np.ndarray], n_buckets: int) -> np.ndarray:
    """How many different rows each bucket has."""
    of_row, count = group_rows([bucket, *columns], len(bucket))
    home = np.zeros(count, dtype=np.int64)
    home[of_row] = bucket
    return np.bincount(home, minlength=n_buckets)
