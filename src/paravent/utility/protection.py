"""What the release reaches of each promise of its plan."""

from __future__ import annotations

from collections.abc import Iterator

from paravent.measures import Measure
from paravent.utility.family import family
from paravent.utility.subject import Subject

EPSILON = "privacy.epsilon"


@family(synthetic=True)
def protection(subject: Subject) -> Iterator[Measure]:
    """The level of each model: the verifier's where it has spoken, else over classes re-read from the release."""
    seen: set[str] = set()
    for model in subject.models:
        if model.key in seen:
            continue
        seen.add(model.key)
        if subject.synthetic:
            continue
        if subject.levels is not None and model.key in subject.levels:
            level = subject.levels[model.key]
        elif model.people is None and not model.known and set(model.needs) <= set(subject.people.histograms):
            level = model.level(subject.people)
        else:
            continue
        yield Measure(
            model.key,
            level,
            f"Level of {model.describe()}",
            f"The strongest value that holds for every class; {model.describe()} was asked for.",
            better="neither",
        )
    for key, level in (subject.levels or {}).items():
        if key not in seen and key == EPSILON:
            yield Measure(
                key,
                level,
                "Privacy loss (epsilon)",
                "How much likelier any result can have become by one person, as the exponent of e; by construction.",
                better="lower",
            )
        elif key not in seen:
            what = key.removeprefix("privacy.").replace("_", " ").replace(".", " by ")
            yield Measure(
                key,
                level,
                f"Found: {what}",
                "What was found of a promise that is not counted class by class, its bound against us.",
                better="neither",
            )
