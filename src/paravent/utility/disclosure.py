"""What the classes say about the sensitive columns, measured whether or not a model guards them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from paravent.measures import Absent, Measure
from paravent.privacy.classes import Classes, Histogram
from paravent.utility.family import family
from paravent.utility.subject import Subject


@family
def disclosure(subject: Subject) -> Iterator[Measure | Absent]:
    classes = subject.disclosing
    for name, histogram in classes.histograms.items():
        if len(classes) == 0:
            return
        false = f"its cells may be false of their rows: what a class shows of {name!r} need be nobody's."
        why = false if name in subject.perturbed else subject.astray if subject.derived is None else ""
        if why:
            yield from (Absent(f"risk.attribute.{what}.{name}", why) for what in ("disclosed", "belief"))
            continue
        yield Measure(
            f"risk.attribute.disclosed.{name}",
            disclosed_share(classes, histogram),
            f"Rows whose {name} is given away",
            f"The share of released rows in classes where everybody has the same {name}: who finds the class knows it.",
            unit="share",
        )
        yield Measure(
            f"risk.attribute.belief.{name}",
            float(_strongest(histogram, classes).max()),
            f"Surest guess of {name}",
            f"The largest share that one {name} has in any class: how sure of it one can become at most.",
            unit="share",
        )


def disclosed_share(classes: Classes, histogram: Histogram) -> float:
    """The share of rows (or people) in classes where all hold one sensitive value (the homogeneity attack)."""
    return classes.share(histogram.highest(histogram.count) == histogram.sizes)


def _strongest(histogram: Histogram, classes: Classes) -> np.ndarray:
    """The share of the most frequent sensitive value of each class."""
    most: np.ndarray = np.maximum.reduceat(histogram.count, histogram.start[:-1])
    return np.asarray(most / classes.sizes)
