"""Household risk: finding one member finds them all (hierarchical risk, Franconi and Polettini 2004)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from paravent.errors import TableError
from paravent.measures import Measure
from paravent.privacy.grouping import cell_codes
from paravent.privacy.risk.attackers import THRESHOLDS
from paravent.privacy.risk.row_risk import RowRisk

ASSUMES = "members of a household are found independently of one another, and finding one finds the others"


@dataclass(frozen=True, eq=False)
class HouseholdRisk(RowRisk):
    """For each row: the chance that somebody of its household is found."""

    households: int
    assumes: str = ASSUMES

    def measures(self, prefix: str = "risk.household", thresholds: Sequence[float] = THRESHOLDS) -> Iterator[Measure]:
        yield Measure(
            f"{prefix}.max", self.highest, "Highest household risk",
            f"The chance that somebody of the household most exposed is found. It assumes that {self.assumes}.",
            unit="share",
        )  # fmt: skip
        yield Measure(
            f"{prefix}.average", self.average, "Average household risk",
            f"The mean over all rows of the chance that their household is found. It assumes that {self.assumes}.",
            unit="share",
        )  # fmt: skip
        yield Measure(
            f"{prefix}.expected", self.expected, "Rows expected to be found with their household",
            f"The sum of all rows' household risks. It assumes that {self.assumes}.",
        )  # fmt: skip
        for limit in thresholds:
            yield Measure(
                f"{prefix}.above.{limit:g}", self.above(limit), f"Rows with a household risk above {100 * limit:g} %",
                f"The share of rows whose household is found with a chance of more than {limit:g}. It assumes that "
                f"{self.assumes}.", unit="share",
            )  # fmt: skip


def household_risk(risk: np.ndarray, households: pl.Series) -> HouseholdRisk:
    """1 − ∏ (1 − r) over the members of each row's household, from the rows' own risks.

    >>> household_risk(np.array([0.5, 0.5, 0.1]), pl.Series("home", ["a", "a", "b"])).risk.tolist()
    [0.75, 0.75, 0.1]
    """
    if households.null_count():
        first = int(households.is_null().to_numpy().argmax()) + 1
        raise TableError(
            f"column {households.name!r}: {households.null_count()} rows name no household (first: row {first}). "
            "Give somebody who lives alone a household of their own."
        )
    codes = cell_codes(households)
    if not len(codes):
        return HouseholdRisk(risk, 0)
    # Sums of logarithms, so that many small risks do not vanish; a risk of 1 makes the household's 1.
    with np.errstate(divide="ignore"):
        safe = np.bincount(codes, weights=np.log1p(-risk))
    return HouseholdRisk(-np.expm1(safe)[codes], len(np.unique(codes)))
