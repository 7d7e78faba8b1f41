"""Differential privacy (Dwork, McSherry, Nissim, Smith 2006): a guarantee of how a release is made."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from paravent.errors import PlanError
from paravent.privacy.promise import Constructed, Entry, Found

_UP = 1 + 1e-12
"""What rounding can take away from a bound is added to it."""

_LEAST_DELTA = 1e-300


@dataclass(frozen=True, repr=False)
class DifferentialPrivacy(Constructed):
    """The release would have come out nearly as likely without any one person: no result is more than e^epsilon times
    likelier with them than without, but for events of probability delta.

    With `unsafe_seed` the noise is drawn from a known seed, so that a run can be repeated in a test or a lesson. Such a
    release is not private, and its verdict says so.

    >>> DifferentialPrivacy(epsilon=1).describe()
    '(1, 1e-06)-differential privacy'
    """

    epsilon: float = 1.0
    delta: float = 1e-6
    unsafe_seed: int | None = None

    protects: ClassVar[str] = (
        "Whoever sees the release learns hardly more about a person than if the person were not in the table, whatever "
        "else they know."
    )
    leaves_open: ClassVar[str] = (
        "What holds of people in general is learnt about everybody; other releases of the same people add up, and "
        "measures against the original are for its owner."
    )

    def __post_init__(self) -> None:
        if not (math.isfinite(self.epsilon) and self.epsilon > 0):
            raise PlanError(f"DifferentialPrivacy: epsilon must be above 0 and finite, not {self.epsilon!r}.")
        if not 0 <= self.delta < 1:
            raise PlanError(f"DifferentialPrivacy: delta must be from 0 to below 1, not {self.delta!r}.")
        if 0 < self.delta < _LEAST_DELTA:
            raise PlanError(
                f"DifferentialPrivacy: delta must be 0 or at least {_LEAST_DELTA:g}, not {self.delta!r}: with "
                "less, numbers are not exact enough to tell what was spent."
            )
        if self.unsafe_seed is not None and self.unsafe_seed < 0:
            raise PlanError(f"DifferentialPrivacy: unsafe_seed must be from 0 upwards, not {self.unsafe_seed!r}.")

    @property
    def key(self) -> str:
        return "privacy.epsilon" if self.unsafe_seed is None else "privacy.epsilon_if_the_seed_were_secret"

    def describe(self) -> str:
        words = f"({self.epsilon:g}, {self.delta:g})-differential privacy"
        return words if self.unsafe_seed is None else f"noise of {words}, drawn from a known seed: NOT private"

    def judge(self, account: Sequence[Entry]) -> Found:
        """What all entries spent together, as an epsilon at this delta. Entries in `rho` (zero-concentrated) and in
        pure `epsilon` are added up exactly; a `delta` of their own comes off this one."""
        if not account:
            return Found(math.inf, False, "nothing says what was spent")
        rho, pure, failing = (_all(account, unit) for unit in ("rho", "epsilon", "delta"))
        left = Fraction(str(self.delta)) - failing
        if rho:
            rho += pure**2 / 2  # pure epsilon is (epsilon² / 2)-zCDP
            level = epsilon_at(float(rho) * _UP, float(left)) if left > 0 else math.inf
        else:
            level = float(pure) if left >= 0 else math.inf
        holds = level <= self.epsilon if rho else left >= 0 and pure <= Fraction(str(self.epsilon))
        spent = f"rho = {float(rho):.6g}" if rho else f"epsilon = {float(pure):.6g}"
        return Found(level, holds, f"{len(account)} entries, {spent} in all, delta = {self.delta:g}")


def _all(account: Sequence[Entry], unit: str) -> Fraction:
    return sum((Fraction(entry.spent.get(unit, 0.0)) for entry in account), Fraction(0))


def epsilon_at(rho: float, delta: float) -> float:
    """An epsilon for which rho-zCDP gives (epsilon, delta)-differential privacy (Canonne, Kamath, Steinke 2020,
    Proposition 12): every order above 1 gives one, so whatever the search finds is safe; it is rounded up.

    >>> round(epsilon_at(0.5, 1e-6), 1)
    5.2
    """

    def bound(log_less: float) -> float:
        less = math.exp(log_less)  # the order − 1
        order = 1 + less
        return order * rho + math.log1p(-1 / order) - (math.log(delta) + math.log(order)) / less

    low, high = math.log(1e-6), math.log(1e9)
    for _ in range(200):
        third = (high - low) / 3
        if bound(low + third) < bound(high - third):
            high -= third
        else:
            low += third
    return max(0.0, bound((low + high) / 2)) * _UP
