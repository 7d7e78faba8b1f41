"""The disclosure risk of perturbed numbers: linkage and interval disclosure in one figure.

DR = ¼ distance-based linkage + ¼ probabilistic linkage + ½ interval disclosure by rank (Domingo-Ferrer and Torra
2001), the half of their score that speaks of risk.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from paravent.measures import Measure
from paravent.privacy.risk.interval_disclosure import Disclosed, deviation_disclosure, rank_disclosure
from paravent.privacy.risk.linkage import Linkage, distance_linkage, probabilistic_linkage
from paravent.privacy.risk.perturbed import MOST_TRIED, Perturbed


@dataclass(frozen=True)
class NumericRisk:
    """What an intruder with the original numbers makes of the perturbed ones."""

    columns: tuple[str, ...]
    distance: Linkage
    probabilistic: Linkage
    rank: Disclosed
    deviation: Disclosed

    @property
    def disclosure(self) -> float:
        """DR, between 0 and 1."""
        return 0.25 * self.distance.rate + 0.25 * self.probabilistic.rate + 0.5 * self.rank.share

    def measures(self, prefix: str = "risk") -> Iterator[Measure]:
        yield Measure(
            f"{prefix}.numeric", self.disclosure, "Disclosure of numbers",
            "A quarter of each linkage and half of the interval disclosure by rank, as in the score of Domingo-Ferrer "
            "and Torra.", unit="share",
        )  # fmt: skip
        for linkage in (self.distance, self.probabilistic):
            low, high = linkage.interval
            sampled = "" if low == high else f" {linkage.tried} rows were tried: between {low:.1%} and {high:.1%}."
            yield Measure(
                f"{prefix}.linkage.{linkage.by}", linkage.rate, f"Linked back, {linkage.by}",
                f"The share of perturbed rows that lead back to their original. It assumes that {linkage.assumes}."
                f"{sampled}", unit="share",
            )  # fmt: skip
        for disclosure in (self.rank, self.deviation):
            yield Measure(
                f"{prefix}.interval.{disclosure.by}", disclosure.share, f"Numbers given away, by {disclosure.by}",
                f"The share of original numbers close to their perturbed copy. It assumes that {disclosure.assumes}.",
                unit="share",
            )  # fmt: skip


def numeric_risk(
    original: pl.DataFrame, masked: pl.DataFrame, columns: Sequence[str] | None = None, *, most: int | None = MOST_TRIED
) -> NumericRisk:
    """Compare the numbers of two frames, row by row.

    >>> frame = pl.DataFrame({"x": [1.0, 2.0, 3.0, 9.0]})
    >>> numeric_risk(frame, frame).disclosure
    1.0
    """
    pair = Perturbed.of(original, masked, columns)
    return NumericRisk(
        pair.columns,
        distance_linkage(pair, most=most),
        probabilistic_linkage(pair, most=most),
        rank_disclosure(pair),
        deviation_disclosure(pair),
    )
