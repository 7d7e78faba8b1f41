"""Codes of all rows in files that are mapped into memory, and the distinct tuples among them.

A tuple is a number of up to 63 bits: its codes in mixed radix, the first column first, so that numbers ascend as tuples
do. Where one number cannot hold all columns, the place of the tuple so far takes the room of its columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl

from paravent.engine.streaming.source import Files

_LARGEST = 2**62
_WAITING = 1 << 22
"""So many numbers wait before they are counted with the others."""


@dataclass(frozen=True, eq=False)
class Translation:
    """Which code each value of a column has; code `missing` where the cell is."""

    values: pl.Series
    codes: np.ndarray
    missing: int
    size: int

    def __call__(self, cells: pl.Series) -> np.ndarray:
        found = cells.alias("cells").replace_strict(
            self.values, pl.Series(self.codes), default=None, return_dtype=pl.Int32
        )
        return found.fill_null(self.missing).to_numpy()


@dataclass(frozen=True, eq=False)
class Encoded:
    """A file of codes for each column, in the smallest type that holds them."""

    files: Mapping[str, np.ndarray]
    sizes: Mapping[str, int]
    rows: int

    @classmethod
    def of(cls, source: Files, translations: Mapping[str, Translation], folder: Path, at_once: int) -> Encoded:
        files = {
            name: np.lib.format.open_memmap(
                folder / f"{place}.npy", "w+", np.dtype(_narrow(translation.size)), (source.rows,)
            )
            for place, (name, translation) in enumerate(translations.items())
        }
        done = 0
        for batch in source.batches(list(translations), at_once):
            for name, translation in translations.items():
                files[name][done : done + batch.height] = translation(batch[name])
            done += batch.height
            for file in files.values():
                file.flush()
        return cls(files, {name: translation.size for name, translation in translations.items()}, source.rows)

    def batches(self, at_once: int) -> Iterator[dict[str, np.ndarray]]:
        for begin in range(0, self.rows, at_once):
            yield self.slice(begin, at_once)

    def slice(self, begin: int, rows: int) -> dict[str, np.ndarray]:
        return {name: np.array(file[begin : begin + rows], dtype=np.int64) for name, file in self.files.items()}


@dataclass(frozen=True, eq=False)
class Tuples:
    """The distinct tuples of some columns in lexicographic order: `codes` column by column, `weight[t]` rows hold
    tuple t."""

    codes: Mapping[str, np.ndarray]
    weight: np.ndarray
    stages: tuple[_Stage, ...] = field(repr=False)

    def __len__(self) -> int:
        return len(self.weight)

    def of_rows(self, codes: Mapping[str, np.ndarray]) -> np.ndarray:
        """The tuple of each row."""
        return _placed(codes, self.stages)

    def numbered(self) -> Tuples:
        """The same without their codes, which take most of the memory."""
        return Tuples({}, self.weight, self.stages)

    @classmethod
    def of(cls, encoded: Encoded, at_once: int, check: Callable[[int], None]) -> Tuples:
        """Fold all rows. `check` is asked again and again whether so many tuples still fit."""
        stages: list[_Stage] = []
        names, left = list(encoded.sizes), list(encoded.sizes)
        counts, known = np.zeros(0, dtype=np.int64), 1
        while left:
            taken = _fitting(left, encoded.sizes, known)
            left = left[len(taken) :]
            stage = _Stage(tuple(taken), tuple(encoded.sizes[name] for name in taken), np.zeros(0, dtype=np.int64))
            keys = np.zeros(0, dtype=np.int64)
            counts = np.zeros(0, dtype=np.int64)
            waiting: list[tuple[np.ndarray, np.ndarray]] = []
            for batch in encoded.batches(at_once):
                before = _placed(batch, stages) if stages else None
                waiting.append(np.unique(stage.number(batch, before), return_counts=True))
                if sum(len(each) for each, _ in waiting) > max(_WAITING, len(keys) // 2):
                    keys, counts = _merged([(keys, counts), *waiting])
                    waiting = []
                    check(len(keys))
            keys, counts = _merged([(keys, counts), *waiting])
            check(len(keys))
            stages.append(_Stage(stage.names, stage.sizes, keys))
            known = max(1, len(keys))
        return cls(_spelled(stages, names), counts, tuple(stages))


@dataclass(frozen=True, eq=False)
class _Stage:
    """Columns whose codes one number holds, behind the place of the tuple so far; `keys` are those that occur."""

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    keys: np.ndarray

    def number(self, codes: Mapping[str, np.ndarray], before: np.ndarray | None) -> np.ndarray:
        first = codes[self.names[0]]
        number = np.zeros(len(first), dtype=np.int64) if before is None else before.astype(np.int64)
        for name, size in zip(self.names, self.sizes, strict=True):
            number = number * size + codes[name]
        return number


def _fitting(names: Sequence[str], sizes: Mapping[str, int], known: int) -> list[str]:
    """As many columns as one number holds behind so many tuples; the next one in any case."""
    taken: list[str] = []
    space = known
    for name in names:
        if taken and space * sizes[name] > _LARGEST:
            break
        space *= max(1, sizes[name])
        taken.append(name)
    return taken


def _placed(codes: Mapping[str, np.ndarray], stages: Sequence[_Stage]) -> np.ndarray:
    place: np.ndarray | None = None
    for stage in stages:
        place = np.searchsorted(stage.keys, stage.number(codes, place))
    assert place is not None
    return place


def _merged(parts: Sequence[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    every = np.concatenate([keys for keys, _ in parts])
    order = np.argsort(every, kind="stable")
    every, counts = every[order], np.concatenate([counts for _, counts in parts])[order]
    if not len(every):
        return every, counts
    first = np.flatnonzero(np.r_[True, every[1:] != every[:-1]])
    return every[first], np.add.reduceat(counts, first)


def _spelled(stages: Sequence[_Stage], names: Sequence[str]) -> dict[str, np.ndarray]:
    """The codes of every tuple, from the last number back to the first."""
    found: dict[str, np.ndarray] = {}
    place = np.arange(len(stages[-1].keys))
    for stage in reversed(stages):
        number = stage.keys[place]
        for name, size in zip(reversed(stage.names), reversed(stage.sizes), strict=True):
            number, found[name] = number // size, (number % size).astype(np.int32)
        place = number
    return {name: found[name] for name in names}


def _narrow(size: int) -> str:
    return "i1" if size <= 2**7 else "i2" if size <= 2**15 else "i4"
