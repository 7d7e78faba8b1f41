"""The re-identification risk of the original and of its release, side by side."""

from __future__ import annotations

from collections.abc import Iterator

from paravent.measures import Absent, Measure
from paravent.privacy.risk.attackers import Risk
from paravent.utility.family import family
from paravent.utility.subject import Subject


@family
def reidentification(subject: Subject) -> Iterator[Measure | Absent]:
    found = Risk.of_classes(subject.sized).measures("risk")
    if subject.astray:
        yield from (Absent(measure.name, subject.astray) for measure in found)
    else:
        yield from found
    yield from Risk.of_classes(subject.people_before).measures("risk.before")
