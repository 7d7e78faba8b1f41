"""The score of a perturbed table: half of what its statistics lost, half of what its numbers give away."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from paravent.measures import Absent, Measure
from paravent.privacy.risk.interval_disclosure import deviation_disclosure, rank_disclosure
from paravent.privacy.risk.linkage import distance_linkage, probabilistic_linkage
from paravent.privacy.risk.numeric import NumericRisk
from paravent.privacy.risk.perturbed import MOST_TRIED, Perturbed
from paravent.utility.family import Study, on_request
from paravent.utility.statistics import Averages, information_loss, moments, numeric_columns
from paravent.utility.subject import Subject

_MOST_PAIRS = 500_000_000
"""Every row that is tried is compared with all originals: of very large tables fewer rows are tried."""


@on_request
def score(subject: Subject, study: Study) -> Iterator[Measure | Absent]:  # noqa: ARG001
    columns = [column for column in numeric_columns(subject) if column.quasi and column.varies]
    why = _why_not(subject, columns)
    if why:
        yield Absent("utility.score", why)
        return
    lost = 100 * float(np.mean(list(information_loss(columns, subject).values())))
    risk = 100 * disclosure_of(subject, columns).disclosure
    yield Measure(
        "utility.score",
        balance(lost, risk),
        "Score, ½ IL + ½ DR",
        f"Half of what the statistics of the numeric quasi-identifiers lost ({lost:.1f} %), half of what linkage and "
        f"intervals give away ({risk:.1f} %).",
        unit="percent",
        bounds=(0.0, np.inf),
    )


def balance(lost: float, risk: float) -> float:
    """
    >>> balance(20.0, 30.0)
    25.0
    """
    return 0.5 * lost + 0.5 * risk


def disclosure_of(subject: Subject, columns: list[Averages]) -> NumericRisk:
    """DR between the original numbers and the released ones, a cell that covers several read as their mean."""
    assert subject.kept is not None
    original = np.column_stack([column.before[subject.kept] for column in columns])
    masked = np.column_stack([column.after for column in columns])
    known = np.isfinite(original).all(axis=1) & np.isfinite(masked).all(axis=1)
    pair = Perturbed(tuple(column.name for column in columns), original[known], masked[known])
    most = min(MOST_TRIED, max(_MOST_PAIRS // max(len(pair.original), 1), 100))
    return NumericRisk(
        pair.columns,
        distance_linkage(pair, most=most),
        probabilistic_linkage(pair, most=most),
        rank_disclosure(pair),
        deviation_disclosure(pair),
    )


def _why_not(subject: Subject, columns: list[Averages]) -> str | None:
    if subject.released.height == 0:
        return "no row is left."
    if not columns:
        return "no quasi-identifier holds numbers that differ."
    if subject.kept is None:
        return "rows were dropped and nobody knows which, so that numbers cannot be linked back."
    return None if moments(columns)[1].complete else "a column of numbers is suppressed from top to bottom."
