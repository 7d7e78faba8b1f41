"""t-closeness (Li, Li, Venkatasubramanian 2007): every class looks like the whole table in its sensitive column."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from paravent.errors import PlanError
from paravent.hierarchy.spec import TreeSpec
from paravent.kernels.demands import Demand, DemandKind
from paravent.privacy.classes import Classes, Histogram
from paravent.privacy.distances import equal_distance, hierarchical_distance, ordered_distance
from paravent.privacy.exact import as_floats, as_written, at_most, shown
from paravent.privacy.model import SensitiveModel, check_number, refuse_known
from paravent.privacy.value_order import heights_of, ranks_of

DISTANCES = ("equal", "ordered", "hierarchical")


@dataclass(frozen=True, repr=False)
class TCloseness(SensitiveModel):
    """The distance between the distribution of a class and that of the table is at most t.

    `equal`: all values are equally far apart, ½ Σ|p − q| (total variation). `ordered`: the earth mover's distance of
    values on a line, Σ|cumulated p − q| / (m − 1) for m values; numbers and dates have their order, texts need `order`,
    from lowest to highest. `hierarchical`: the earth mover's distance in a `tree` of the sensitive column, where two
    values are as far apart as their lowest common ancestor is high. `normalised=False` leaves out the ½ (an L1
    distance, from 0 to 2) or the division by m − 1.

    The table is the one that is published: suppressed rows are not in it.

    >>> pairs = Histogram(np.array([0, 2, 4]), np.array([0, 1, 0, 1]), np.array([3, 1, 2, 2]), np.array([5, 3]))
    >>> TCloseness(0.125, "disease").holds(Classes(np.array([4, 4]), {"disease": pairs})).tolist()
    [True, True]
    """

    t: float
    column: str
    distance: str = "equal"
    normalised: bool = True
    order: tuple[str, ...] | None = None
    tree: TreeSpec | str | None = None
    knowing: tuple[str, ...] | None = None

    protects: ClassVar[str] = (
        "Somebody who finds a person's class learns at most t more about the sensitive value than the table tells."
    )
    leaves_open: ClassVar[str] = (
        "A rare value can become several times likelier within t, and who is in the table is not hidden."
    )

    def __post_init__(self) -> None:
        self.check_columns()
        if self.distance not in DISTANCES:
            raise PlanError(f"TCloseness: distance must be one of {', '.join(DISTANCES)}, not {self.distance!r}.")
        if not isinstance(self.normalised, bool):
            raise PlanError(f"TCloseness: normalised must be true or false, not {self.normalised!r}.")
        check_number("TCloseness: t", self.t, low=0, high=1 if self.normalised else math.inf)
        if self.distance == "hierarchical" and (self.tree is None or not self.normalised):
            what = "a tree of the column" if self.tree is None else "no normalised=False"
            raise PlanError(f"TCloseness: the hierarchical distance takes {what}. Give tree=… and leave the rest.")
        if self.distance != "hierarchical" and self.tree is not None:
            raise PlanError("TCloseness: a tree belongs to distance='hierarchical'. Leave it out, or say so.")
        if self.distance != "ordered" and self.order is not None:
            raise PlanError("TCloseness: an order belongs to distance='ordered'. Leave it out, or say so.")
        if self.order is not None:
            texts = isinstance(self.order, list | tuple) and all(isinstance(value, str) for value in self.order)
            if not texts or len(set(self.order)) != len(self.order):
                raise PlanError("TCloseness: order must list the values as texts, each once, from lowest to highest.")
            object.__setattr__(self, "order", tuple(self.order))

    @property
    def reads_values(self) -> bool:
        return self.distance != "equal"

    def demand_on(self, place: int, codes: np.ndarray) -> Demand | None:
        if self.distance == "hierarchical" or self.order is not None:
            return None
        if self.distance == "ordered":  # codes stand in the order of the values
            return Demand(DemandKind.ORDERED, place, float(self.t), b=float(not self.normalised))
        counts = np.bincount(codes)
        most = self.t if self.normalised else self.t / 2
        return Demand(DemandKind.DISTANCE, place, float(most), whole=counts / counts.sum())

    @property
    def monotone_under_suppression(self) -> bool:
        return False  # the table that is published, and with it its distribution, changes

    @property
    def key(self) -> str:
        return self.keyed("t" if self.distance == "equal" else f"t_{self.distance}")

    def _distances(self, histogram: Histogram) -> tuple[np.ndarray, np.ndarray]:
        """The distance of each class as two whole numbers."""
        key = (self.distance, self.normalised, self.order, repr(self.tree))
        return histogram.once(key, lambda: self._measured(histogram))

    def _measured(self, histogram: Histogram) -> tuple[np.ndarray, np.ndarray]:
        if self.distance == "equal":
            over, under = equal_distance(histogram)
            return (over, under) if self.normalised else (2 * over, under)
        if self.distance == "ordered":
            over, under, steps = ordered_distance(histogram, ranks_of(histogram, self.order))
            return over, under * steps if self.normalised else under
        assert self.tree is not None
        return hierarchical_distance(histogram, heights_of(histogram, self.tree, self.column))

    def holds(self, classes: Classes) -> np.ndarray:
        return at_most(*self._distances(self.histogram(classes)), as_written(self.t))

    def level(self, classes: Classes) -> float:
        """The smallest t that holds."""
        if not len(classes):
            return 0
        over, under = self._distances(self.histogram(classes))
        kept = bool(at_most(over, under, as_written(self.t)).all())
        return shown(float(as_floats(over, under).max()), self.t, holds=kept, most=True)

    def check_feasible(self, whole: Classes) -> None:
        """One class of all rows always holds; what is known beside may not leave that class."""
        if not self.holds(whole).all():
            refuse_known(self, self.level(whole), "t")

    def describe(self) -> str:
        scale = "" if self.normalised else " (not normalised)"
        by = "" if self.distance == "equal" else f" by {self.distance} distance"
        return f"{self.t:g}-closeness{by}{scale} {self.about()}"
