"""measure: everything that is known to be worth measuring about a release."""

from __future__ import annotations

from paravent.errors import PlanError
from paravent.measures import Absent, Measure, Measures
from paravent.near import suggest
from paravent.utility.family import Family, Study, families, known_families
from paravent.utility.subject import Subject


def measure(subject: Subject, *more: str, study: Study | None = None, quick: Measures | None = None) -> Measures:
    """Measure a release against its original: all quick families, and those others that are named in `more`.

    `quick` are the measures of the quick families where they are known already.
    """
    families = {family.name: family for family in known_families()}
    for name in more:
        if name not in families:
            slow = [family.name for family in families.values() if not family.quick]
            raise PlanError(f"measure: there is no family {name!r}. {suggest(name, slow)}")
    if quick is None:
        quick = Measures(found for family in families.values() if family.quick for found in _found(family, subject))
    asked = [families[name] for name in dict.fromkeys(more) if not families[name].quick]
    return Measures([*quick.everything(), *(found for family in asked for found in family(subject, study))])


SUMMARY = ("loss", "rows", "reidentification")
"""The families that say in a few lines what a release cost and what risk is left."""


def summarize(subject: Subject, *more: str) -> Measures:
    """The measures that everybody asks for first, and some quick families `more`, in a fraction of the time of all."""
    return Measures(found for family in families((*SUMMARY, *more)) for found in _found(family, subject))


def _found(family: Family, subject: Subject) -> tuple[Measure | Absent, ...]:
    """What a quick family finds, once."""
    if family.name not in subject.measured:
        subject.measured[family.name] = tuple(family(subject))
    return subject.measured[family.name]
