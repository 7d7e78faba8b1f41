"""k-map (Sweeney 2001): everybody hides among at least k people of the population that the table was drawn from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from paravent.errors import InfeasibleError, PlanError
from paravent.privacy.classes import Classes
from paravent.privacy.model import Model, check_whole


def population_key(population: str, count: str | None) -> str:
    """The name of a population among `Classes.people`."""
    return population if count is None else f"{population} ({count})"


def check_population(where: str, population: object, count: object) -> None:
    if not isinstance(population, str) or not population:
        raise PlanError(f"{where}: population must be the path or the name of a table of people, not {population!r}.")
    if count is not None and (not isinstance(count, str) or not count):
        raise PlanError(f"{where}: count must be the column that counts people in it, not {count!r}.")


@dataclass(frozen=True, repr=False)
class KMap(Model):
    """Every class stands for at least k people of a population who could be behind it.

    `population` is the path of a table with the quasi-identifiers of the population, or a name that is given to
    `pv.anonymize(…, populations={…})`. It has one row a person, or one row a combination with the number of people in
    the column `count`.

    >>> KMap(3, "voters.csv").holds(Classes(np.array([1, 4]), {}, {"voters.csv": np.array([2, 9])})).tolist()
    [False, True]
    """

    k: int
    population: str
    count: str | None = None

    protects: ClassVar[str] = (
        "Somebody who does not know who is in the table meets at least k people who could be behind a row."
    )
    leaves_open: ClassVar[str] = "Somebody who knows that a person is in the table may find their row for certain."

    def __post_init__(self) -> None:
        check_whole("KMap: k", self.k)
        check_population("KMap", self.population, self.count)

    @property
    def people(self) -> str:
        return population_key(self.population, self.count)

    @property
    def absorbs(self) -> bool:
        return True  # whoever could be behind some rows could be behind more

    @property
    def key(self) -> str:
        return "privacy.k_map"

    def holds(self, classes: Classes) -> np.ndarray:
        return np.asarray(classes.people[self.people] >= self.k)

    def level(self, classes: Classes) -> float:
        return int(classes.people[self.people].min()) if len(classes) else 0

    def check_feasible(self, whole: Classes) -> None:
        best = int(whole.people[self.people].sum())
        if best < self.k:
            raise InfeasibleError(
                f"{self.describe()} cannot hold: the population has {best} people. Ask for k of at most {best}."
            )

    def describe(self) -> str:
        return f"{self.k}-map"
