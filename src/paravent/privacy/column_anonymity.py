"""Anonymity of each column by itself: what individual ranking promises, and no more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from paravent.errors import InfeasibleError
from paravent.privacy.classes import Classes
from paravent.privacy.model import Model, check_whole


@dataclass(frozen=True)
class ColumnAnonymity(Model):
    """Every value of every quasi-identifier stands in at least k rows. This is no k-anonymity: two columns together may
    still single somebody out.

    The verifier judges the classes of each column. Methods that look at whole rows may take it for k-anonymity, which
    suffices.

    >>> ColumnAnonymity(2).holds(Classes(np.array([1, 2, 5]), {})).tolist()
    [False, True, True]
    """

    k: int

    protects: ClassVar[str] = (
        "Somebody who knows one quasi-identifier of a person cannot tell which of k rows is theirs."
    )
    leaves_open: ClassVar[str] = "Somebody who knows several may find the row: this is no k-anonymity."

    def __post_init__(self) -> None:
        check_whole("ColumnAnonymity: k", self.k)

    @property
    def by_column(self) -> bool:
        return True

    @property
    def least_size(self) -> int:
        return self.k

    @property
    def size_only(self) -> bool:
        return True

    @property
    def key(self) -> str:
        return "privacy.column_k"

    def holds(self, classes: Classes) -> np.ndarray:
        return np.asarray(classes.sizes >= self.k)

    def level(self, classes: Classes) -> float:
        return int(classes.sizes.min()) if len(classes) else 0

    def check_feasible(self, whole: Classes) -> None:
        rows = int(whole.sizes.sum())
        if rows < self.k:
            raise InfeasibleError(
                f"{self.describe()} cannot hold: the whole table has {rows} {whole.counted}. "
                f"Ask for k of at most {rows}."
            )

    def describe(self) -> str:
        return f"{self.k}-anonymity of each column"
