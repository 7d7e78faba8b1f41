"""Where the choices of the generators come from: hypothesis, which shrinks what fails, or a seed, which is quick."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
from hypothesis import strategies as st

T = TypeVar("T")


class Dice(Protocol):
    """Where a generator's choices come from."""

    def number(self, low: int, high: int) -> int:
        """A whole number from low to high."""
        ...


@dataclass
class Seeded:
    """Choices of a seeded generator."""

    rng: np.random.Generator

    def number(self, low: int, high: int) -> int:
        return int(self.rng.integers(low, high + 1))


@dataclass
class Drawn:
    """Choices of hypothesis."""

    draw: st.DrawFn

    def number(self, low: int, high: int) -> int:
        return self.draw(st.integers(low, high))


def one_of(dice: Dice, choices: Sequence[T]) -> T:
    return choices[dice.number(0, len(choices) - 1)]


def chance(dice: Dice, percent: int) -> bool:
    return dice.number(0, 99) < percent
