"""Above: the first of many counts that exceeds a threshold, at the price of one (the sparse vector technique).

The threshold and every count get discrete Laplace noise of scale 2Δ / ε, drawn once for the threshold and anew for each
count, and all that is told is the place of the first noisy count that reaches the noisy threshold. Counts only grow
when somebody joins, all by Δ at most, so half of ε pays for the threshold and the other half for the one count that is
told; those below cost nothing, however many (Dwork and Roth 2014, §3.6; Lyu, Su and Li 2017, Theorem 5, for counts that
grow together). Their values are not told: that would need a price of their own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from paravent.private.answers import Told
from paravent.private.mechanisms import laplace


@dataclass(frozen=True)
class First(Told):
    """Which of the questions came first above the threshold: its `place` from 0 on, and its conditions; None where none
    did, as far as noise lets it be told."""

    place: int | None
    conditions: str | None

    def __str__(self) -> str:
        found = "none of them" if self.place is None else f"number {self.place},{self.conditions}"
        return f"{self.what}: {found} ({self._foot})"

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), "place": self.place, "conditions": self.conditions}


def scale_of(epsilon: Fraction, limit: int) -> Fraction:
    """The scale of the noise on the threshold and on each count."""
    return 2 * limit / epsilon


def first_above(
    counts: Iterable[int], threshold: int, epsilon: Fraction, limit: int, unsafe: np.random.Generator | None = None
) -> int | None:
    """The place of the first count that seems to reach the threshold."""
    scale = scale_of(epsilon, limit)
    least = int(laplace(np.array([threshold]), scale, unsafe=unsafe)[0])
    for place, count in enumerate(counts):
        if int(laplace(np.array([count]), scale, unsafe=unsafe)[0]) >= least:
            return place
    return None
