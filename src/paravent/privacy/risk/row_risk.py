"""A risk for each row, and what can be said of all of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np


@dataclass(frozen=True, eq=False)
class RowRisk:
    """`persons` says whose each row is, where people are counted: each has the highest risk of their rows.

    >>> RowRisk(np.array([0.5, 0.25, 0.0])).above(0.2)
    0.6666666666666666
    >>> RowRisk(np.array([0.5, 0.25, 0.0]), persons=np.array([7, 7, 8])).expected
    0.5
    """

    risk: np.ndarray
    persons: np.ndarray | None = field(default=None, kw_only=True)

    @cached_property
    def each(self) -> np.ndarray:
        """The risk of each row, or of each person."""
        if self.persons is None:
            return self.risk
        _, person = np.unique(self.persons, return_inverse=True)
        highest = np.zeros(int(person.max(initial=-1)) + 1)
        np.maximum.at(highest, person.reshape(-1), self.risk)
        return highest

    @property
    def expected(self) -> float:
        """The expected number of rows that are found."""
        return float(self.each.sum())

    @property
    def average(self) -> float:
        """The global risk: the expected share of rows that are found."""
        return self.expected / len(self.each) if len(self.each) else 0.0

    @property
    def highest(self) -> float:
        return float(self.risk.max(initial=0.0))

    def above(self, threshold: float) -> float:
        """The share of rows whose risk is greater than the threshold."""
        return float((self.each > threshold).mean()) if len(self.each) else 0.0
