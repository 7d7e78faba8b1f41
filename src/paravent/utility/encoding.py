"""Cells as numbers that a learner understands, generalized or not.

Each quasi-identifier becomes one number a value (or group of neighbouring values): the share of it in the cell. An
exact value is 1 in one place; a cell that covers four values is ¼ in four; one that says nothing is spread over all
(Inan, Kantarcioglu, Bertino 2009). Numbers add their expected place on the line, standardised. The *proportional*
encoding takes the shares that the values really have in the class of the row (Mauger 2021, conclusion): it tells a
little more than the labels do.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from paravent.utility.grouped import Grouped
from paravent.utility.subject import Subject

_MOST_VALUES = 64
_MOST_STRETCHES = 16


@dataclass(frozen=True, eq=False)
class Encoding:
    """The columns of a subject as matrices: `shares` (for counting learners), and with `places` beside them."""

    subject: Subject

    @cached_property
    def columns(self) -> tuple[Grouped, ...]:
        found = []
        for reading in self.subject.readings:
            on_line = reading.axis.line is not None
            found.append(Grouped.of(reading, _MOST_STRETCHES if on_line else _MOST_VALUES))
        return tuple(found)

    @cached_property
    def widths(self) -> tuple[int, ...]:
        """The number of shares of each column."""
        return tuple(column.n_groups for column in self.columns)

    @property
    def n_shares(self) -> int:
        return sum(self.widths)

    def original(self, rows: np.ndarray) -> np.ndarray:
        """Rows of the original: every cell is exact."""
        blocks = [
            np.eye(column.n_groups, dtype=np.float32)[column.of_rank[axis.codes[rows]]]
            for column, axis in zip(self.columns, self.subject.axes, strict=True)
        ]
        lines = [
            scaled[reading.axis.codes[rows], None]
            for reading, scaled in zip(self.subject.readings, self._of_rank, strict=True)
            if scaled is not None
        ]
        return np.hstack([*blocks, *lines])

    def released(self, rows: np.ndarray) -> np.ndarray:
        """Rows of the release: every cell spread evenly over what it covers."""
        blocks = [
            column.shares.astype(np.float32)[column.shape_of_label[reading.codes[rows]]]
            for column, reading in zip(self.columns, self.subject.readings, strict=True)
        ]
        lines = []
        for reading, scaled in zip(self.subject.readings, self._of_rank, strict=True):
            if scaled is not None and reading.expected is not None:
                centre, scale = self._scale(reading.axis.codes, reading.axis.line)
                told = np.nan_to_num((reading.expected - centre) / scale)  # what says nothing stands in the middle
                lines.append(told.astype(np.float32)[reading.codes[rows], None])
        return np.hstack([*blocks, *lines])

    def proportional(self, rows: np.ndarray) -> np.ndarray:
        """Rows of the release: the proportions of the original values in the class of each row."""
        kept = self.subject.kept
        assert kept is not None
        of_row, n_classes = self.subject.of_row, len(self.subject.classes)
        real = np.flatnonzero(of_row >= 0)
        sizes = self.subject.classes.sizes[:, None]
        blocks, lines = [], []
        for column, axis, scaled in zip(self.columns, self.subject.axes, self._of_rank, strict=True):
            codes = axis.codes[kept[real]]
            pair = of_row[real] * column.n_groups + column.of_rank[codes]
            counts = np.bincount(pair, minlength=n_classes * column.n_groups).reshape(n_classes, column.n_groups)
            blocks.append((counts / sizes).astype(np.float32)[of_row[rows]])
            if scaled is not None:
                sums = np.bincount(of_row[real], weights=scaled[codes], minlength=n_classes)
                lines.append((sums / sizes[:, 0]).astype(np.float32)[of_row[rows], None])
        return np.hstack([*blocks, *lines])

    def drawn(self, matrix: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """One exact value drawn for each cell by its shares, for learners that split on single values: they would take
        half an `a` and half a `b` for a third kind of cell. Cells that are exact stay as they are."""
        found = np.zeros_like(matrix)
        at, line = 0, self.n_shares
        for column, axis, scaled in zip(self.columns, self.subject.axes, self._of_rank, strict=True):
            block = matrix[:, at : at + column.n_groups]
            reached = np.cumsum(block, axis=1)
            picked = (reached < rng.random(len(matrix))[:, None] * reached[:, -1:]).sum(axis=1)
            found[np.arange(len(matrix)), at + picked] = 1
            if scaled is not None:
                rows = np.bincount(axis.codes, minlength=len(axis))
                sums = np.bincount(column.of_rank, weights=scaled * rows, minlength=column.n_groups)
                means = sums / np.bincount(column.of_rank, weights=rows, minlength=column.n_groups)
                exact = block.max(axis=1) == 1
                found[:, line] = np.where(exact, matrix[:, line], means[picked])
                line += 1
            at += column.n_groups
        return found

    @cached_property
    def _of_rank(self) -> tuple[np.ndarray | None, ...]:
        """The standardised place of each rank, for the columns that have one."""
        found: list[np.ndarray | None] = []
        for reading in self.subject.readings:
            line = reading.axis.line
            if line is None:
                found.append(None)
            else:
                centre, scale = self._scale(reading.axis.codes, line)
                found.append(np.nan_to_num((line - centre) / scale).astype(np.float32))
        return tuple(found)

    def _scale(self, codes: np.ndarray, line: np.ndarray | None) -> tuple[float, float]:
        assert line is not None
        counts = np.bincount(codes, minlength=len(line))[: len(line)] * np.isfinite(line)
        values = np.nan_to_num(line)
        centre = float(np.dot(counts, values) / max(int(counts.sum()), 1))
        spread = float(np.dot(counts, (values - centre) ** 2) / max(int(counts.sum()), 1))
        return centre, spread**0.5 or 1.0
