"""(α, k)-anonymity (Wong, Li, Fu, Wang 2006): classes of k rows in which no sensitive value is too frequent."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from paravent.errors import InfeasibleError
from paravent.kernels.demands import Demand, DemandKind
from paravent.privacy.classes import Classes
from paravent.privacy.exact import as_written, at_most, shown
from paravent.privacy.model import SensitiveModel, check_number, check_whole


@dataclass(frozen=True, repr=False)
class AlphaKAnonymity(SensitiveModel):
    """Every class has at least k rows, and no value of the sensitive column has a share above alpha in it.

    >>> from paravent.privacy.classes import Histogram
    >>> pairs = Histogram(np.array([0, 2, 4]), np.array([0, 1, 0, 1]), np.array([3, 1, 2, 2]), np.array([5, 3]))
    >>> AlphaKAnonymity(0.5, 4, "disease").holds(Classes(np.array([4, 4]), {"disease": pairs})).tolist()
    [False, True]
    """

    alpha: float
    k: int
    column: str
    knowing: tuple[str, ...] | None = None

    protects: ClassVar[str] = (
        "Somebody who finds a person's class of k rows cannot be surer of any sensitive value than alpha."
    )
    leaves_open: ClassVar[str] = (
        "A value that is rare in the table may be common in a class, and values that mean the same count apart."
    )

    def __post_init__(self) -> None:
        self.check_columns()
        check_number("AlphaKAnonymity: alpha", self.alpha, low=0, high=1, open_low=True)
        check_whole("AlphaKAnonymity: k", self.k)

    @property
    def least_size(self) -> int:
        return max(self.k, math.ceil(1 / as_written(self.alpha)))  # one row has a share of 1 / size

    def demand_on(self, place: int, codes: np.ndarray) -> Demand:  # noqa: ARG002
        return Demand(DemandKind.SHARE, place, float(self.alpha))

    @property
    def key(self) -> str:
        return self.keyed("alpha")

    def holds(self, classes: Classes) -> np.ndarray:
        histogram = self.histogram(classes)
        rare = at_most(histogram.highest(histogram.count), histogram.sizes, as_written(self.alpha))
        return np.asarray(rare & (classes.sizes >= self.k))

    def level(self, classes: Classes) -> float:
        """The smallest alpha that holds, whatever the sizes of the classes."""
        if not len(classes):
            return 0
        histogram = self.histogram(classes)
        most = histogram.highest(histogram.count)
        rare = bool(at_most(most, histogram.sizes, as_written(self.alpha)).all())
        return shown(float((most / histogram.sizes).max()), self.alpha, holds=rare, most=True)

    def check_feasible(self, whole: Classes) -> None:
        smallest = int(whole.sizes.min())
        if smallest < self.k:
            raise InfeasibleError(
                f"{self.describe()} cannot hold: {'a group that stays together' if self.known else 'the whole table'} "
                f"has {smallest} rows. Ask for k of at most {smallest}."
            )
        best = self.level(whole)
        if not self.holds(whole).all():
            advised = math.ceil(best * 1e4) / 1e4  # rounded up, so that what is advised holds
            raise InfeasibleError(
                f"{self.describe()} cannot hold: the most frequent value has a share of {advised} in the whole table. "
                f"Ask for alpha of at least {advised}."
            )

    def describe(self) -> str:
        return f"({self.alpha:g}, {self.k})-anonymity {self.about()}"
