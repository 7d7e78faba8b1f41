"""A_know: what somebody who finds a class learns about its sensitive values, on average."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from paravent.measures import Measure
from paravent.privacy.classes import Classes, Histogram
from paravent.utility.family import family
from paravent.utility.subject import Subject


@family(labels=True)
def knowledge(subject: Subject) -> Iterator[Measure]:
    if len(subject.classes) == 0:
        return
    for name, histogram in subject.classes.histograms.items():
        yield Measure(
            f"utility.a_know.{name}",
            knowledge_gain(subject.classes, histogram),
            f"Knowledge gain about {name} (A_know)",
            f"How far the {name} of a class lies from that of the whole table, averaged over the rows: what finding a "
            "person's class teaches (Brickell, Shmatikov 2008).",
            unit="share",
        )


def knowledge_gain(classes: Classes, histogram: Histogram) -> float:
    """The mean over the rows of ½ Σ |p − q|, p in the row's class and q in the whole table.

    A value that a class lacks adds its whole q: ½ (1 − Σ_present q + Σ_present |p − q|).
    """
    q = histogram.table / max(int(histogram.table.sum()), 1)
    owner = np.repeat(np.arange(len(classes)), np.diff(histogram.start))
    here = q[histogram.value]
    p = histogram.count / classes.sizes[owner]
    distance = (1 + np.bincount(owner, weights=np.abs(p - here) - here, minlength=len(classes))) / 2
    return float(np.dot(classes.sizes, np.maximum(distance, 0.0)) / classes.sizes.sum())
