"""A risk for each row, and what can be said of all of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class RowRisk:
    """
    >>> RowRisk(np.array([0.5, 0.25, 0.0])).above(0.2)
    0.6666666666666666
    """

    risk: np.ndarray

    @property
    def expected(self) -> float:
        """The expected number of rows that are found."""
        return float(self.risk.sum())

    @property
    def average(self) -> float:
        """The global risk: the expected share of rows that are found."""
        return self.expected / len(self.risk) if len(self.risk) else 0.0

    @property
    def highest(self) -> float:
        return float(self.risk.max(initial=0.0))

    def above(self, threshold: float) -> float:
        """The share of rows whose risk is greater than the threshold."""
        return float((self.risk > threshold).mean()) if len(self.risk) else 0.0
