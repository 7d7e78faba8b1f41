"""Price: what a question may cost, and the noise that it buys.

A price in ε buys discrete Laplace noise, one in ρ (zCDP) discrete Gaussian noise, and one in ε with a δ Gaussian noise
of the least σ that keeps (ε, δ) (`gaussian_loss.py`). `of` parts of a price are bought
apart; a person changes a sum over cells by at most `change` in all, so that also bounds the Euclidean change.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from paravent.errors import PlanError, either
from paravent.private import mechanisms
from paravent.private.accounting import Cost, Number, positive
from paravent.private.gaussian_loss import least_sigma


@dataclass(frozen=True)
class Price:
    """Either an ε, which may come with a δ, or a ρ."""

    epsilon: Fraction | None = None
    rho: Fraction | None = None
    delta: Fraction | None = None

    @classmethod
    def of(
        cls, epsilon: Number | None, rho: Number | None, usual: Price | None = None, delta: Number | None = None
    ) -> Price:
        if delta is not None:
            if rho is not None:
                raise PlanError("a price in rho needs no delta: the ledger has one for all of them. Leave it out.")
            plain = cls.of(epsilon, rho, usual)
            if plain.epsilon is None:
                raise PlanError("a delta goes with a price in epsilon. Give epsilon, or leave delta out.")
            return cls(epsilon=plain.epsilon, delta=positive("delta", delta))
        if epsilon is None and rho is None:
            if usual is None:
                raise PlanError(f"what may the answer cost? Say {either('epsilon=0.1', '--epsilon 0.1')}, or rho.")
            return usual
        if epsilon is not None and rho is not None:
            raise PlanError("a price is an epsilon or a rho. Leave one of them out.")
        if epsilon is not None:
            return cls(epsilon=positive("epsilon", epsilon))
        return cls(rho=positive("rho", 0 if rho is None else rho))

    @property
    def cost(self) -> Cost:
        if self.epsilon is not None and self.delta is not None:
            return Cost.approximate(self.epsilon, self.delta)
        return Cost.pure(self.epsilon) if self.epsilon is not None else Cost.zcdp(self.rho or 0)

    @property
    def selection(self) -> tuple[Fraction, Cost]:
        """The ε of a choice that this price buys, and what it costs. The root of a ρ is taken on the safe side."""
        if self.epsilon is not None:
            return self.epsilon, Cost.selection(self.epsilon)
        fine = 10**12
        epsilon = Fraction(math.isqrt(math.floor(8 * (self.rho or 0) * fine**2)), fine)
        return epsilon, Cost.zcdp(self.rho or 0)

    def part(self, parts: int) -> Price:
        """One of several equal parts."""
        if self.epsilon is not None:
            return Price(epsilon=self.epsilon / parts, delta=None if self.delta is None else self.delta / parts)
        return Price(rho=(self.rho or Fraction(0)) / parts)

    def noise(self, change: int) -> Noise:
        """The noise for sums that one person changes by at most `change` in all; with a δ, in one of them."""
        if self.epsilon is not None and self.delta is not None:
            return Noise("discrete Gaussian", Fraction(least_sigma(self.epsilon, self.delta, change)) ** 2)
        if self.epsilon is not None:
            return Noise("discrete Laplace", change / self.epsilon)
        return Noise("discrete Gaussian", Fraction(change**2) / (2 * (self.rho or 1)))


@dataclass(frozen=True)
class Noise:
    """A law: `size` is the scale of Laplace noise, the variance σ² of Gaussian noise."""

    mechanism: str
    size: Fraction

    def add(self, counts: np.ndarray, unsafe: np.random.Generator | None = None) -> np.ndarray:
        mechanism = mechanisms.laplace if self.is_laplace else mechanisms.gaussian
        return mechanism(counts, self.size, unsafe=unsafe)

    @property
    def is_laplace(self) -> bool:
        return self.mechanism == "discrete Laplace"

    @property
    def scale(self) -> float:
        """The scale of Laplace noise, or the σ of Gaussian noise."""
        return float(self.size) if self.is_laplace else math.sqrt(self.size)

    def within(self, doubt: float) -> int:
        """The least t with P(|noise| > t) ≤ doubt."""
        return _laplace_within(self.scale, doubt) if self.is_laplace else _gaussian_within(self.scale, doubt)

    def simulated(self, shape: tuple[int, ...], chance: np.random.Generator) -> np.ndarray:
        """Draws of the same law that protect nobody: how wide an interval must be is no secret."""
        return self.add(np.zeros(shape, dtype=np.int64), chance)


def _laplace_within(scale: float, doubt: float) -> int:
    # P(|Z| > t) = 2 q^(t+1) / (1 + q) with q = exp(−1 / scale)
    q = math.exp(-1 / scale)
    return max(0, math.ceil(-scale * math.log(doubt * (1 + q) / 2) - 1))


@lru_cache
def _gaussian_within(sigma: float, doubt: float) -> int:
    if sigma > 100:  # the sum and the integral differ by less than the rounding up
        return math.ceil(sigma * NormalDist().inv_cdf(1 - doubt / 2)) + 1
    far = math.ceil(12 * sigma) + 10
    weight = [math.exp(-z * z / (2 * sigma * sigma)) for z in range(far + 1)]
    total, tail, t = weight[0] + 2 * sum(weight[1:]), 0.0, far
    while t > 0 and tail + 2 * weight[t] <= doubt * total:
        tail += 2 * weight[t]
        t -= 1
    return t
