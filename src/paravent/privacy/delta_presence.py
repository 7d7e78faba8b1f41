"""δ-presence (Nergiz, Atzori, Clifton 2007): nobody learns that a person is in the table, or that they are not."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from paravent.errors import InfeasibleError, PlanError
from paravent.privacy.classes import Classes
from paravent.privacy.exact import as_floats, as_written, at_most, shown
from paravent.privacy.k_map import check_population, population_key
from paravent.privacy.model import Model, check_number


@dataclass(frozen=True, repr=False)
class DeltaPresence(Model):
    """For a person of the population who fits a class, the chance to be in the table, rows / people who fit, is from
    `low` to `high`.

    `population` and `count` are as for KMap; the population holds everybody who is in the table. With `low` above 0
    everybody of the population must fit a class, because whoever fits none is known to be absent: Mondrian and the
    methods that give every column one level reach that, others refuse it.

    >>> classes = Classes(np.array([3, 1]), {}, {"public.csv": np.array([4, 4])})
    >>> DeltaPresence(0.5, "public.csv").holds(classes).tolist()
    [False, True]
    """

    high: float
    population: str
    low: float = 0.0
    count: str | None = None

    protects: ClassVar[str] = (
        "Somebody who knows a person's quasi-identifiers cannot be surer than this that the person is in the table."
    )
    leaves_open: ClassVar[str] = (
        "It speaks of presence alone, and only towards those who know no more people than named."
    )

    def __post_init__(self) -> None:
        check_number("DeltaPresence: high", self.high, low=0, high=1, open_low=True)
        check_number("DeltaPresence: low", self.low, low=0, high=1)
        if self.low > self.high:
            raise PlanError(f"DeltaPresence: low is {self.low!r}, above high, which is {self.high!r}. Swap them.")
        check_population("DeltaPresence", self.population, self.count)

    @property
    def people(self) -> str:
        return population_key(self.population, self.count)

    @property
    def bounds_absence(self) -> bool:
        return self.low > 0

    @property
    def monotone_under_generalization(self) -> bool:
        return self.low == 0  # a wider label may take in people of whom nobody is in the table

    @property
    def monotone_under_suppression(self) -> bool:
        return self.low == 0  # the people of a class that is dropped are known to be absent

    @property
    def key(self) -> str:
        return "privacy.delta_presence"

    def holds(self, classes: Classes) -> np.ndarray:
        rows, people = self._counts(classes)
        if self.low == 0:
            return at_most(rows, people, as_written(self.high))
        if classes.beyond.get(self.people, 0):
            return np.zeros(len(classes), dtype=bool)
        return self.holds_in_part(classes)

    def holds_in_part(self, classes: Classes) -> np.ndarray:
        rows, people = self._counts(classes)
        within = at_most(rows, people, as_written(self.high))
        return within & at_most(people, rows, 1 / as_written(self.low)) if self.low else within

    def level(self, classes: Classes) -> float:
        """The highest chance to be in the table."""
        if not len(classes):
            return 0
        rows, people = self._counts(classes)
        kept = bool(at_most(rows, people, as_written(self.high)).all())
        return shown(float(as_floats(rows, people).max()), self.high, holds=kept, most=True)

    def _counts(self, classes: Classes) -> tuple[np.ndarray, np.ndarray]:
        """Rows and people of each class; a row without anybody in the population is somebody's all the same."""
        rows = classes.sizes if classes.own is None else classes.own
        return rows, np.maximum(classes.people[self.people], 1)

    def check_feasible(self, whole: Classes) -> None:
        rows, people = int(whole.sizes.sum()), max(int(whole.people[self.people].sum()), 1)
        share = rows / people
        if rows > people:
            raise InfeasibleError(
                f"{self.describe()} cannot hold: the table has {rows} rows, the population {people} people. "
                "Give the population that the table is a part of."
            )
        if not at_most(np.array([rows]), np.array([people]), as_written(self.high))[0]:
            raise InfeasibleError(
                f"{self.describe()} cannot hold: the whole table is {share:.4g} of the population. "
                f"Ask for at least {math.ceil(share * 1e4) / 1e4:g}."
            )
        if self.low and not at_most(np.array([people]), np.array([rows]), 1 / as_written(self.low))[0]:
            raise InfeasibleError(
                f"{self.describe()} cannot hold: the whole table is only {share:.4g} of the population. "
                f"Ask for low of at most {math.floor(share * 1e4) / 1e4:g}."
            )

    def describe(self) -> str:
        return f"presence between {self.low:g} and {self.high:g}"
