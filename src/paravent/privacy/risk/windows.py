"""Rows near a point, found without looking at all of them: a column in its order holds them in a window."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
import polars as pl

_CHUNK = 8_192


class Windows:
    """The distinct rows of some numbers and how often each occurs (`counts`), in the order of the column with the most
    distinct values (`main`, the first of equals)."""

    def __init__(self, numbers: np.ndarray):
        names = [f"{j}" for j in range(numbers.shape[1])]
        frame = pl.DataFrame({name: numbers[:, j] + 0.0 for j, name in enumerate(names)})  # + 0.0: −0 is 0
        folded = frame.group_by(names).len()
        distinct = [folded[name].n_unique() for name in names]
        self.main = int(np.argmax(distinct))
        folded = folded.sort(names[self.main])
        self.columns = [folded[name].to_numpy() for name in names]
        self.counts = folded["len"].to_numpy().astype(np.int64)
        self._sorted: dict[int, tuple[np.ndarray, np.ndarray]] = {}

    def __len__(self) -> int:
        return len(self.counts)

    @cached_property
    def by_telling(self) -> list[int]:
        """The columns, the main one first: the others have to be sorted when they are asked for."""
        return [self.main, *(j for j in range(len(self.columns)) if j != self.main)]

    def walk(self, column: int, point: float, reach: float) -> Iterator[slice | np.ndarray]:
        """The rows that differ from a number by at most `reach`, the nearest about first."""
        line, order = self._line(column)
        start = int(np.searchsorted(line, point - reach, side="left"))
        end = int(np.searchsorted(line, point + reach, side="right"))
        low = high = int(np.clip(np.searchsorted(line, point), start, end))
        step = _CHUNK // 8
        while low > start or high < end:
            new_low, new_high = max(start, low - step), min(end, high + step)
            for part in (slice(new_low, low), slice(high, new_high)):
                if part.stop > part.start:
                    yield part if order is None else order[part]
            low, high, step = new_low, new_high, min(2 * step, 16 * _CHUNK)

    def _line(self, column: int) -> tuple[np.ndarray, np.ndarray | None]:
        """A column in its order, and the rows in that order where it is not theirs."""
        if column == self.main:
            return self.columns[column], None
        if column not in self._sorted:
            order = np.argsort(self.columns[column])
            self._sorted[column] = self.columns[column][order], order
        return self._sorted[column]
