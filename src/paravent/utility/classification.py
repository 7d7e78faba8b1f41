"""CM, the classification metric: how many rows disagree with the majority of their class."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from paravent.measures import Absent, Measure
from paravent.privacy.classes import Histogram
from paravent.utility.family import family
from paravent.utility.subject import Subject


@family(labels=True)
def classification(subject: Subject) -> Iterator[Measure | Absent]:
    for name, histogram in subject.classes.histograms.items():
        dtype = None if subject.original is None else subject.original.schema.get(name)
        if dtype is not None and dtype.is_float():
            yield Absent(f"utility.cm.{name}", f"column {name!r} holds measured numbers, not classes.")
        else:
            yield from penalty_measure(subject, name, histogram)


def penalty_measure(subject: Subject, name: str, histogram: Histogram) -> Iterator[Measure]:
    if subject.n_rows:
        yield Measure(
            f"utility.cm.{name}",
            classification_penalty(subject, histogram),
            f"Classification metric of {name} (CM)",
            f"The share of rows that are suppressed or whose {name} is not the most frequent of their class "
            "(Iyengar 2002).",
            unit="share",
        )


def classification_penalty(subject: Subject, histogram: Histogram) -> float:
    agreeing = int(np.maximum.reduceat(histogram.count, histogram.start[:-1]).sum()) if len(histogram.count) else 0
    penalised = int(subject.classes.sizes.sum()) - agreeing
    return (penalised + subject.n_suppressed) / subject.n_asked
