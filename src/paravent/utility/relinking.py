"""How many rows lead back to whom they are about, whatever became of their cells: the one risk that generalized,
perturbed and grouped releases share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

import numpy as np

from paravent.measures import Absent, Measure
from paravent.privacy.language import Language
from paravent.privacy.risk.relinking import By, Relinking
from paravent.utility.family import Study, on_request
from paravent.utility.subject import Subject


@on_request
def relinking(subject: Subject, study: Study) -> Iterator[Measure | Absent]:  # noqa: ARG001
    names = [axis.name for axis in subject.axes if axis.name in subject.released.columns]
    real = np.flatnonzero(~subject.placeholder)
    for by in get_args(By):
        name = f"risk.relinked.{by}"
        if subject.kept is None or subject.original is None:
            yield Absent(name, "nobody knows which row was made from which, so that no link can be told right.")
        elif not names or not len(real):
            yield Absent(name, "no quasi-identifier is released by which rows could be linked.")
        else:
            found = _relinking(subject, names).relinked(real, by)
            sampled = "" if found.everybody else f" {found.tried} were drawn; at most {float(found.rate):.1%} with "
            sampled += "" if found.everybody else f"{found.confidence:.0%} confidence."
            yield Measure(
                name,
                found.found,
                f"Linked back by {by}",
                f"The share of {subject.counted} that somebody with the original quasi-identifiers of everybody links "
                f"to the right one; a guess finds {float(found.control):.2%}.{sampled}",
                unit="share",
            )


def _relinking(subject: Subject, names: list[str]) -> Relinking:
    assert subject.original is not None
    assert subject.kept is not None
    languages = {axis.name: Language(axis) for axis in subject.axes}
    return Relinking.of(
        subject.released, subject.original, subject.kept, names, languages=languages, persons=subject.persons_before
    )
