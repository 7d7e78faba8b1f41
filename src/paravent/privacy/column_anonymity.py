"""Anonymity of each column by itself: what individual ranking promises, and no more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from paravent.privacy.model import SizeModel


@dataclass(frozen=True)
class ColumnAnonymity(SizeModel):
    """Every value of every quasi-identifier stands in at least k rows. This is no k-anonymity: two columns together may
    still single somebody out.

    The verifier judges the classes of each column. Methods that look at whole rows may take it for k-anonymity, which
    suffices.

    >>> import numpy as np
    >>> from paravent.privacy.classes import Classes
    >>> ColumnAnonymity(2).holds(Classes(np.array([1, 2, 5]), {})).tolist()
    [False, True, True]
    """

    k: int

    protects: ClassVar[str] = (
        "Somebody who knows one quasi-identifier of a person cannot tell which of k rows is theirs."
    )
    leaves_open: ClassVar[str] = "Somebody who knows several may find the row: this is no k-anonymity."

    @property
    def by_column(self) -> bool:
        return True

    @property
    def key(self) -> str:
        return "privacy.column_k"

    def describe(self) -> str:
        return f"{self.k}-anonymity of each column"
