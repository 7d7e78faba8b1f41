"""Accounting: what differentially private answers cost, alone and together, in exact rationals.

A cost has up to two readings. As pure ε it adds up (basic composition). As zero-concentrated DP it is a ρ that adds up
too, and a total ρ is turned into ε by a δ at the end (`epsilon_of`); Gaussian noise has this reading only. Beside both
stands the probability δ with which a mechanism may fail outright, such as a group key shown by a threshold. How costs
of both kinds count together is said in `composition.py`.

Whoever budgets with floats spends ρ(1 + 2e-16): sums are `Fraction`s, a number means what its digits say (0.1 is one
tenth), and what cannot be rational (logarithms) is rounded against us.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache

from paravent.arguments import Checked
from paravent.errors import PlanError, quote

Number = int | float | Decimal | Fraction | str

_DIGITS = 60
_SLACK = Decimal("1e-45")  # far above what a dozen roundings at 60 digits lose
_KEPT = 20


def exactly(name: str, number: Number) -> Fraction:
    """The number as it is written; a sentence where it is none, negative, or endless.

    >>> exactly("epsilon", 0.1), exactly("epsilon", "1/3")
    (Fraction(1, 10), Fraction(1, 3))
    """
    try:
        found = number if isinstance(number, Fraction) else Fraction(str(number))
    except (ValueError, ZeroDivisionError):
        raise PlanError(f"{name} must be a number, not {quote(number)}.") from None
    if isinstance(number, bool) or found < 0:
        raise PlanError(f"{name} must be a number from 0 upwards, not {quote(number)}.")
    return found


def positive(name: str, number: Number) -> Fraction:
    """The number as it is written, above 0."""
    found = exactly(name, number)
    if not found:
        raise PlanError(f"{name} must be above 0, not {quote(number)}: an answer that costs nothing says nothing.")
    return found


@dataclass(frozen=True)
class Cost(Checked):
    """What an answer costs: `rho` as zCDP; `epsilon` as pure ε, None where it has no such reading; `delta`, the
    probability that it fails outright. Costs add up.

    >>> Cost.pure(0.1) + Cost.pure(0.2) == Cost.pure("1/10") + Cost.pure("1/5")
    True
    >>> print(Cost.pure(0.1) + Cost.pure(0.2), Cost.zcdp(0.5) + Cost.pure(1), sep="; ")
    ε = 0.3; ρ = 1
    """

    rho: Fraction = Fraction(0)
    epsilon: Fraction | None = Fraction(0)
    delta: Fraction = Fraction(0)

    @classmethod
    def pure(cls, epsilon: Number) -> Cost:
        """Pure ε. As zCDP ρ = ε² / 2 (Bun and Steinke 2016, Proposition 3.3), and never more than ε, which bounds the
        Rényi divergence of every order."""
        spent = positive("epsilon", epsilon)
        return cls(min(spent**2 / 2, spent), spent)

    @classmethod
    def selection(cls, epsilon: Number) -> Cost:
        """One choice by the exponential mechanism: pure ε, and as zCDP ρ = ε² / 8."""
        spent = positive("epsilon", epsilon)
        return cls(min(spent**2 / 8, spent), spent)

    @classmethod
    def zcdp(cls, rho: Number) -> Cost:
        """zCDP: Gaussian noise of variance σ² on what a person changes by Δ costs ρ = Δ² / 2σ²."""
        return cls(positive("rho", rho), None)

    @classmethod
    def approximate(cls, epsilon: Number, delta: Number) -> Cost:
        """(ε, δ): pure ε but for a failure of probability δ (Kairouz, Oh and Viswanath 2015)."""
        return cls.pure(epsilon) + cls(delta=exactly("delta", delta))

    def __add__(self, other: Cost) -> Cost:
        pure = None if self.epsilon is None or other.epsilon is None else self.epsilon + other.epsilon
        return Cost(self.rho + other.rho, pure, self.delta + other.delta)

    def __mul__(self, times: int) -> Cost:
        pure = None if self.epsilon is None else self.epsilon * times
        return Cost(self.rho * times, pure, self.delta * times)

    def __str__(self) -> str:
        parts = [f"ρ = {short(self.rho)}" if self.epsilon is None else f"ε = {short(self.epsilon)}"]
        if self.delta:
            parts.append(f"δ = {short(self.delta)}")
        return ", ".join(parts)

    def to_dict(self) -> dict[str, str]:
        """The cost as exact texts, for files."""
        pure = {} if self.epsilon is None else {"epsilon": str(self.epsilon)}
        return {"rho": str(self.rho), **pure, "delta": str(self.delta)}

    @classmethod
    def from_dict(cls, document: dict[str, str]) -> Cost:
        """
        >>> cost = Cost.zcdp("1/3") + Cost.approximate(1, 1e-9)
        >>> Cost.from_dict(cost.to_dict()) == cost
        True
        """
        pure = exactly("epsilon", document["epsilon"]) if "epsilon" in document else None
        return cls(exactly("rho", document["rho"]), pure, exactly("delta", document["delta"]))


def short(number: Fraction) -> str:
    """A number in a few digits, for people.

    >>> short(Fraction(3, 10)), short(Fraction(1, 10**6)), short(Fraction(1, 3))
    ('0.3', '1e-06', '0.3333')
    """
    return f"{float(number):.4g}"


@lru_cache
def epsilon_of(rho: Fraction, delta: Fraction) -> Fraction:
    """An ε such that whatever is ρ-zCDP is (ε, δ)-DP: the best bound known (Canonne, Kamath and Steinke 2020,
    Proposition 12), rounded up. Every order α > 1 gives a bound, so the search for the best one cannot do harm.

    >>> round(float(epsilon_of(Fraction(1, 2), Fraction(1, 10**6))), 4)
    5.2215
    """
    if not rho:
        return Fraction(0)
    if not 0 < delta < 1:
        raise PlanError("a cost in ρ (zCDP) is an ε only for a delta above 0 and below 1. Grant one, or spend ε.")
    with localcontext() as context:
        context.prec = _DIGITS
        spent, log = _decimal(rho), _log(delta)
        at = _best(lambda order: -order * spent - _beyond(order, log), (-log / spent).sqrt())
        found = at * spent + _beyond(at, log)
        return max(Fraction(0), _kept(found + abs(found) * _SLACK, ROUND_CEILING))


@dataclass(frozen=True)
class Order:
    """A Rényi order α at which costs are counted: what costs at most ε − `beyond` there is (ε, δ)-DP."""

    alpha: Fraction
    beyond: Fraction

    def cost(self, cost: Cost) -> Fraction:
        """What a cost is at this order: no more than its ε, and no more than αρ."""
        by_rho = self.alpha * cost.rho
        return by_rho if cost.epsilon is None else min(cost.epsilon, by_rho)


@lru_cache
def order_of(epsilon: Fraction, delta: Fraction) -> Order | None:
    """The order at which (ε, δ) holds the most ρ; None where it holds none.

    >>> order = order_of(Fraction(1), Fraction(1, 10**6))
    >>> round(float(order.alpha), 2), round(float(order.beyond), 4)
    (21.98, 0.4645)
    """
    if not epsilon or not delta:
        return None
    if not delta < 1:
        raise PlanError(f"delta must be below 1, not {short(delta)}: with 1, everything could be published.")
    with localcontext() as context:
        context.prec = _DIGITS
        granted, log = _decimal(epsilon), _log(delta)
        at = _best(lambda order: (granted - _beyond(order, log)) / order, (1 - log) * 2 / granted)
        alpha = _kept(at, ROUND_CEILING)
        beyond = _beyond(_decimal(alpha), log)
        found = Order(alpha, Fraction(beyond + abs(beyond) * _SLACK))
    return found if found.beyond < epsilon else None


def rho_of(epsilon: Fraction, delta: Fraction) -> Fraction:
    """A ρ such that whatever is ρ-zCDP is (ε, δ)-DP: the largest that `epsilon_of` allows, rounded down.

    >>> rho = rho_of(Fraction(1), Fraction(1, 10**6))
    >>> round(float(rho), 6), epsilon_of(rho, Fraction(1, 10**6)) <= 1
    (0.024356, True)
    """
    order = order_of(epsilon, delta)
    if order is None:
        return Fraction(0)
    with localcontext() as context:
        context.prec = _DIGITS
        found = _decimal((epsilon - order.beyond) / order.alpha)
        return _kept(found - found * _SLACK, ROUND_FLOOR)


def _beyond(order: Decimal, log_delta: Decimal) -> Decimal:
    """What ε is beyond αρ: (ln(1/δ) − ln α) / (α − 1) + ln(1 − 1/α)."""
    return (-log_delta - order.ln()) / (order - 1) + (1 - 1 / order).ln()


def _best(bound: Callable[[Decimal], Decimal], guess: Decimal) -> Decimal:
    """The order α near 1 + guess whose bound is highest: a grid of α − 1 in octaves, then golden section."""
    at = max((guess * 2**octave for octave in map(Decimal, range(-20, 16))), key=lambda less: bound(1 + less))
    low, high, golden = at / 2, at * 2, (Decimal(5).sqrt() - 1) / 2
    for _ in range(60):
        left, right = high - golden * (high - low), low + golden * (high - low)
        if bound(1 + left) >= bound(1 + right):
            high = right
        else:
            low = left
    return 1 + (low + high) / 2


def _log(number: Fraction) -> Decimal:
    return Decimal(number.numerator).ln() - Decimal(number.denominator).ln()


def _decimal(number: Fraction) -> Decimal:
    return Decimal(number.numerator) / number.denominator


def _kept(number: Decimal, rounding: str) -> Fraction:
    """The leading digits, so that sums and files stay small."""
    return Fraction(number.quantize(Decimal(1).scaleb(number.adjusted() - _KEPT), rounding=rounding))
