"""Answers: an estimate, how far the noise may have moved it, and what it cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from paravent.private.accounting import Cost

CONFIDENCE = 0.95
_NOT_PRIVATE = "NOT PRIVATE: its noise has a seed"


@dataclass(frozen=True)
class Told:
    """What every answer says of itself: the question, the mechanism, the scale of its noise (in the unit of what was
    counted), the cost, and whether it is private. An interval is about the noise alone: it holds the answer that the
    table gives, with 95 % confidence; that the table is a sample of something widens it further."""

    what: str
    mechanism: str
    scale: float
    cost: Cost
    private: bool

    @property
    def _foot(self) -> str:
        mark = "" if self.private else f"; {_NOT_PRIVATE}"
        return f"{self.mechanism} noise of scale {self.scale:.4g}, {self.cost}{mark}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "what": self.what, "mechanism": self.mechanism, "scale": self.scale, "cost": self.cost.to_dict(),
            "private": self.private, "confidence": CONFIDENCE,
        }  # fmt: skip


@dataclass(frozen=True)
class Answer(Told):
    """One number with its interval.

    >>> print(Answer("count", "discrete Laplace", 10.0, Cost.pure(0.1), True, 42.0, 12.0, 72.0))
    count: 42 (95 % between 12 and 72; discrete Laplace noise of scale 10, ε = 0.1)
    """

    estimate: float
    low: float
    high: float

    @property
    def interval(self) -> tuple[float, float]:
        return self.low, self.high

    def __float__(self) -> float:
        return self.estimate

    def __str__(self) -> str:
        return f"{self.what}: {self.estimate:.6g} (95 % between {self.low:.6g} and {self.high:.6g}; {self._foot})"

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), "estimate": self.estimate, "low": self.low, "high": self.high}


@dataclass(frozen=True, eq=False)
class Answers(Told):
    """A table of numbers with their intervals, a row a cell. Each interval holds with 95 % confidence."""

    frame: pl.DataFrame

    def __str__(self) -> str:
        with pl.Config(tbl_rows=60, tbl_hide_dataframe_shape=True, tbl_hide_column_data_types=True):
            return f"{self.what} ({self._foot})\n{self.frame}"

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), "rows": self.frame.to_dicts()}
