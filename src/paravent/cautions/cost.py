"""Cautions about what a release has lost."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from paravent.cautions.case import Case
from paravent.cautions.caution import Caution
from paravent.measures import as_percent


def blank_columns(case: Case) -> Iterator[Caution]:
    real = ~case.subject.placeholder
    some, every = bool(real.any()), bool(real.all())
    for reading in case.subject.readings:
        name = reading.axis.name
        loss = case.measures[f"utility.loss.{name}"]
        counts = reading.counts if every else np.bincount(reading.codes[real], minlength=len(reading.labels))
        everywhere = some and bool((reading.n_covered[counts > 0] == len(reading.axis)).all())
        if everywhere and len(reading.axis) > 1:
            yield Caution(
                "blank-column",
                "note",
                (name,),
                f"“{name}” says nothing any more",
                "Every row shows the widest label.",
                "Leave the column out, which lets the others keep more detail, or give it a finer tree or a greater "
                "weight.",
            )
        elif loss >= 0.75:
            yield Caution(
                "coarse-column",
                "note",
                (name,),
                f"“{name}” lost {as_percent(loss)} of its detail",
                "Little can be learned from it.",
                "Give it a greater weight if it matters, or leave it out.",
            )


def high_loss(case: Case) -> Iterator[Caution]:
    loss = case.measures.get("utility.gcp", 0.0)
    if loss >= 0.5:
        yield Caution(
            "high-loss",
            "serious" if loss >= 0.8 else "note",
            (),
            f"{as_percent(loss)} of all detail is gone",
            "Conclusions drawn from this release will be coarse.",
            "Fewer quasi-identifiers, a smaller k, finer trees or some suppression may give a better table for the "
            "same protection.",
        )


def suppression(case: Case) -> Iterator[Caution]:
    share = 1 - case.measures.get("utility.completeness", 1.0)
    if share > 0.05 and len(case.subject.classes):
        yield Caution(
            "suppressed-rows",
            "serious" if share > 0.2 else "note",
            (),
            f"{as_percent(share)} of the rows are missing from the release",
            "Suppressed rows are those of unusual people. Counts and averages lean towards the usual ones.",
            "Allow less suppression or coarser labels.",
        )
