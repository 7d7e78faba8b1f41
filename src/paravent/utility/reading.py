"""Reading a released column back: which original values each of its cells may stand for.

Only distinct labels are parsed, so a million rows cost as much as their few thousand different cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from paravent.errors import TableError, quote
from paravent.hierarchy.labels import LabelReader
from paravent.hierarchy.tree import ROOT_LABEL
from paravent.methods.method import Axis
from paravent.privacy.grouping import cell_codes
from paravent.table.kinds import Kind
from paravent.table.text import as_text

SUPPRESSED = (ROOT_LABEL, "")


@dataclass(frozen=True, eq=False)
class Reading:
    """A released quasi-identifier: row i holds `labels[codes[i]]`, which covers the ranks `covers[codes[i]]`.

    A cell that says nothing (`*`, empty, or of a column that was not released) covers all ranks and is `blank`. In a
    column whose missing values are wildcards an empty cell was `never_known`: nothing is lost there.
    """

    axis: Axis
    labels: tuple[str | None, ...]
    codes: np.ndarray
    covers: tuple[Sequence[int], ...]
    blank: np.ndarray
    never_known: np.ndarray

    @classmethod
    def of(cls, axis: Axis, released: pl.DataFrame, *, wildcard: bool = False) -> Reading:
        everything = range(len(axis))
        if axis.name not in released.columns:
            codes = np.zeros(released.height, np.int32)
            return cls(axis, (None,), codes, (everything,), np.array([True]), np.array([False]))
        codes, labels = _distinct(released[axis.name])
        known = _known_values(axis, labels)
        blank = np.array([label is None or (label in SUPPRESSED and known[i] < 0) for i, label in enumerate(labels)])
        reader = LabelReader(axis.values, axis.tree, axis.positions)
        covers: list[Sequence[int]] = []
        for label, rank, is_blank in zip(labels, known.tolist(), blank.tolist(), strict=True):
            if is_blank:
                covers.append(everything)
            elif rank >= 0:
                covers.append(range(rank, rank + 1))
            else:
                covers.append(_parsed(reader, axis, str(label)))
        never_known = np.array([wildcard and label is None for label in labels], dtype=bool)
        return cls(axis, tuple(labels), codes, tuple(covers), blank.astype(bool) & ~never_known, never_known)

    @cached_property
    def counts(self) -> np.ndarray:
        """How many released rows hold each label."""
        return np.bincount(self.codes, minlength=len(self.labels))

    @cached_property
    def n_covered(self) -> np.ndarray:
        return np.array([len(ranks) for ranks in self.covers], dtype=np.int64)

    @cached_property
    def only(self) -> np.ndarray:
        """The one rank a label stands for, or −1 where it stands for several."""
        alone = [ranks[0] if len(ranks) == 1 else -1 for ranks in self.covers]
        return np.where(self.blank | self.never_known, -1, np.array(alone, dtype=np.int64))

    def changed(self, kept: np.ndarray) -> np.ndarray:
        """Which released cells do not show exactly the value of their original row."""
        return np.asarray((self.only[self.codes] != self.axis.codes[kept]) & ~self.never_known[self.codes])

    def spread(self, rows: np.ndarray) -> np.ndarray:
        """The expected number of released rows of each rank when every cell is spread evenly over what it covers.

        This is what somebody who has nothing but the release would assume. `rows` says which rows are counted.
        """
        counts = np.bincount(self.codes[rows], minlength=len(self.labels))
        total = np.zeros(len(self.axis) + 1)  # differences: a range adds at its two ends
        scattered = np.zeros(len(self.axis))
        for ranks, count in zip(self.covers, counts.tolist(), strict=True):
            share = count / len(ranks) if len(ranks) else 0.0
            if isinstance(ranks, range):
                total[ranks.start] += share
                total[ranks.stop] -= share
            else:
                scattered[list(ranks)] += share
        return np.asarray(np.maximum(np.cumsum(total[:-1]) + scattered, 0.0))


def places(axis: Axis) -> np.ndarray | None:
    """The values of an axis on a line, where the column has one. A missing value kept as a value has no place (nan)."""
    if axis.positions is not None:
        return axis.positions
    texts = pl.Series(axis.values, dtype=pl.String)
    if axis.kind.is_numeric:
        found = texts.cast(pl.Float64, strict=False)
    elif axis.kind is Kind.DATE:
        found = texts.str.to_datetime(time_unit="us", strict=False).cast(pl.Int64) / 86_400e6
    else:
        return None
    return found.fill_null(float("nan")).to_numpy() if found.count() else None


def _distinct(column: pl.Series) -> tuple[np.ndarray, list[str | None]]:
    """The code of each row and the text of each code."""
    codes = cell_codes(column)
    some_row = np.full(int(codes.max()) + 1 if len(codes) else 0, -1, dtype=np.int64)
    some_row[codes] = np.arange(len(codes))
    occurs = some_row >= 0
    renumbered = (np.cumsum(occurs) - 1).astype(np.int32)
    return renumbered[codes], as_text(column.gather(some_row[occurs])).to_list()


def _known_values(axis: Axis, labels: list[str | None]) -> np.ndarray:
    """The rank of each label that is a value of the column itself, −1 for the others. Most labels, as a rule."""
    values = pl.DataFrame(
        {"label": axis.values, "rank": np.arange(len(axis))}, schema={"label": pl.String, "rank": pl.Int64}
    )
    asked = pl.DataFrame({"label": labels}, schema={"label": pl.String})
    found = asked.join(values, on="label", how="left", maintain_order="left")["rank"].fill_null(-1)
    return np.asarray(found.to_numpy())


def _parsed(reader: LabelReader, axis: Axis, label: str) -> Sequence[int]:
    covered = reader.covers(label)
    if covered is None:
        raise TableError(
            f"column {axis.name!r}: cell {quote(label)} is neither a value of the original column nor a label of its "
            "tree, a range or a set of values. Compare the release with the table and plan it was made from."
        )
    return covered if isinstance(covered, range) else sorted(set(covered))
