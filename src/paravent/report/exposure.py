"""Who could still be found: the sets of columns that singled people out, before and after, in plain words."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from paravent.measures import as_percent
from paravent.privacy.classes import Classes
from paravent.privacy.risk.assessment import Assessment
from paravent.privacy.risk.attackers import Risk
from paravent.privacy.risk.hidden_failure import hidden_failure
from paravent.privacy.risk.subsets import quasi_identifiers
from paravent.privacy.verify_people import people_classes
from paravent.profiling.subsets import SubsetProfile

if TYPE_CHECKING:
    from paravent.plan.release import Release

MOST_SETS = 6
_LARGEST_SET = 3
_MOST_WORK = 100_000_000


@dataclass(frozen=True)
class Exposure:
    """Sentences, and for the sets of columns that told most people apart: the columns, who was alone by them in the
    original, and who is in the release."""

    sentences: tuple[str, ...]
    sets: tuple[tuple[str, str, str], ...]


def exposure(release: Release, fewest: int) -> Exposure:
    """What the page says about a release. Counts of fewer than `fewest` people are not told apart."""
    subject = release.subject
    frame = subject.released.filter(~subject.placeholder) if subject.placeholder.any() else subject.released
    quasi = tuple(release.plan.quasi)
    if not frame.height or not quasi or subject.astray or any(name not in frame.columns for name in quasi):
        return Exposure((), ())
    of_row = subject.of_row[~subject.placeholder]
    known = Classes(np.bincount(of_row), {})
    if subject.persons is not None:
        known = people_classes(of_row, subject.persons[~subject.placeholder], {})
    found = Assessment(
        quasi,
        Risk.of_classes(known),
        known.sizes[of_row],
        hidden_failure=hidden_failure(release.table.frame, frame),
        counted=subject.counted,
    )
    size = _affordable(len(quasi), len(release.table))
    before = quasi_identifiers(release.table.frame, quasi, max_size=size)
    after = quasi_identifiers(frame, quasi, max_size=size)
    strongest = [subset for subset in before.strongest(MOST_SETS) if subset.is_quasi_identifier]
    return Exposure(
        found.sentences,
        tuple((", ".join(s.columns), _alone(s, fewest), _alone(after[s.columns], fewest)) for s in strongest),
    )


def _affordable(columns: int, rows: int) -> int:
    """The largest size of sets that can be looked at in passing."""
    for size in range(min(_LARGEST_SET, columns), 1, -1):
        if rows * sum(comb(columns, k) for k in range(1, size + 1)) <= _MOST_WORK:
            return size
    return 1


def _alone(subset: SubsetProfile, fewest: int) -> str:
    if subset.singled_out == 0:
        return "nobody"
    if subset.singled_out < fewest:
        return f"fewer than {fewest} rows"
    return as_percent(subset.singled_out_share)
