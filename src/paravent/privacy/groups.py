"""Groups of rows that share their sensitive values: how classes show in the tables of bucketization and anatomy.

Whoever finds a person's row reads the number of its group, and learns which values the group holds and how often, but
not which is whose. A class is a group, for every model of what people have. For those of who is who it is none: the
quasi-identifiers stand in the first table as they were.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from paravent.errors import TableError, UnsafeReleaseError
from paravent.privacy.derivation import Derivation, Part, View
from paravent.privacy.frame_cells import cells_of, check_columns, key_of_rows
from paravent.privacy.grouping import dense_codes
from paravent.privacy.model import Model
from paravent.table.text import as_text, is_text


@dataclass(frozen=True)
class Groups(Derivation):
    """Rows with the same number in the column `group` are a class; their sensitive values stand beside them in any
    order, or are counted by group in the table `tally`, in its last column."""

    group: str
    tally: str | None = None

    @property
    def tables(self) -> tuple[str, ...]:
        return () if self.tally is None else (self.tally,)

    def serves(self, model: Model) -> bool:
        return bool(model.guards)

    def note(self, k: int) -> str:
        return (
            f"No k-anonymity: the quasi-identifiers are published as they are, so anybody can be found (k is {k}). "
            f"Only which sensitive value is whose is hidden, among the rows that share a number in {self.group!r}."
        )

    def view(self, frame: pl.DataFrame, beside: Mapping[str, pl.DataFrame], columns: Sequence[str]) -> View:
        check_columns(frame, [self.group])
        if self.tally is None:
            check_columns(frame, columns)
            return View(frame[list(dict.fromkeys((self.group, *columns)))], (self.group,))
        if self.tally not in beside:
            raise TableError(
                f"the release has no table {self.tally!r}, which tells what its groups hold. Give all its tables."
            )
        told = beside[self.tally]
        check_columns(told, (self.group, *columns))
        count = told.columns[-1]
        counts = cells_of(told, count).cast(pl.Int64, strict=False).fill_null(0).to_numpy()
        if count == self.group or count in columns or not (counts > 0).all():
            raise TableError(f"table {self.tally!r}: its last column must hold counts from 1.")
        found = told[list(dict.fromkeys((self.group, *columns)))][np.repeat(np.arange(told.height), counts)]
        _check_sizes(cells_of(frame, self.group), cells_of(found, self.group), self.tally)
        return View(found, (self.group,))

    def parts(
        self, frame: pl.DataFrame, beside: Mapping[str, pl.DataFrame], sensitive: Sequence[str]
    ) -> tuple[Part, ...]:
        found = self.view(frame, beside, sensitive).frame
        numbers = joined(cells_of(frame, self.group), cells_of(found, self.group))
        bucket, _ = dense_codes(key_of_rows([numbers], len(numbers)))
        plain = [name for name in frame.columns if name != self.group and name not in sensitive]
        return (
            Part(frame[plain], bucket[: frame.height]),
            Part(found[list(sensitive)], bucket[frame.height :], first=self.tally is None),
        )

    def check_truth(
        self,
        frame: pl.DataFrame,
        beside: Mapping[str, pl.DataFrame],
        original: pl.DataFrame,
        sensitive: Sequence[str],
    ) -> None:
        """The values of each group are those of its rows."""
        found = self.view(frame, beside, sensitive).frame
        for name in sensitive:
            shown = (cells_of(found, self.group), cells_of(found, name))
            if not same_tallies(shown, (cells_of(frame, self.group), cells_of(original, name))):
                raise UnsafeReleaseError(
                    f"column {name!r}: the values of a group are not those of its rows. Nothing is released."
                )


def same_tallies(a: tuple[pl.Series, ...], b: tuple[pl.Series, ...]) -> bool:
    """Whether two tables, given as columns, have the same rows, each as often, in whatever order."""
    height = len(a[0])
    if height != len(b[0]):
        return False
    key = key_of_rows([joined(*pair) for pair in zip(a, b, strict=True)], 2 * height)
    return bool(np.array_equal(np.sort(key[:height]), np.sort(key[height:])))


def joined(a: pl.Series, b: pl.Series) -> pl.Series:
    """Two columns under one another, as texts where they are written in different ways."""
    if a.dtype != b.dtype or is_text(a.dtype):
        a, b = as_text(a.alias("cells")), as_text(b.alias("cells"))
    return pl.concat([a.alias("cells"), b.alias("cells")])


def _check_sizes(first: pl.Series, told: pl.Series, name: str) -> None:
    """Refuse tables that do not belong together."""
    if not same_tallies((first,), (told,)):
        raise TableError(
            f"table {name!r}: its groups are not those of the first table, or have other sizes. "
            "Give the tables of one release."
        )
