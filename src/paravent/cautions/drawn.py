"""Cautions about synthetic rows: classes of them hide nobody, so that none of the others applies."""

from __future__ import annotations

from collections.abc import Iterator

from paravent.cautions.case import Case
from paravent.cautions.caution import Caution
from paravent.privacy.differential_privacy import DifferentialPrivacy


def known_seed(case: Case) -> Iterator[Caution]:
    if any(isinstance(each, DifferentialPrivacy) and each.unsafe_seed is not None for each in case.plan.protect):
        yield Caution(
            "known-seed",
            "serious",
            (),
            "The noise is drawn from a known seed",
            "Whoever knows the seed can take the noise off again: this release is not private.",
            "Leave unsafe_seed out before anything is handed on.",
        )


def many_releases(case: Case) -> Iterator[Caution]:
    if case.plan.protect:
        yield Caution(
            "adds-up",
            "note",
            (),
            "Releases of the same people add up",
            "What was spent is about this release alone, and figures that compare it with the original are not covered "
            "by it: measures, comparisons and reports are for the owner.",
            "Keep one ledger for a table (pv.Budget), and hand on the rows alone.",
        )
