"""What the release reaches of each model that the plan asks for."""

from __future__ import annotations

from collections.abc import Iterator

from paravent.utility.measures import Measure
from paravent.utility.subject import Subject


def protection(subject: Subject) -> Iterator[Measure]:
    """The level of each model, over classes re-read from the finished release."""
    seen: set[str] = set()
    for model in subject.models:
        readable = all(name in subject.classes.histograms for name in model.needs)
        if readable and model.key not in seen:
            seen.add(model.key)
            yield Measure(
                model.key,
                model.level(subject.classes),
                f"Level of {model.describe()}",
                f"The strongest value that holds for every class; {model.describe()} was asked for.",
                better="neither",
            )
