"""measure: everything that is known to be worth measuring about a release.

A family is a function from a Subject to measures, in a file of its own. To add one, write it and name it here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from paravent.utility.class_sizes import class_sizes
from paravent.utility.disclosure import disclosure
from paravent.utility.distributions import distributions
from paravent.utility.loss import loss
from paravent.utility.measures import Measure, Measures
from paravent.utility.protection import protection
from paravent.utility.reidentification import reidentification
from paravent.utility.rows import rows
from paravent.utility.subject import Subject

Family = Callable[[Subject], Iterable[Measure]]

FAMILIES: tuple[Family, ...] = (protection, loss, distributions, class_sizes, rows, reidentification, disclosure)


def measure(subject: Subject, families: Iterable[Family] = FAMILIES) -> Measures:
    """Measure a release against its original."""
    return Measures(found for family in families for found in family(subject))
