"""Answers: an estimate, how far the noise may have moved it, and what it cost."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import polars as pl

from paravent.private.accounting import Cost

CONFIDENCE = 0.95
_NOT_PRIVATE = "NOT PRIVATE: its noise has a seed"


def as_day(days: float) -> date:
    """
    >>> as_day(0.4).isoformat()
    '1970-01-01'
    """
    return date(1970, 1, 1) + timedelta(days=round(min(max(days, -719_162), 2_932_896)))


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
    dates: bool = False
    """Whether they are days since 1970-01-01."""

    @property
    def date(self) -> date:
        """The estimate as a day, where it is one."""
        return as_day(self.estimate)

    @property
    def interval(self) -> tuple[float, float]:
        return self.low, self.high

    def __float__(self) -> float:
        return self.estimate

    def __str__(self) -> str:
        found, low, high = (as_day(n).isoformat() if self.dates else f"{n:.6g}" for n in self._numbers)
        return f"{self.what}: {found} (95 % between {low} and {high}; {self._foot})"

    @property
    def _numbers(self) -> tuple[float, float, float]:
        return self.estimate, self.low, self.high

    def to_dict(self) -> dict[str, Any]:
        found = [as_day(n).isoformat() if self.dates else n for n in self._numbers]
        return {**super().to_dict(), **dict(zip(("estimate", "low", "high"), found, strict=True))}


@dataclass(frozen=True, eq=False)
class Answers(Told):
    """A table of numbers with their intervals, a row a cell. Each interval holds with 95 % confidence."""

    frame: pl.DataFrame

    def __str__(self) -> str:
        with pl.Config(tbl_rows=60, tbl_hide_dataframe_shape=True, tbl_hide_column_data_types=True):
            return f"{self.what} ({self._foot})\n{self.frame}"

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), "rows": self.frame.to_dicts()}
