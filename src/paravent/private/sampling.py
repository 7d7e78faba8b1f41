"""Sampling: how large classes must be in a random sample so that publishing them is differentially private.

Every row is drawn with probability β, its cells are generalized by rules that do not depend on the data, and classes of
fewer than k drawn rows are left out (Li, Qardaji and Su 2012; SafePub: Bild, Kuhn and Prasser 2018). Let one class have
N rows with a person and N − 1 without, and write f(j; N) for the probability that j of N rows are drawn. Then

- whatever comes out without the person is at most 1 / (1 − β) times likelier than with them, so β ≤ 1 − e^−ε;
- a class of j rows is (1 − β) N / (N − j) times likelier with the person, which exceeds e^ε where j > γN, for
  γ = 1 − (1 − β) e^−ε. That is the loss which δ has to cover, and classes below k do not come out at all.

`exact` is the δ by definition, the largest over N of Σ f(j; N) − e^ε f(j; N − 1) over the j ≥ k beyond γN; `published`
is that of SafePub, which leaves the second term out and so asks for larger classes. Nothing is rounded to the unsafe
side: β is a whole number of 2^−64, drawn as such, and every bound is computed with 50 digits, each rounded against us.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from paravent.errors import PlanError
from paravent.private.accounting import short

Bound = Literal["exact", "published"]

_FINE = 2**64
_UP, _DOWN = Context(prec=50, rounding=ROUND_CEILING), Context(prec=50, rounding=ROUND_FLOOR)
_MORE, _LESS = Decimal("1." + "0" * 44 + "1"), Decimal("0." + "9" * 45)
"""Times this, what `exp` and `ln` give is on the safe side: they round to the nearest of 50 digits."""
_NEGLIGIBLE = Decimal("1e-20")
_MOST_ROWS = 50_000
_AT_ONCE = 1 << 22
"""So many rows are drawn at a time where equal ones were counted before."""


@dataclass(frozen=True)
class Sampling:
    """Rows are drawn with probability `beta`; classes of at least `k` drawn rows may be published."""

    beta: Fraction
    k: int

    def draw(self, n_rows: int, unsafe: np.random.Generator | None = None) -> np.ndarray:
        """Which rows are drawn, each by 64 bits of the operating system's secure source. With `unsafe`, by random
        numbers of a known seed: then nothing is private."""
        below = self.beta * _FINE
        assert below.denominator == 1
        drawn = secure_words(n_rows) if unsafe is None else unsafe.integers(0, _FINE, n_rows, dtype=np.uint64)
        return np.asarray(drawn < np.uint64(below.numerator))

    def draw_of(self, times: np.ndarray, unsafe: np.random.Generator | None = None) -> np.ndarray:
        """How many are drawn where equal rows were counted, `times[i]` of the kind i: `draw` is asked for each single
        row of them, kind after kind.

        >>> Sampling(Fraction(1, 2), 1).draw_of(np.array([3, 0, 1000]), np.random.default_rng(0)).tolist()
        [2, 0, 473]
        """
        found, ends = np.zeros(len(times), dtype=np.int64), np.cumsum(times)
        total = int(ends[-1]) if len(ends) else 0
        for begin in range(0, total, _AT_ONCE):
            drawn = np.flatnonzero(self.draw(min(_AT_ONCE, total - begin), unsafe)) + begin
            kinds, counts = np.unique(np.searchsorted(ends, drawn, side="right"), return_counts=True)
            found[kinds] += counts
        return found


@dataclass(frozen=True)
class Sampled:
    """How a release was drawn, so that what it cost can be worked out again: the sampling, the (ε, δ) that it stands
    for, the ε of the choice of levels among `candidates` (0: they were told), and the levels."""

    sampling: Sampling
    epsilon: Fraction
    delta: Fraction
    choice: Fraction
    candidates: int
    levels: tuple[tuple[str, int], ...]
    private: bool = True

    def to_document(self) -> dict[str, Any]:
        """As plain data, exact."""
        return {
            "beta": str(self.sampling.beta),
            "k": self.sampling.k,
            "epsilon": str(self.epsilon),
            "delta": str(self.delta),
            "choice": str(self.choice),
            "candidates": self.candidates,
            "levels": dict(self.levels),
            "private": self.private,
        }


def secure_words(count: int) -> np.ndarray:
    """Whole numbers of 64 random bits, which nobody can draw again."""
    return np.frombuffer(os.urandom(8 * count), dtype=np.uint64)


@lru_cache
def highest_beta(epsilon: Fraction) -> Fraction:
    """The highest β ≤ 1 − e^−ε, in steps of 2^−64.

    >>> round(float(highest_beta(Fraction(1))), 6)
    0.632121
    """
    below = _DOWN.multiply(_DOWN.subtract(Decimal(1), _exp(-epsilon, up=True)), Decimal(_FINE))
    return Fraction(int(below.to_integral_value(ROUND_FLOOR)), _FINE)


@lru_cache
def least_sampling(
    epsilon: Fraction, delta: Fraction, beta: Fraction | None = None, bound: Bound = "exact"
) -> Sampling:
    """The sampling with the smallest classes that is (ε, δ)-differentially private, at the highest β or a given one.

    >>> least_sampling(Fraction(9, 10), Fraction(1, 10**6), bound="published").k
    73
    >>> least_sampling(Fraction(9, 10), Fraction(1, 10**6)).k
    56
    """
    highest = highest_beta(epsilon)
    rate = highest if beta is None else Fraction(beta.numerator * _FINE // beta.denominator, _FINE)
    if not 0 < rate <= highest:
        raise PlanError(
            f"sampling: with epsilon = {short(epsilon)}, rows may be drawn with a probability above 0 and up to "
            f"{_below(highest)}, not {short(rate if beta is None else beta)}."
        )
    if not 0 < delta < 1:
        raise PlanError("sampling rows is differentially private for a delta above 0 only, such as 1e-6.")
    losses = _Losses(epsilon, rate, delta)
    low, high = 0, 1  # k = low is not enough, k = high is to be seen
    while not losses.within(high, bound):
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if losses.within(middle, bound) else (middle, high)
    return Sampling(rate, high)


class _Losses:
    """The δ of classes of N rows, for one ε and β. The larger N, the likelier that j is near βN < γN: from
    `enough` rows on, the probability of j > γN is at most e^(−N · KL(γ, β)) ≤ δ (Chernoff), whatever k is."""

    def __init__(self, epsilon: Fraction, beta: Fraction, delta: Fraction) -> None:
        self.hit = beta.numerator * (_FINE // beta.denominator)
        self.miss = _FINE - self.hit
        miss = Fraction(self.miss, _FINE)
        self.gamma_low = _DOWN.subtract(Decimal(1), _UP.multiply(_decimal(miss, _UP), _exp(-epsilon, up=True)))
        self.gamma_high = _UP.subtract(Decimal(1), _DOWN.multiply(_decimal(miss, _DOWN), _exp(-epsilon, up=False)))
        self.growth = _DOWN.subtract(_exp(epsilon, up=False), Decimal(1))
        self.delta = _decimal(delta, _DOWN)
        self.enough = self._enough()
        self.known: dict[tuple[int, int, Bound], Decimal] = {}

    def _enough(self) -> int:
        gamma, beta = self.gamma_low, _decimal(Fraction(self.hit, _FINE), _UP)
        rest = _DOWN.subtract(Decimal(1), gamma)
        first = _DOWN.multiply(gamma, _DOWN.divide(gamma, beta).ln(_DOWN))
        second = _DOWN.multiply(rest, _DOWN.divide(rest, _decimal(Fraction(self.miss, _FINE), _UP)).ln(_DOWN))
        divergence = _DOWN.subtract(_DOWN.add(first, second), Decimal("1e-40"))
        rows = (
            _UP.add(_UP.divide(-self.delta.ln(_UP), divergence), Decimal(1)) if divergence > 0 else Decimal("Infinity")
        )
        if rows > _MOST_ROWS:
            raise PlanError(
                "sampling: with this epsilon nearly all rows or nearly none are drawn, and classes would have to be "
                "larger than any table. Take an epsilon from 0.01 to 5, or another sampling probability."
            )
        return math.ceil(rows)

    def within(self, k: int, bound: Bound) -> bool:
        """Whether δ suffices for classes from k rows on."""
        first = k if bound == "exact" else max(k, self._published_first(k))
        return all(self._loss(k, rows, bound) <= self.delta for rows in range(first, max(first + 1, self.enough)))

    def _published_first(self, k: int) -> int:
        # of the N at which k lies beyond γN, the largest: P(j ≥ k) grows with N
        return math.ceil(_DOWN.subtract(_DOWN.divide(Decimal(k), self.gamma_high), Decimal(1)))

    def _loss(self, k: int, rows: int, bound: Bound) -> Decimal:
        """An upper bound of the δ of a class of so many rows."""
        starts = [
            math.floor(context.multiply(Decimal(rows), gamma)) + 1
            for context, gamma in ((_DOWN, self.gamma_low), (_UP, self.gamma_high))
        ]
        begins = range(max(k, starts[0]), max(k, starts[1]) + 1) if bound == "exact" else [starts[0]]
        return max(self._loss_from(begin, rows, bound) for begin in begins)

    def _loss_from(self, begin: int, rows: int, bound: Bound) -> Decimal:
        if begin > rows:
            return Decimal(0)
        key = (begin, rows, bound)
        if key not in self.known:
            self.known[key] = self._tail(begin, rows) if bound == "published" else self._excess(begin, rows)
        return self.known[key]

    def _excess(self, begin: int, rows: int) -> Decimal:
        """Σ f(j; N) − e^ε f(j; N − 1) over j ≥ begin, which is β f(begin − 1; N − 1) − (e^ε − 1) P(begin ≤ j; N − 1):
        a row more is drawn with β, and then lifts the j just below."""
        gain = _UP.multiply(_decimal(Fraction(self.hit, _FINE), _UP), self._probability(begin - 1, rows - 1, _UP))
        cost = _DOWN.multiply(self.growth, self._tail_below(begin, rows - 1))
        return max(Decimal(0), _UP.subtract(gain, cost))

    def _tail(self, begin: int, rows: int) -> Decimal:
        """P(j ≥ begin; N), rounded up."""
        term, total = self._probability(begin, rows, _UP), Decimal(0)
        for j in range(begin, rows + 1):
            total = _UP.add(total, term)
            term = self._next(term, j, rows, _UP)
        return total

    def _tail_below(self, begin: int, rows: int) -> Decimal:
        """P(j ≥ begin; N), rounded down: what is left out of the sum is positive."""
        if begin > rows:
            return Decimal(0)
        term, total = self._probability(begin, rows, _DOWN), Decimal(0)
        for j in range(begin, rows + 1):
            total = _DOWN.add(total, term)
            term = self._next(term, j, rows, _DOWN)
            if term < total * _NEGLIGIBLE:
                break
        return total

    def _next(self, term: Decimal, j: int, rows: int, context: Context) -> Decimal:
        """f(j + 1; N) from f(j; N)."""
        return context.divide(context.multiply(term, Decimal((rows - j) * self.hit)), Decimal((j + 1) * self.miss))

    def _probability(self, j: int, rows: int, context: Context) -> Decimal:
        ways = context.create_decimal(math.comb(rows, j))
        hits = _power(_decimal(Fraction(self.hit, _FINE), context), j, context)
        misses = _power(_decimal(Fraction(self.miss, _FINE), context), rows - j, context)
        return context.multiply(ways, context.multiply(hits, misses))


def _power(base: Decimal, exponent: int, context: Context) -> Decimal:
    """A power by squaring, every product rounded the same way."""
    found = Decimal(1)
    while exponent:
        if exponent & 1:
            found = context.multiply(found, base)
        base = context.multiply(base, base)
        exponent >>= 1
    return found


def _exp(exponent: Fraction, *, up: bool) -> Decimal:
    near = _UP.exp(_decimal(exponent, _UP)) if up else _DOWN.exp(_decimal(exponent, _DOWN))
    return _UP.multiply(near, _MORE) if up else _DOWN.multiply(near, _LESS)


def _decimal(number: Fraction, context: Context) -> Decimal:
    return context.divide(Decimal(number.numerator), Decimal(number.denominator))


def _below(number: Fraction) -> str:
    return f"{math.floor(number * 10**4) / 10**4:g}"
