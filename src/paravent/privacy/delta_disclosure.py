"""δ-disclosure privacy (Brickell, Shmatikov 2008): no sensitive value becomes much likelier or much less likely."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from paravent.kernels.demands import Demand, DemandKind
from paravent.privacy.classes import Classes, Histogram
from paravent.privacy.exact import as_floats, as_written, log_is_below, shown
from paravent.privacy.model import SensitiveModel, check_number, refuse_known


@dataclass(frozen=True, repr=False)
class DeltaDisclosure(SensitiveModel):
    """With p the share of a value in a class and q its share in the table, |ln(p / q)| < delta for every value.

    A value of the table that a class does not have is ruled out there: its logarithm is infinite, and no delta holds.

    >>> pairs = Histogram(np.array([0, 2, 3]), np.array([0, 1, 0]), np.array([3, 1, 2]), np.array([5, 1]))
    >>> DeltaDisclosure(0.5, "disease").holds(Classes(np.array([4, 2]), {"disease": pairs})).tolist()
    [True, False]
    """

    delta: float
    column: str
    knowing: tuple[str, ...] | None = None

    protects: ClassVar[str] = (
        "Somebody who finds a person's class learns little about any sensitive value, not even that it is ruled out."
    )
    leaves_open: ClassVar[str] = "What is common in the whole table stays as likely as it is there."

    def __post_init__(self) -> None:
        self.check_columns()
        check_number("DeltaDisclosure: delta", self.delta, low=0, high=math.inf, open_low=True)

    @property
    def monotone_under_suppression(self) -> bool:
        return False  # the table that is published, and with it q, changes

    def demand_on(self, place: int, codes: np.ndarray) -> Demand:  # noqa: ARG002
        return Demand(DemandKind.DISCLOSURE, place, float(self.delta))

    @property
    def key(self) -> str:
        return self.keyed("delta_disclosure")

    def holds(self, classes: Classes) -> np.ndarray:
        histogram = self.histogram(classes)
        complete = _complete(histogram)
        holds = np.zeros(len(classes), dtype=bool)
        if complete.any():
            over, under = histogram.ratios()
            asked = complete[histogram.owner]
            close = np.ones(len(over), dtype=bool)
            close[asked] = log_is_below(over[asked], under[asked], as_written(self.delta))
            holds = complete & histogram.every(close)
        return holds

    def level(self, classes: Classes) -> float:
        """What delta must exceed; infinite where a class lacks a value of the table."""
        histogram = self.histogram(classes)
        if not len(classes):
            return 0
        if not _complete(histogram).all():
            return math.inf
        highest = float(np.abs(np.log(as_floats(*histogram.ratios()))).max())
        return shown(highest, self.delta, holds=bool(self.holds(classes).all()), most=True)

    def check_feasible(self, whole: Classes) -> None:
        """One class of all rows always holds; what is known beside may not leave that class."""
        if not self.holds(whole).all():
            refuse_known(self, self.level(whole), "delta")

    def describe(self) -> str:
        return f"{self.delta:g}-disclosure privacy {self.about()}"


def _complete(histogram: Histogram) -> np.ndarray:
    """Which classes have every value of the table."""
    return np.asarray(np.diff(histogram.start) == int((histogram.table > 0).sum()))
