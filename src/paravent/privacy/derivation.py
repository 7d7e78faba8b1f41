"""How classes are derived from the finished tables of a release.

In a generalized table the rows that are equal in every quasi-identifier form a class. In a release of several tables
somebody joins them first: the rows of a bucket form a class, whatever their quasi-identifiers are. A derivation gives
the view in which the classes are the rows that are equal in some columns; the verifier groups it like any other frame.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from paravent.privacy.model import Model


@dataclass(frozen=True, eq=False)
class View:
    """A frame whose classes are the rows that are equal in the columns `apart`. `rows[i]` is the row of the first table
    that row i stands for; None where nobody can say, so that people cannot be counted."""

    frame: pl.DataFrame
    apart: tuple[str, ...]
    rows: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Part:
    """Columns that stand together in the rows of a table: of every two columns of a release that are in no part
    together, only the bucket tells which values may be one person's. `bucket[i]` is that of row i, numbered from 0 and
    alike in all parts. `first` tells that its rows are those of the first table."""

    frame: pl.DataFrame
    bucket: np.ndarray
    first: bool = True


class Derivation(ABC):
    """From the tables of a release to the view in which its classes show."""

    @property
    def tables(self) -> tuple[str, ...]:
        """The further tables that it reads."""
        return ()

    def note(self, k: int) -> str:  # noqa: ARG002
        """What a reader of the verdict has to know of such releases; `k` is the size of the smallest class of equal
        quasi-identifiers."""
        return ""

    @abstractmethod
    def serves(self, model: Model) -> bool:
        """Whether a model is judged on these classes; the others are judged on the quasi-identifiers' cells."""

    @abstractmethod
    def view(self, frame: pl.DataFrame, beside: Mapping[str, pl.DataFrame], columns: Sequence[str]) -> View:
        """The view, with the sensitive `columns` in it. `frame` is the first table, without marked rows."""

    def parts(
        self,
        frame: pl.DataFrame,  # noqa: ARG002
        beside: Mapping[str, pl.DataFrame],  # noqa: ARG002
        sensitive: Sequence[str],  # noqa: ARG002
    ) -> tuple[Part, ...]:
        """What stands together in the tables, for those who answer questions from them; none where all columns do."""
        return ()

    def check_truth(  # noqa: B027 (not every derivation has something to compare)
        self,
        frame: pl.DataFrame,
        beside: Mapping[str, pl.DataFrame],
        original: pl.DataFrame,
        sensitive: Sequence[str],
    ) -> None:
        """Raise UnsafeReleaseError where the tables together say of a class what is not true in a column of
        `sensitive`. Row i of the first table stands for row i of `original`."""
