"""Which strategy of GAA suits a table best: the choice by calculation (Mauger 2021, §4.4.2.2)."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


@dataclass(frozen=True)
class Score:
    """The mean and the standard deviation of a strategy's indices; the least sum wins."""

    mean: float
    deviation: float

    @property
    def sum(self) -> float:
        return self.mean + self.deviation


def index(values: Mapping[T, float], *, more_is_better: bool = False) -> dict[T, float]:
    """0 for the best of some values, 255 for the worst, 127.5 for their mean, straight lines between.

    The source shows the colours that the indices stand for, and not how they come about; these three points fit.

    >>> index({1: 10.0, 2: 20.0, 3: 60.0})
    {1: 0.0, 2: 63.75, 3: 255.0}
    """
    sign = -1.0 if more_is_better else 1.0
    loss = {name: sign * value for name, value in values.items()}
    best, worst, mean = min(loss.values()), max(loss.values()), sum(loss.values()) / len(loss)
    if best == worst:
        return dict.fromkeys(values, 0.0)
    return {
        name: 127.5 * (x - best) / (mean - best) if x <= mean else 127.5 + 127.5 * (x - mean) / (worst - mean)
        for name, x in loss.items()
    }


def score(indices: Sequence[float]) -> Score:
    """
    >>> found = score([158, 76, 94])
    >>> int(found.mean), int(found.deviation)
    (109, 35)
    """
    mean = sum(indices) / len(indices)
    return Score(mean, math.sqrt(sum((x - mean) ** 2 for x in indices) / len(indices)))


def choose(indices: Mapping[T, Sequence[float]]) -> T:
    """The name whose mean + deviation is least, the first of equals.

    >>> choose({1: [0, 208, 251], 6: [158, 76, 94]})
    6
    """
    return min(indices, key=lambda name: score(indices[name]).sum)


def choose_by_values(alteration: Mapping[T, float], diversity: Mapping[T, float], distance: Mapping[T, float]) -> T:
    """The strategy with the best balance of alteration (less is better), l (more is better) and t (less is better)."""
    three = [index(alteration), index(diversity, more_is_better=True), index(distance)]
    return choose({name: [column[name] for column in three] for name in alteration})
