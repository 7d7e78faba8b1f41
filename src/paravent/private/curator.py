"""Curator: the one place that sees exact counts of the table that a synthetic release is made of. Whoever asks gets
counts with noise, or a candidate chosen by a mechanism; every answer is paid for before it is drawn, and written
down."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import isqrt
from typing import Protocol

import numpy as np

from paravent.errors import UnsafeReleaseError
from paravent.private.graphical.fit import Noisy
from paravent.private.graphical.junction import Columns, cells_of
from paravent.private.graphical.sample import flat
from paravent.private.public_rows import exact_counts
from paravent.private.transcript import Measured, Selected, Step

_POINT = 256
"""Counts that a model expects are rounded to this part of a row, so that scores are whole numbers."""


class Mechanisms(Protocol):
    """What draws noise: `paravent.private.mechanisms`, unless the seed is known or a test plants an error."""

    def gaussian(self, counts: np.ndarray, sigma2: Fraction) -> np.ndarray: ...
    def laplace(self, counts: np.ndarray, scale: Fraction) -> np.ndarray: ...
    def select(self, scores: np.ndarray, epsilon: Fraction, sensitivity: int) -> int: ...


@dataclass(eq=False)
class Purse:
    """What may be spent: rho of zero-concentrated differential privacy, or epsilon where `pure`; and what was done with
    it. One person has at most `rows_each` rows."""

    allowed: Fraction
    mechanisms: Mechanisms
    pure: bool = False
    rows_each: int = 1
    progress: Callable[[float], None] = lambda share: None  # noqa: ARG005
    steps: list[Step] = field(default_factory=list, init=False)
    spent: Fraction = field(default=Fraction(0), init=False)

    @property
    def left(self) -> Fraction:
        return self.allowed - self.spent

    def pay(self, cost: Fraction) -> None:
        if cost > self.left:
            raise UnsafeReleaseError("the mechanism wanted to spend more than it was given. Nothing is released.")
        self.spent += cost
        self.progress(float(self.spent / self.allowed))

    def epsilon_for(self, cost: Fraction) -> Fraction:
        """The epsilon of a choice that costs so much."""
        return cost if self.pure else _root(8 * cost)


@dataclass(eq=False)
class Curator:
    """Codes of columns, each below its size, and the purse that answers about them are paid from."""

    codes: Sequence[np.ndarray]
    sizes: tuple[int, ...]
    purse: Purse
    names: Sequence[str] = ()
    public: Columns = ()
    """Columns of which everybody may know the exact counts."""
    ordered: Columns = ()
    """Columns in which cells side by side hold values that are alike."""
    _counted: dict[Columns, np.ndarray] = field(default_factory=dict, init=False, repr=False)

    @property
    def hidden(self) -> Columns:
        """The columns that are not public."""
        return tuple(column for column in range(len(self.sizes)) if column not in self.public)

    @property
    def total(self) -> float | None:
        """The number of rows, where it is public."""
        return float(len(self.codes[0])) if self.public else None

    def known(self) -> list[Noisy]:
        """The counts of public columns, which cost nothing."""
        return exact_counts({column: self.codes[column] for column in self.public}, self.sizes) if self.public else []

    def measure(self, columns: Columns, cost: Fraction) -> Noisy:
        """Counts of the cells of some columns, with as much noise as the cost buys."""
        purse = self.purse
        scale = _fine(purse.rows_each / cost if purse.pure else purse.rows_each**2 / (2 * cost))
        purse.pay(Measured(columns, scale, purse.pure, purse.rows_each).cost)
        counts = self._counts(columns)
        draw = purse.mechanisms.laplace if purse.pure else purse.mechanisms.gaussian
        step = Measured(columns, scale, purse.pure, purse.rows_each, np.asarray(draw(counts, scale)).ravel())
        purse.steps.append(step)
        return step.noisy(self.sizes)

    def select(
        self,
        expected: Mapping[Columns, np.ndarray],
        cost: Fraction,
        *,
        weights: Mapping[Columns, int] | None = None,
        handicaps: Mapping[Columns, float] | None = None,
    ) -> Columns:
        """The set of columns whose exact counts are furthest from the expected ones, as far as the cost lets it be
        told. The score of a set is its weight times the L1 distance less its handicap; neither is a secret."""
        candidates, purse = list(expected), self.purse
        scores = np.zeros(len(candidates), dtype=np.int64)
        for place, columns in enumerate(candidates):
            rounded = np.rint(expected[columns] * _POINT).astype(np.int64)
            away = int(np.abs(self._counts(columns) * _POINT - rounded).sum())
            less = 0 if handicaps is None else round(handicaps[columns] * _POINT)
            scores[place] = (1 if weights is None else weights[columns]) * (away - less)
        most = 1 if weights is None else max(weights[columns] for columns in candidates)
        epsilon = purse.epsilon_for(cost)
        step = Selected("columns", len(candidates), epsilon, purse.pure)
        purse.pay(step.cost)
        place = int(purse.mechanisms.select(scores, epsilon, _POINT * most * purse.rows_each))
        purse.steps.append(Selected("columns", len(candidates), epsilon, purse.pure, candidates[place]))
        return candidates[place]

    def _counts(self, columns: Columns) -> np.ndarray:
        if columns not in self._counted:
            sizes = [self.sizes[column] for column in columns]
            codes = flat([self.codes[column] for column in columns], sizes, len(self.codes[0]))
            self._counted[columns] = np.bincount(codes, minlength=cells_of(columns, self.sizes)).reshape(sizes)
        return self._counted[columns]


def quantile_starts(name: str, points: np.ndarray, n_points: int, bins: int, cost: Fraction, purse: Purse) -> list[int]:
    """Where cells of about equally many rows begin on a grid. Spans are halved, again and again, at a median chosen by
    the exponential mechanism; the spans of one round share no row, so that a round costs as much as one choice.
    `points` are the places of the rows on the grid, negative where they have none."""
    rounds = max(1, (bins - 1).bit_length())
    epsilon = purse.epsilon_for(cost / rounds)
    counts = np.bincount(points[points >= 0], minlength=n_points)
    spans = [(0, n_points)]
    for level in range(rounds):
        step = Selected(f"medians of {name}, round {level + 1}", n_points, epsilon, purse.pure)
        purse.pay(step.cost)
        halves: list[tuple[int, int]] = []
        for first, last in spans:
            if last - first < 2 or len(halves) + len(spans) > bins * 2:
                halves.append((first, last))
                continue
            below = np.cumsum(counts[first:last])
            scores = -np.abs(2 * below[:-1] - below[-1])
            cut = first + 1 + int(purse.mechanisms.select(scores, epsilon, purse.rows_each))
            halves += [(first, cut), (cut, last)]
        spans = halves
        chosen = tuple(first for first, _ in spans)
        purse.steps.append(Selected(step.what, n_points, epsilon, purse.pure, chosen))
    return [first for first, _ in spans]


def _fine(scale: Fraction) -> Fraction:
    """A scale in steps of 2^−40 that is no smaller: noise is never less than was paid for."""
    return Fraction(-(-scale.numerator * 2**40 // scale.denominator), 2**40)


def _root(square: Fraction) -> Fraction:
    """A square root, rounded down."""
    return Fraction(isqrt(square.numerator * 2**80 // square.denominator), 2**40)
