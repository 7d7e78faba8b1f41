"""Composition: how the costs of a ledger's entries count together, and whether a grant covers them.

Until more is needed, ε adds up. The first entry without a pure ε (Gaussian noise, such as AIM's) begins an account at
one Rényi order α; so does one of so small an ε that a series of its like goes further there. From then on an entry
costs the lesser of its ε and αρ. With e, what was left of ε at that moment, and δ, all that is not set aside for
failures of the entries themselves, a spend is let through while

    Σ min(εᵢ, αρᵢ) ≤ e − b,   b = (ln(1/δ) − ln α) / (α − 1) + ln(1 − 1/α),

and α is the order at which this holds the most ρ. So no plan of pure entries and one Gaussian table that basic
composition allows is refused, and what comes after it is counted more closely than by basic composition.

Why that is valid where every question depends on the answers before it: what was answered before the account began
changes no likelihood by more than its summed ε, whatever was asked. Given that, α is fixed. The divergence of order α
of an ε-private answer is at most ε, of a ρ-zCDP one at most αρ, so that of everything since is at most the sum that the
rule bounds (a filter of one order: Feldman and Zrnic 2021; Lécuyer 2021). The last step is the conversion at that order
(Canonne, Kamath and Steinke 2020, Proposition 12), and failures lose their own δ. To choose α after the answers, as the
best for what was asked, would not be valid: each choice would need a share of δ. A grant that is raised later counts as
if it had been there from the beginning.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import Literal

import numpy as np

from paravent.errors import PlanError
from paravent.private.accounting import Cost, Number, Order, epsilon_of, exactly, order_of, positive, rho_of, short

Entered = Literal["plain", "first", "ordered"]
"""How an entry is let through: by its ε, as the first at an order, or as one more there."""


@dataclass(frozen=True)
class Total:
    """What entries come to: their ε before the account at an order began, the costs since, and their own δ."""

    epsilon: Fraction = Fraction(0)
    ordered: tuple[Cost, ...] = ()
    delta: Fraction = Fraction(0)

    @classmethod
    def of(cls, entries: Iterable[tuple[Cost, bool]]) -> Total:
        """Entries in their order, each with whether the account begins with it, though it has an ε."""
        plain, failures = Fraction(0), Fraction(0)
        ordered: list[Cost] = []
        for cost, begins in entries:
            failures += cost.delta
            if ordered or begins or cost.epsilon is None:
                ordered.append(cost)
            else:
                plain += cost.epsilon
        return cls(plain, tuple(ordered), failures)

    def plus(self, cost: Cost, *, begins: bool = False) -> Total:
        """With one entry more."""
        if self.ordered or begins or cost.epsilon is None:
            return Total(self.epsilon, (*self.ordered, cost), self.delta + cost.delta)
        return Total(self.epsilon + cost.epsilon, (), self.delta + cost.delta)


@dataclass(frozen=True)
class Grant:
    """What may be spent in all: ε and δ, of which `outright` is for failures of the entries themselves."""

    epsilon: Fraction
    delta: Fraction
    outright: Fraction

    @classmethod
    def of(cls, epsilon: Number, delta: Number = 0, outright: Number = 0) -> Grant:
        granted = cls(positive("epsilon", epsilon), exactly("delta", delta), exactly("outright", outright))
        if granted.delta >= 1:
            raise PlanError(f"delta must be below 1, not {short(granted.delta)}; far below 1 / the number of people.")
        if granted.outright > granted.delta:
            raise PlanError(
                f"outright is a part of delta: it cannot be {short(granted.outright)} of {short(granted.delta)}."
            )
        return granted

    @property
    def converting(self) -> Fraction:
        """The δ by which ρ becomes ε."""
        return self.delta - self.outright

    @property
    def rho(self) -> Fraction:
        """The same grant as zCDP."""
        return rho_of(self.epsilon, self.converting)

    def room(self, total: Total) -> tuple[Order, Fraction] | None:
        """The order at which entries are counted, or would be from now on, and what one more may cost there. None
        where no such order exists because ε or δ is used up."""
        rest = self.epsilon - total.epsilon
        order = order_of(rest, self.converting) if rest > 0 else None
        return None if order is None else (order, rest - order.beyond - sum(map(order.cost, total.ordered)))

    def covers(self, total: Total) -> bool:
        if total.delta > self.outright:
            return False
        if not total.ordered:
            return total.epsilon <= self.epsilon
        room = self.room(total)
        return room is not None and room[1] >= 0

    def admits(self, total: Total, cost: Cost) -> Entered | None:
        """How one entry more is let through; None where it is not."""
        if total.ordered:
            return "ordered" if self.covers(total.plus(cost)) else None
        plain = cost.epsilon is not None and self.covers(total.plus(cost))
        if plain and not self._goes_further(total, cost):
            return "plain"
        if self.covers(total.plus(cost, begins=True)):
            return "first"
        return "plain" if plain else None

    def _goes_further(self, total: Total, cost: Cost) -> bool:
        """Whether more entries of this cost fit in at an order than by their ε."""
        room, rest = self.room(total), self.epsilon - total.epsilon
        return room is not None and cost.epsilon is not None and room[0].cost(cost) * rest < cost.epsilon * room[1]

    def left(self, total: Total) -> Left:
        plain = Fraction(0) if total.ordered else max(self.epsilon - total.epsilon, Fraction(0))
        found = self.room(total)
        rho = Fraction(0)
        if found is not None and found[1] > 0:
            order, room = found
            rho = room / order.alpha
            plain = max(plain, room, _root_below(2 * rho))
        return Left(plain, rho, max(self.outright - total.delta, Fraction(0)), self.converting)

    def __str__(self) -> str:
        kept = f", of which {short(self.outright)} outright" if self.outright else ""
        return f"ε = {short(self.epsilon)}, δ = {short(self.delta)}{kept}"


@dataclass(frozen=True)
class Left:
    """What one more entry may cost at most: a pure ε, or a ρ of zCDP, which is that of a table at some ε and the δ of
    `converting`; and a δ of its own beside either."""

    epsilon: Fraction
    rho: Fraction
    delta: Fraction
    converting: Fraction

    def __str__(self) -> str:
        as_table = ""
        if self.rho:
            epsilon = _below(epsilon_of(self.rho, self.converting))
            as_table = f" (zCDP: a table at ε = {epsilon}, δ = {short(self.converting)})"
        outright = f", and δ = {_below(self.delta)} outright" if self.delta else ""
        return f"ε = {_below(self.epsilon)} for one more entry, or ρ = {_below(self.rho)}{as_table}{outright}"


def together(costs: Sequence[Cost], delta: Number) -> Fraction | None:
    """The ε of costs that were all planned beforehand, where `delta` in all is allowed; None where none is finite. The
    least over all ways to add some of them up as ε, the largest first, and to turn the ρ of the rest into ε.

    >>> together([Cost.pure("1/2"), Cost.zcdp(rho_of(Fraction(1), Fraction(1, 10**6)))], 1e-6) <= Fraction(3, 2)
    True
    """
    rest = exactly("delta", delta) - sum((cost.delta for cost in costs), Fraction(0))
    if rest < 0:
        return None
    if not rest:
        return (
            None if any(cost.epsilon is None for cost in costs) else sum((_pure(cost) for cost in costs), Fraction(0))
        )
    ways = _ways(costs)
    about = _about(ways, float(rest))
    near = np.flatnonzero(about <= about.min() * (1 + 1e-3) + 1e-12)
    return min(ways[i][0] + epsilon_of(ways[i][1], rest) for i in near.tolist())


def _ways(costs: Sequence[Cost]) -> list[tuple[Fraction, Fraction]]:
    """For each way to add some costs up as ε, the largest of a ρ first: that sum, and the ρ of the rest."""
    pure = sorted((_pure(cost) / cost.rho, _pure(cost), cost.rho) for cost in costs if cost.epsilon)
    ways = [(Fraction(0), sum((cost.rho for cost in costs), Fraction(0)))]
    for _, alike in groupby(pure, key=lambda one: one[0]):
        plain, rho = ways[-1]
        for _, epsilon, own in alike:
            plain, rho = plain + epsilon, rho - own
        ways.append((plain, rho))
    return ways


def _about(ways: Sequence[tuple[Fraction, Fraction]], delta: float) -> np.ndarray:
    """The ε of each way, nearly: the least over a grid of orders."""
    plain, rho = np.array([[float(part) for part in way] for way in ways]).T
    less = np.geomspace(1e-4, 1e9, 4000)
    beyond = (-math.log(delta) - np.log1p(less)) / less + np.log(less / (1 + less))
    of_rho = np.array([np.min((1 + less) * each + beyond) if each else 0.0 for each in rho])
    return np.asarray(plain + np.maximum(of_rho, 0.0))


def _pure(cost: Cost) -> Fraction:
    return cost.epsilon or Fraction(0)


def _root_below(square: Fraction) -> Fraction:
    """A number whose square is not above a given one, close to the root."""
    fine = 10**15
    return Fraction(math.isqrt(math.floor(square * fine**2)), fine)


def _below(number: Fraction) -> str:
    """A number in a few digits, rounded down: who asks for that much gets it."""
    if not number:
        return "0"
    step = Fraction(10) ** (math.floor(math.log10(number)) - 3)
    return short(number // step * step)
