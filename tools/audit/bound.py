"""The ε that drawings with and without a person prove.

Whatever is (ε, δ)-private has P(event) ≤ e^ε P'(event) + δ for every event, where P and P' are the laws of the output
with and without the person, or the other way round. An event that is seen k times in n drawings has a probability of
at least, and at most, what Clopper and Pearson (1934) say; so an event proves ε ≥ ln((lowest P − δ) / highest P').

Which event tells most is not known beforehand. A part of the drawings is there to find a few that tell much, and only
the others, which have not been looked at, prove something; the doubt is shared among the events that they are asked.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats

EVENTS = 4
"""The events that are tried on fresh drawings."""
_KEPT = 0.3
"""The share of the drawings by which events are chosen."""
_CUTS = 60


@dataclass(frozen=True)
class Event:
    """Outputs that point at the person (`at least` a number), or away from them (`at most`)."""

    cut: float
    upwards: bool

    def __str__(self) -> str:
        return f"{'≥' if self.upwards else '≤'} {self.cut:.4g}"

    def seen(self, outputs: np.ndarray) -> int:
        return int(np.count_nonzero(outputs >= self.cut if self.upwards else outputs <= self.cut))


@dataclass(frozen=True)
class Proven:
    """A lower bound of ε, and the event that proves it."""

    epsilon: float
    event: Event


def lowest(seen: int, runs: int, doubt: float) -> float:
    """A probability that is too high with probability `doubt` at most (Clopper, Pearson).

    >>> round(lowest(50, 100, 0.025), 4), lowest(0, 100, 0.025)
    (0.3983, 0.0)
    """
    return float(stats.beta.ppf(doubt, seen, runs - seen + 1)) if seen else 0.0


def highest(seen: int, runs: int, doubt: float) -> float:
    """
    >>> round(highest(50, 100, 0.025), 4), highest(100, 100, 0.025)
    (0.6017, 1.0)
    """
    return float(stats.beta.ppf(1 - doubt, seen + 1, runs - seen)) if seen < runs else 1.0


def proven_epsilon(with_person: np.ndarray, without: np.ndarray, *, delta: float, doubt: float) -> Proven:
    """The largest ε that some event proves, all events together with a confidence of 1 − doubt. The higher an output,
    the more it points at the person; what cannot be told apart proves 0."""
    first, second = (round(len(drawn) * _KEPT) for drawn in (with_person, without))
    chosen = _chosen(with_person[:first], without[:second], delta, doubt)
    fresh = with_person[first:], without[second:]
    tried = [Proven(_proof(event, *fresh, delta, doubt / len(chosen)), event) for event in chosen]
    return max(tried, key=lambda proven: proven.epsilon)


def _chosen(with_person: np.ndarray, without: np.ndarray, delta: float, doubt: float) -> list[Event]:
    """The events that would prove most by these drawings; of two that prove the same, the lower cut."""
    values = np.unique(np.concatenate([with_person, without]))
    if len(values) > _CUTS:
        both = np.sort(np.concatenate([with_person, without]))
        values = np.unique(both[np.linspace(0, len(both) - 1, _CUTS).astype(int)])
    events = [Event(float(cut), upwards) for cut in values for upwards in (True, False)]
    proofs = [_proof(event, with_person, without, delta, doubt / EVENTS) for event in events]
    order = sorted(range(len(events)), key=lambda at: -proofs[at])
    return [events[at] for at in order[:EVENTS]]


def _proof(event: Event, with_person: np.ndarray, without: np.ndarray, delta: float, doubt: float) -> float:
    likelier, other = (with_person, without) if event.upwards else (without, with_person)
    least = lowest(event.seen(likelier), len(likelier), doubt / 2) - delta
    most = highest(event.seen(other), len(other), doubt / 2)
    return math.log(least / most) if least > most else 0.0
