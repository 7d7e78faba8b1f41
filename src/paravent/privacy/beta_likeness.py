"""β-likeness (Cao, Karras 2012): no sensitive value becomes much likelier by knowing the class."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from paravent.errors import PlanError
from paravent.kernels.demands import Demand, DemandKind
from paravent.privacy.classes import Classes, Histogram
from paravent.privacy.exact import as_floats, as_written, at_most, gain_within_log, shown
from paravent.privacy.model import SensitiveModel, check_number, refuse_known

KINDS = ("enhanced", "basic")


@dataclass(frozen=True, repr=False)
class BetaLikeness(SensitiveModel):
    """With p the share of a value in a class and q its share in the table, (p − q) / q is at most beta.

    `enhanced` asks for at most min(beta, −ln q), which also bounds the values that are frequent in the table; `basic`
    for at most beta alone. Values that become rarer in a class (p < q) are no concern of the model.

    >>> pairs = Histogram(np.array([0, 2, 4]), np.array([0, 1, 0, 1]), np.array([3, 1, 2, 2]), np.array([5, 3]))
    >>> BetaLikeness(0.25, "disease").holds(Classes(np.array([4, 4]), {"disease": pairs})).tolist()
    [True, False]
    """

    beta: float
    column: str
    kind: str = "enhanced"
    knowing: tuple[str, ...] | None = None

    protects: ClassVar[str] = (
        "Somebody who finds a person's class grows surer of no sensitive value by more than the share beta."
    )
    leaves_open: ClassVar[str] = "A value can still be ruled out, and several close values together can grow likelier."

    def __post_init__(self) -> None:
        self.check_columns()
        check_number("BetaLikeness: beta", self.beta, low=0, high=math.inf)
        if self.kind not in KINDS:
            raise PlanError(f"BetaLikeness: kind must be one of {', '.join(KINDS)}, not {self.kind!r}.")

    @property
    def monotone_under_suppression(self) -> bool:
        return False  # the table that is published, and with it q, changes

    def demand_on(self, place: int, codes: np.ndarray) -> Demand:  # noqa: ARG002
        return Demand(DemandKind.LIKENESS, place, float(self.beta), b=float(self.kind == "enhanced"))

    @property
    def key(self) -> str:
        return self.keyed("beta" if self.kind == "basic" else "enhanced_beta")

    def holds(self, classes: Classes) -> np.ndarray:
        histogram = self.histogram(classes)
        over, under = histogram.ratios()
        held = at_most(over, under, 1 + as_written(self.beta))
        if self.kind == "enhanced":
            held &= self._within_log(histogram, over, under)
        return histogram.every(held)

    def level(self, classes: Classes) -> float:
        """The smallest beta that holds; infinite where a value breaks −ln q, which no beta mends."""
        if not len(classes):
            return 0
        histogram = self.histogram(classes)
        over, under = histogram.ratios()
        if self.kind == "enhanced" and not self._within_log(histogram, over, under).all():
            return math.inf
        gain = max(0.0, float(as_floats(over, under).max()) - 1)
        return shown(gain, self.beta, holds=bool(self.holds(classes).all()), most=True)

    def _within_log(self, histogram: Histogram, over: np.ndarray, under: np.ndarray) -> np.ndarray:
        return gain_within_log(over, under, histogram.table[histogram.value], histogram.n_rows)

    def check_feasible(self, whole: Classes) -> None:
        """One class of all rows always holds; what is known beside may not leave that class."""
        if not self.holds(whole).all():
            refuse_known(self, self.level(whole), "beta")

    def describe(self) -> str:
        return f"{self.kind} {self.beta:g}-likeness {self.about()}"
