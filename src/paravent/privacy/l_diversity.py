"""l-diversity (Machanavajjhala et al. 2007): every class holds enough different sensitive values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from paravent.errors import InfeasibleError, PlanError
from paravent.privacy.classes import Classes, Histogram
from paravent.privacy.entropy import at_least, effective_numbers
from paravent.privacy.model import Model

KINDS = ("distinct", "entropy", "recursive")


@dataclass(frozen=True)
class LDiversity(Model):
    """Every class has at least l well-represented values of a sensitive column.

    `distinct`: at least l different values. `entropy`: exp(entropy) of at least l (l may be a fraction). `recursive`:
    with frequencies r1 ≥ r2 ≥ …, r1 < c · (r_l + r_(l+1) + …). A missing sensitive value counts as one value.

    >>> pairs = Histogram(np.array([0, 1, 3]), np.array([0, 0, 1]), np.array([2, 1, 1]), np.array([3, 1]))
    >>> LDiversity(2, "disease").holds(Classes(np.array([2, 2]), {"disease": pairs})).tolist()
    [False, True]
    """

    l: float  # noqa: E741 (the name the model has in the literature)
    column: str
    kind: str = "distinct"
    c: float | None = None

    protects: ClassVar[str] = (
        "Somebody who finds a person's class still meets at least l values that the person may have."
    )
    leaves_open: ClassVar[str] = (
        "The values may mean nearly the same, or be far likelier in the class than in the table."
    )

    def __post_init__(self) -> None:
        if not isinstance(self.column, str) or not self.column:
            raise PlanError(f"LDiversity: column must be the name of a sensitive column, not {self.column!r}.")
        if self.kind not in KINDS:
            raise PlanError(f"LDiversity: kind must be one of {', '.join(KINDS)}, not {self.kind!r}.")
        if isinstance(self.l, bool) or not isinstance(self.l, int | float) or not 1 <= self.l < math.inf:
            raise PlanError(f"LDiversity: l must be a number of at least 1, not {self.l!r}.")
        if self.kind != "entropy":
            if self.l != int(self.l):
                raise PlanError(f"LDiversity: {self.kind} l-diversity takes a whole number for l, not {self.l!r}.")
            object.__setattr__(self, "l", int(self.l))
        if self.kind == "recursive":
            if isinstance(self.c, bool) or not isinstance(self.c, int | float) or not 0 < self.c < math.inf:
                raise PlanError(f"LDiversity: recursive l-diversity takes a positive number for c, not {self.c!r}.")
        elif self.c is not None:
            raise PlanError(f"LDiversity: c belongs to kind='recursive', not to {self.kind!r}. Leave it out.")

    @property
    def needs(self) -> tuple[str, ...]:
        return (self.column,)

    @property
    def key(self) -> str:
        return f"privacy.{'recursive_c' if self.kind == 'recursive' else f'{self.kind}_l'}.{self.column}"

    def holds(self, classes: Classes) -> np.ndarray:
        histogram = classes.histograms[self.column]
        if self.kind == "distinct":
            return np.asarray(np.diff(histogram.start) >= self.l)
        if self.kind == "entropy":
            return at_least(histogram, Fraction(str(self.l)))
        most, rest = _head_and_tail(histogram, int(self.l))
        c = Fraction(str(self.c))
        if max(most.max(initial=1), rest.max(initial=1)) * max(c.numerator, c.denominator) >= 2**62:
            most, rest = most.astype(object), rest.astype(object)
        return np.asarray(most * c.denominator < c.numerator * rest, dtype=bool)

    def level(self, classes: Classes) -> float:
        """Distinct and entropy: the largest l that holds. Recursive: the bound that c must exceed."""
        histogram = classes.histograms[self.column]
        if not len(classes):
            return 0
        if self.kind == "distinct":
            return int(np.diff(histogram.start).min())
        if self.kind == "entropy":
            lowest = float(effective_numbers(histogram).min())
            if lowest >= self.l and not self.holds(classes).all():
                return math.nextafter(self.l, 0.0)  # a violation smaller than a float can show
            return lowest
        most, rest = _head_and_tail(histogram, int(self.l))
        return float(np.divide(most, rest, out=np.full(len(most), np.inf), where=rest > 0).max())

    def check_feasible(self, whole: Classes) -> None:
        if self.holds(whole).all():
            return
        best = self.level(whole)
        if self.kind == "recursive":
            remedy = "Ask for a smaller l." if math.isinf(best) else f"Ask for c above {best:.6g}, or a smaller l."
        else:
            # Rounded down, so that what is advised holds.
            remedy = f"Ask for l of at most {best if isinstance(best, int) else math.floor(best * 1e4) / 1e4}."
        raise InfeasibleError(f"{self.describe()} cannot hold: not even the whole table in one class has it. {remedy}")

    def describe(self) -> str:
        if self.kind == "recursive":
            return f"recursive ({self.c:g}, {self.l})-diversity of {self.column!r}"
        return f"{self.kind} {self.l:g}-diversity of {self.column!r}"


def _head_and_tail(histogram: Histogram, l: int) -> tuple[np.ndarray, np.ndarray]:  # noqa: E741
    """For each class r1, the count of its most frequent value, and r_l + r_(l+1) + …"""
    start, owner = histogram.start[:-1], histogram.owner
    counts = histogram.count[np.lexsort((-histogram.count, owner))]  # descending within each class
    place = np.arange(len(counts)) - start[owner]
    rest = np.bincount(owner, weights=np.where(place >= l - 1, counts, 0), minlength=len(start))
    return counts[start], rest.astype(np.int64)
