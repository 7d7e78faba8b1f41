"""Limits on the risk of being found: the highest, the average, and the share of people who stand alone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from paravent.errors import InfeasibleError
from paravent.privacy.classes import Classes
from paravent.privacy.exact import as_written, at_most, shown
from paravent.privacy.model import Model, check_number


@dataclass(frozen=True, repr=False)
class MaximumRisk(Model):
    """Nobody is found with a probability above `risk`: no class is smaller than 1 / risk (the prosecutor's maximum).

    >>> MaximumRisk(0.2).holds(Classes(np.array([4, 5]), {})).tolist()
    [False, True]
    """

    risk: float

    protects: ClassVar[str] = (
        "Somebody who knows a person's quasi-identifiers finds their row with at most this chance."
    )
    leaves_open: ClassVar[str] = "A sensitive value that everybody in a class shares is disclosed all the same."

    def __post_init__(self) -> None:
        check_number("MaximumRisk: risk", self.risk, low=0, high=1, open_low=True)

    @property
    def least_size(self) -> int:
        return math.ceil(1 / as_written(self.risk))

    @property
    def size_only(self) -> bool:
        return True

    @property
    def key(self) -> str:
        return "privacy.maximum_risk"

    def holds(self, classes: Classes) -> np.ndarray:
        return at_most(np.ones_like(classes.sizes), classes.sizes, as_written(self.risk))

    def level(self, classes: Classes) -> float:
        """The highest risk of anybody."""
        return 1 / int(classes.sizes.min()) if len(classes) else 0.0

    def check_feasible(self, whole: Classes) -> None:
        _refuse(self, self.risk, Fraction(1, int(whole.sizes.sum())))

    def describe(self) -> str:
        return f"a highest risk of {self.risk:g}"


@dataclass(frozen=True, repr=False)
class AverageRisk(Model):
    """The mean over all rows of the chance to be found is at most `risk` (the marketer's risk: classes / rows).

    It is a promise about the table, not about each class: where it is broken, the classes smaller than 1 / risk are to
    blame.

    >>> AverageRisk(0.5).holds(Classes(np.array([1, 4]), {})).tolist()
    [True, True]
    >>> AverageRisk(0.3).holds(Classes(np.array([1, 4]), {})).tolist()
    [False, True]
    """

    risk: float

    protects: ClassVar[str] = "Somebody who links everybody they know finds at most this share of the right rows."
    leaves_open: ClassVar[str] = "Single people may be found for certain, as long as most are not."

    def __post_init__(self) -> None:
        check_number("AverageRisk: risk", self.risk, low=0, high=1, open_low=True)

    @property
    def monotone_under_suppression(self) -> bool:
        return False  # without its large classes a table is riskier on average

    @property
    def key(self) -> str:
        return "privacy.average_risk"

    def holds(self, classes: Classes) -> np.ndarray:
        if _average(classes) <= as_written(self.risk):
            return np.ones(len(classes), dtype=bool)
        return self.holds_in_part(classes)

    def holds_in_part(self, classes: Classes) -> np.ndarray:
        return at_most(np.ones_like(classes.sizes), classes.sizes, as_written(self.risk))

    def level(self, classes: Classes) -> float:
        """The average risk."""
        average = _average(classes)
        return shown(float(average), self.risk, holds=average <= as_written(self.risk), most=True)

    def check_feasible(self, whole: Classes) -> None:
        _refuse(self, self.risk, Fraction(1, int(whole.sizes.sum())))

    def describe(self) -> str:
        return f"an average risk of {self.risk:g}"


@dataclass(frozen=True, repr=False)
class SampleUniqueness(Model):
    """At most the share `share` of the rows stands alone in its class.

    It is a promise about the table: where it is broken, the classes of one row are to blame.

    >>> SampleUniqueness(0.2).holds(Classes(np.array([1, 4]), {})).tolist()
    [True, True]
    """

    share: float

    protects: ClassVar[str] = "At most this share of the people can be singled out by their quasi-identifiers."
    leaves_open: ClassVar[str] = "Whoever does stand alone is found for certain, and pairs are found by one another."

    def __post_init__(self) -> None:
        check_number("SampleUniqueness: share", self.share, low=0, high=1)

    @property
    def least_size(self) -> int:
        return 2 if self.share == 0 else 1

    @property
    def size_only(self) -> bool:
        return self.share == 0  # where nobody may stand alone, no other class matters

    @property
    def monotone_under_suppression(self) -> bool:
        return False  # the share of those who stand alone grows as others go

    @property
    def key(self) -> str:
        return "privacy.sample_uniques"

    def holds(self, classes: Classes) -> np.ndarray:
        if _uniques(classes) <= as_written(self.share):
            return np.ones(len(classes), dtype=bool)
        return self.holds_in_part(classes)

    def holds_in_part(self, classes: Classes) -> np.ndarray:
        return np.asarray(classes.sizes > 1)

    def level(self, classes: Classes) -> float:
        """The share of rows that stand alone."""
        found = _uniques(classes)
        return shown(float(found), self.share, holds=found <= as_written(self.share), most=True)

    def check_feasible(self, whole: Classes) -> None:
        rows = int(whole.sizes.sum())
        _refuse(self, self.share, Fraction(int(rows == 1)))

    def describe(self) -> str:
        return f"at most {self.share:g} of the rows unique"


def _average(classes: Classes) -> Fraction:
    """Σ over rows of 1 / (size of its class), divided by the rows; a person with several rows counts once, at their
    highest risk."""
    if classes.own is None and classes.members is None:
        return Fraction(len(classes), max(int(classes.sizes.sum()), 1))
    sizes, place = np.unique(classes.sizes, return_inverse=True)
    rows = np.zeros(len(sizes), dtype=np.int64)
    np.add.at(rows, place, classes.at_risk)
    found = sum((Fraction(own, size) for own, size in zip(rows.tolist(), sizes.tolist(), strict=True)), Fraction(0))
    return found / max(int(rows.sum()), 1)


def _uniques(classes: Classes) -> Fraction:
    counted = classes.at_risk
    return Fraction(int(counted[classes.sizes == 1].sum()), max(int(counted.sum()), 1))


def _refuse(model: Model, asked: float, best: Fraction) -> None:
    if best > as_written(asked):
        advised = math.ceil(float(best) * 1e6) / 1e6  # rounded up, so that what is advised holds
        raise InfeasibleError(
            f"{model.describe()} cannot hold: the whole table reaches {advised:g}. Ask for at least {advised:g}."
        )
