"""A limit on the share of the population that would stand alone, as estimated from the released sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import numpy as np

from paravent.errors import PlanError
from paravent.privacy.classes import Classes
from paravent.privacy.model import Model, check_number

_FOUND: WeakKeyDictionary[Classes, dict[float, Any]] = WeakKeyDictionary()  # an estimate takes its time

ESTIMATORS = ("dankar", "pitman", "zayatz", "snb")


@dataclass(frozen=True, repr=False)
class PopulationUniqueness(Model):
    """At most the share `share` of a population is estimated to be unique in it, given the classes of the table.

    `population` is its number of people, or (a fraction below 1) the share of it that the table holds. `estimator` is
    one of the models of `risk`: `pitman`, `zayatz`, `snb`, or `dankar`, the rule that chooses among them. A model that
    does not fit the table counts every sample unique as unique.

    >>> PopulationUniqueness(0.001, 1000).holds(Classes(np.array([1, 2, 2, 3, 2]), {})).tolist()
    [False, True, True, True, True]
    """

    share: float
    population: float
    estimator: str = "dankar"

    protects: ClassVar[str] = (
        "At most this share of the population is estimated to be unique, and so certain to be found in the table."
    )
    leaves_open: ClassVar[str] = (
        "It is an estimate, and whoever knows that a person is in the table needs no population."
    )

    def __post_init__(self) -> None:
        check_number("PopulationUniqueness: share", self.share, low=0, high=1)
        check_number("PopulationUniqueness: population", self.population, low=0, high=float("inf"), open_low=True)
        if self.population == int(self.population) and self.population > 1:
            object.__setattr__(self, "population", int(self.population))
        if self.estimator not in ESTIMATORS:
            raise PlanError(
                f"PopulationUniqueness: estimator must be one of {', '.join(ESTIMATORS)}, not {self.estimator!r}."
            )

    @property
    def monotone_under_generalization(self) -> bool:
        return False  # an estimate promises nothing

    @property
    def monotone_under_suppression(self) -> bool:
        return False

    @property
    def key(self) -> str:
        return "privacy.population_uniques"

    def holds(self, classes: Classes) -> np.ndarray:
        """Where it is broken, the classes of one row are to blame: without them nobody is unique."""
        if self.level(classes) <= self.share:
            return np.ones(len(classes), dtype=bool)
        return self.holds_in_part(classes)

    def holds_in_part(self, classes: Classes) -> np.ndarray:
        return np.asarray(classes.sizes > 1)

    def level(self, classes: Classes) -> float:
        """The estimated share."""
        from paravent.privacy.risk.population import Population
        from paravent.privacy.risk.uniqueness import population_uniqueness

        own = classes.sizes if classes.own is None else classes.own
        rows = int(own.sum())
        if not (classes.sizes == 1).any():
            return 0.0
        known = _FOUND.setdefault(classes, {})
        if self.population not in known:
            known[self.population] = population_uniqueness(classes.sizes, Population.of(self.population, rows=rows))
        found = known[self.population]
        share = found.share if self.estimator == "dankar" else getattr(found, self.estimator)
        return float((classes.sizes == 1).sum() / rows if share is None else share)

    def check_feasible(self, whole: Classes) -> None:
        """One class of all rows has no unique; the population must be one that the table can be drawn from."""
        from paravent.privacy.risk.population import Population

        Population.of(self.population, rows=int(whole.sizes.sum()))

    def describe(self) -> str:
        of = f"{self.population} people" if self.population > 1 else f"a population sampled at {self.population:g}"
        return f"at most {self.share:g} of {of} unique"
