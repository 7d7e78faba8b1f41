"""Relinking: how many released rows lead back to whom they are about, for an intruder who has the whole original.

*By distance* a released row is linked to the original nearest to it, all columns together (Pagliuca and Seri 1999).
*By probability* it is linked to the one with the highest weight of Fellegi and Sunter (1969): in each column the two
are equal, close (at most a tenth of a standard deviation apart) or different, which counts by how often it is so for
true pairs and for all. The intruder is taken to know these frequencies, as somebody does who knows how the release was
made. Of equally good originals one is guessed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal

import numpy as np
import polars as pl

from paravent.privacy.confidence import clopper_pearson
from paravent.privacy.grouping import cell_codes, group_rows
from paravent.privacy.language import Language
from paravent.privacy.risk.linkage import CLOSE
from paravent.privacy.risk.nearness import Nearness, nearness

By = Literal["distance", "probability"]

MOST_DRAWN = 2_000
_MOST_PAIRS = 1_000_000_000
_SEED = 19_340
_FOR_FREQUENCIES = 200
_SAME = 1e-9
"""Distances that differ by less than this share are the same, whatever rounding made of them."""


_LEVELS = 3


def _agreement(gaps: np.ndarray) -> np.ndarray:
    """0 where a pair is equal, 1 where it is close, 2 where it is different."""
    return (gaps > _SAME).astype(np.int8) + (gaps > CLOSE + _SAME)


@dataclass(frozen=True)
class Relinked:
    """`rate` is the share of right links: exactly, where everybody was `tried`; else the highest that fits what was
    found, with `confidence`. `control` is the share that somebody finds who guesses without the release."""

    rate: Fraction
    control: Fraction
    tried: int
    found: float
    everybody: bool
    confidence: float

    @property
    def excess(self) -> Fraction:
        """What the release adds to a guess: (rate − control) / (1 − control). Where a guess cannot fail, anything."""
        if self.control >= 1:
            return Fraction(1)
        return max(Fraction(0), (self.rate - self.control) / (1 - self.control))


@dataclass(frozen=True, eq=False)
class Relinking:
    """Released rows beside all originals: row i was made from the original `kept[i]`, and `persons` says whose each
    original is, where somebody has several: a link to any of them is right."""

    columns: tuple[Nearness, ...]
    kept: np.ndarray
    tuples: np.ndarray
    persons: np.ndarray | None = None

    @classmethod
    def of(
        cls,
        released: pl.DataFrame,
        original: pl.DataFrame,
        kept: np.ndarray,
        columns: Sequence[str],
        *,
        languages: Mapping[str, Language] | None = None,
        persons: np.ndarray | None = None,
    ) -> Relinking:
        """By the columns named, the one with the most different values first: it rules out most."""
        codes = {name: cell_codes(original[name].alias("cells")) for name in columns}
        telling = sorted(columns, key=lambda name: -len(np.unique(codes[name])))
        apart = [codes[name] for name in columns] + ([] if persons is None else [persons])
        tuples, _ = group_rows(apart, original.height)
        near = (nearness(released[name], original[name], kept, (languages or {}).get(name)) for name in telling)
        return cls(tuple(near), kept, tuples, persons)

    @cached_property
    def _folded(self) -> tuple[np.ndarray, np.ndarray]:
        """An original of each distinct tuple, and how many there are of it."""
        count = np.bincount(self.tuples)
        some = np.zeros(len(count), dtype=np.int64)
        some[self.tuples] = np.arange(len(self.tuples))
        return some, count

    def chance(self, row: int, by: By) -> Fraction:
        """How likely a released row is linked to whom it is about."""
        some, count = self._folded
        best = self._nearest(row) if by == "distance" else self._likeliest(row)
        own = self.kept[row]
        if self.persons is None:
            right = int((best == self.tuples[own]).any())
        else:
            right = int(count[best][self.persons[some[best]] == self.persons[own]].sum())
        return Fraction(right, int(count[best].sum()))

    def _nearest(self, row: int) -> np.ndarray:
        """The tuples nearest to a row. Whoever is further away than its own original is left out column by column."""
        some, _ = self._folded
        own = np.array([self.kept[row]])
        reach = sum(float(column.gaps(row, own)[0]) ** 2 for column in self.columns) * (1 + _SAME)
        left, total = np.arange(len(some)), np.zeros(len(some))
        for column in self.columns:
            total += column.gaps(row, some[left]) ** 2
            inside = total <= reach
            left, total = left[inside], total[inside]
        nearest: np.ndarray = left[total <= total.min() * (1 + _SAME)]
        return nearest

    def _likeliest(self, row: int) -> np.ndarray:
        some, _ = self._folded
        total = np.zeros(len(some))
        for weights, column in zip(self.weights, self.columns, strict=True):
            total += weights[_agreement(column.gaps(row, some))]
        return np.flatnonzero(total >= total.max() - _SAME)

    @cached_property
    def weights(self) -> np.ndarray:
        """What each column adds where a pair is equal, close or different in it: ln(m / u), for the shares m of true
        pairs and u of all pairs that are so, both at least a millionth."""
        some, count = self._folded
        rows = np.linspace(0, len(self.kept) - 1, min(_FOR_FREQUENCIES, len(self.kept))).astype(np.int64)
        true, every = np.zeros((len(self.columns), _LEVELS)), np.zeros((len(self.columns), _LEVELS))
        for j, column in enumerate(self.columns):
            for row in rows.tolist():
                agreement = _agreement(column.gaps(row, some))
                true[j, agreement[self.tuples[self.kept[row]]]] += 1
                every[j] += np.bincount(agreement, weights=count, minlength=_LEVELS)
        m, u = (np.maximum(seen / seen.sum(axis=1, keepdims=True), 1e-6) for seen in (true, every))
        return np.asarray(np.log(m / u))

    def relinked(self, rows: np.ndarray, by: By, *, confidence: float = 0.95, most: int = MOST_DRAWN) -> Relinked:
        """The share of some released rows that are linked back: all of them where they are at most `most`, else of as
        many as are drawn from them, the same in every run. Where people are counted, somebody with several rows is
        found as soon as the most exposed of them is."""
        units = self._units(rows)
        affordable = _MOST_PAIRS // max(len(self._folded[0]) * len(self.columns), 1)
        draws = min(most, max(affordable, 100))
        if len(units) <= draws:
            shares = Counter(self._highest(unit, by) for unit in units)
            rate = sum((share * times for share, times in shares.items()), Fraction(0)) / max(len(units), 1)
            return Relinked(rate, self._control(units), len(units), float(rate), True, confidence)
        # Drawn with replacement and each link tried once, the successes are binomial: the bound of Clopper and Pearson
        # is exact.
        rng = np.random.default_rng(_SEED)
        drawn, coins = rng.integers(0, len(units), draws), rng.random(draws)
        hits = sum(coin < self._highest(units[i], by) for i, coin in zip(drawn.tolist(), coins.tolist(), strict=True))
        bound = Fraction(clopper_pearson(hits, draws, confidence))
        return Relinked(bound, self._control(units), draws, hits / draws, False, confidence)

    def _units(self, rows: np.ndarray) -> list[np.ndarray]:
        """The rows of each person; each row by itself where rows are counted."""
        if self.persons is None:
            return list(rows.reshape(-1, 1))
        order = rows[np.argsort(self.persons[self.kept[rows]], kind="stable")]
        starts = np.flatnonzero(np.diff(self.persons[self.kept[order]])) + 1
        return np.split(order, starts) if len(order) else []

    def _highest(self, unit: np.ndarray, by: By) -> Fraction:
        return max(self.chance(row, by) for row in unit.tolist())

    def _control(self, units: Sequence[np.ndarray]) -> Fraction:
        """How often a link drawn among all originals is right."""
        total = len(self.tuples)
        if self.persons is None:
            return Fraction(1, total)
        rows = np.bincount(self.persons)
        right = sum(int(rows[self.persons[self.kept[unit[0]]]]) for unit in units)
        return Fraction(right, total * max(len(units), 1))
