"""The population that a table was drawn from: how many people it has, and which share of them the table holds."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan

from paravent.arguments import fits
from paravent.errors import PlanError


@dataclass(frozen=True)
class Population:
    """`size` people, of whom the table holds `rows`.

    >>> Population.of(0.25, rows=100)
    Population(size=400.0, rows=100)
    >>> Population.of(317_238_626, rows=30_162).fraction
    9.50766947275834e-05
    """

    size: float
    rows: int

    @classmethod
    def of(cls, given: float, *, rows: int) -> Population:
        """A whole number is the size of the population, a fraction (of at most 1.0) the share of it in the table."""
        if isinstance(given, bool) or not fits(given, float) or isnan(given):
            raise PlanError("population must be a number of people, or the share of them that the table holds.")
        if isinstance(given, float) and 0 < given <= 1:
            return cls(rows / given, rows)
        if given <= 0 or given == float("inf") or given != int(given):
            raise PlanError(
                f"population={given!r} is neither a number of people nor a sampling fraction in (0, 1]. "
                "Give 80_000_000 or 0.05, for example."
            )
        if given < rows:
            raise PlanError(
                f"a population of {int(given)} is smaller than the table, which has {rows} rows. Give the number of "
                "people that the table was drawn from."
            )
        return cls(float(given), rows)

    @property
    def fraction(self) -> float:
        """The sampling fraction; 1 for a table without rows, of which nothing needs to be estimated."""
        return self.rows / self.size if self.rows else 1.0
