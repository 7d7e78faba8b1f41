"""Trials: what is run with and without a person, and what it claims to tell about them at most.

Everything is drawn as users draw it, with the noise of `paravent.private.mechanisms`. Many drawings come from one call
where that is possible: a histogram of 100 000 cells is as many counts, each with noise of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from tools.audit.bound import Proven, proven_epsilon

DOUBT = 1e-3
"""The probability that a table of right mechanisms shows a violation anywhere."""


@dataclass(frozen=True)
class Trial:
    """A mechanism: `draw(inside, runs)` gives so many outputs as numbers, of the table with a person or without; the
    higher, the more they point at the person."""

    name: str
    epsilon: float
    delta: float
    draw: Callable[[bool, int], np.ndarray]


@dataclass(frozen=True)
class Result:
    """A trial with what was proven in so many runs on each of the two tables."""

    trial: Trial
    runs: int
    proven: Proven

    @property
    def violated(self) -> bool:
        return self.proven.epsilon > self.trial.epsilon


def tried(trial: Trial, runs: int, doubt: float) -> Result:
    """Run a mechanism on both tables."""
    drawn = [np.asarray(trial.draw(inside, runs), dtype=np.float64) for inside in (True, False)]
    return Result(trial, runs, proven_epsilon(*drawn, delta=trial.delta, doubt=doubt))


def all_tried(trials: list[Trial], runs: int) -> Iterator[Result]:
    """Each trial, with its part of the doubt."""
    for trial in trials:
        yield tried(trial, runs, DOUBT / len(trials))
