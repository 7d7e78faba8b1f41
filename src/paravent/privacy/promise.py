"""Promise: what a release keeps, and how that is known.

There are three ways of knowing. A class model is *derived* from the finished tables: whoever has them can count. A
limit is *measured*: an attack or a statistic is run on the finished tables beside the original, and a bound on what it
finds is compared with what was asked. A guarantee of a mechanism holds *by construction*: it follows from how the
release was made, and a ledger says what was spent. A verdict says of each promise which it is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import polars as pl

from paravent.arguments import Checked, Shown

if TYPE_CHECKING:
    from paravent.privacy.language import Language

KnownBy = Literal["derived", "measured", "constructed"]

KNOWN_BY: Mapping[KnownBy, str] = {
    "derived": "derived from the finished tables",
    "measured": "measured on the finished tables, beside the original",
    "constructed": "by construction, from what the mechanism spent",
}


class Promise(Shown, Checked, ABC):
    """Something that a plan asks of a release. `repr` recreates it. Subclasses are frozen dataclasses."""

    protects: ClassVar[str]
    leaves_open: ClassVar[str]
    known_by: ClassVar[KnownBy]
    listed: ClassVar[bool] = True
    """Whether a plan may name it."""

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns that it reads beside the quasi-identifiers."""
        return ()

    @property
    def guards(self) -> tuple[str, ...]:
        """The sensitive columns that it protects."""
        return ()

    @property
    @abstractmethod
    def key(self) -> str:
        """The dotted name under which its level is reported, such as `privacy.k`."""

    @abstractmethod
    def describe(self) -> str:
        """The demand in a few words: `5-anonymity`."""


@dataclass(frozen=True)
class Found:
    """What was found of a promise that is not counted class by class: the level that was reached (of a measured one,
    the bound that is against us), whether that keeps it, and how it came about, in words."""

    level: float
    holds: bool
    words: str = ""


@dataclass(frozen=True, eq=False)
class Evidence:
    """What an attacker's opponent has: the finished frame beside the original. `kept[i]` is the original row of
    released row i; None where released rows are nobody's (synthetic ones) or nobody knows. `quasi` and `sensitive` name
    columns, `persons` says whose each original row is, where people are counted, and `languages` how the cells of
    columns are meant; `beside` are the further tables of the release."""

    released: pl.DataFrame
    original: pl.DataFrame
    kept: np.ndarray | None
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    marked: np.ndarray | None = None
    persons: np.ndarray | None = None
    beside: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    languages: Mapping[str, Language] = field(default_factory=dict)

    @property
    def rows(self) -> np.ndarray:
        """The released rows that are about somebody."""
        every = np.arange(self.released.height)
        return every if self.marked is None else every[~self.marked]


class Limit(Promise):
    """A limit on what an attack or a statistic finds in the finished tables."""

    known_by: ClassVar[KnownBy] = "measured"

    def check_table(self, table: pl.DataFrame, quasi: Sequence[str], sensitive: Sequence[str]) -> None:
        """Raise PlanError where it cannot be measured on a release of these columns."""

    @abstractmethod
    def measure(self, evidence: Evidence) -> Found:
        """Measure it, with the bound of its uncertainty that is against us."""


@dataclass(frozen=True)
class Entry:
    """One line of a mechanism's ledger: what was done, and what it spent, by the names of the parameters."""

    what: str
    spent: Mapping[str, float]


class Constructed(Promise):
    """A guarantee that follows from how a release is made."""

    known_by: ClassVar[KnownBy] = "constructed"

    @abstractmethod
    def judge(self, account: Sequence[Entry]) -> Found:
        """Whether what was spent, all together, stays within what was asked."""


def as_document(entry: Entry) -> dict[str, Any]:
    return {"what": entry.what, "spent": dict(entry.spent)}
