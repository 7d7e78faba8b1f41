"""Decision methods: alternatives with a value on every criterion, and the weights of the criteria, become scores.

Every method gives a `Decision`: scores (higher is better) and what each criterion contributes to each of them, so that
a base and the contributions add up to the score. AHP, the weighted sum and PROMETHEE II are sums over criteria by
nature; for TOPSIS and the Pareto fronts the contributions are Shapley values: what a criterion adds on average, over
all orders in which criteria could be taken into account.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import factorial
from types import MappingProxyType

import numpy as np

from paravent.errors import PlanError
from paravent.guide.deciding.judgements import consistency, priorities
from paravent.near import suggest


@dataclass(frozen=True, eq=False)
class Column:
    """A criterion among others: its `weight`, the `values` of the alternatives, whether `higher` is better, and the
    `intensity` of values over others on the scale of AHP (1 to 9, negative where they are worse)."""

    name: str
    weight: float
    values: np.ndarray
    higher: bool
    intensity: Callable[[np.ndarray, np.ndarray], np.ndarray]
    logarithmic: bool = False

    def oriented(self) -> np.ndarray:
        """The values turned so that more is better; by their logarithms where ratios count."""
        turned = self.values.astype(float)
        if self.logarithmic:
            turned = np.log(np.maximum(turned, 1e-12))
        return turned if self.higher else -turned

    def comparisons(self) -> np.ndarray:
        """The matrix of intensities."""
        distinct, place = np.unique(self.values, return_inverse=True)
        table = np.ones((len(distinct), len(distinct)))
        first, second = np.triu_indices(len(distinct), 1)
        step = self.intensity(distinct[first], distinct[second]).astype(float)
        table[first, second] = np.where(step > 0, step, -1 / step)
        table[second, first] = 1 / table[first, second]
        return table[np.ix_(place, place)]


@dataclass(frozen=True, eq=False)
class Decision:
    """Scores of the alternatives, and per alternative and criterion what makes them up: `base` + contributions."""

    method: str
    scores: np.ndarray
    base: np.ndarray
    contributions: np.ndarray
    consistency: Mapping[str, float]

    @property
    def ideal(self) -> np.ndarray:
        """Scores over that of the best, where scores are above 0; else where they lie between the worst and the
        best."""
        best, worst = float(self.scores.max()), float(self.scores.min())
        if worst >= 0 and best > 0:
            return np.asarray(self.scores / best)
        return np.ones(len(self.scores)) if best == worst else np.asarray((self.scores - worst) / (best - worst))


def ahp(columns: Sequence[Column]) -> Decision:
    """The analytic hierarchy process: intensities between alternatives, pair by pair; scores sum to 1."""
    matrices = [column.comparisons() for column in columns]
    local = np.array([priorities(matrix) for matrix in matrices]).T
    parts = local * np.array([column.weight for column in columns])
    ratios = {column.name: consistency(matrix) for column, matrix in zip(columns, matrices, strict=True)}
    return Decision("ahp", parts.sum(axis=1), np.zeros(len(parts)), parts, ratios)


def weighted_sum(columns: Sequence[Column]) -> Decision:
    """The weighted sum of values between the worst (0) and the best (1) of the alternatives."""
    parts = np.array([column.weight * _spread(column.oriented()) for column in columns]).T
    return Decision("weighted sum", parts.sum(axis=1), np.zeros(len(parts)), parts, {})


def topsis(columns: Sequence[Column]) -> Decision:
    """TOPSIS: near the best that anybody reaches on every criterion, and far from the worst."""
    spread = np.array([_spread(column.oriented()) for column in columns]).T
    weights = np.array([column.weight for column in columns])

    def score(chosen: np.ndarray) -> np.ndarray:
        used = spread * (weights * chosen)
        to_best = np.sqrt((((weights * chosen) - used) ** 2).sum(axis=1))
        to_worst = np.sqrt((used**2).sum(axis=1))
        both = to_best + to_worst
        return np.asarray(np.where(both > 0, to_worst / np.where(both > 0, both, 1.0), 0.5))

    return _explained("topsis", score, len(columns))


def promethee(columns: Sequence[Column]) -> Decision:
    """PROMETHEE II: how much an alternative is preferred to the others, less how much they are preferred to it. The
    preference grows with the intensity, from none (1) to full (9)."""
    parts = []
    for column in columns:
        better = column.comparisons()
        preference = np.where(better > 1, (better - 1) / 8, 0.0)
        others = max(1, len(better) - 1)
        parts.append(column.weight * (preference.sum(axis=1) - preference.sum(axis=0)) / others)
    found = np.array(parts).T
    return Decision("promethee", found.sum(axis=1), np.zeros(len(found)), found, {})


def pareto(columns: Sequence[Column]) -> Decision:
    """Pareto fronts alone: 1 for those that nothing beats on every criterion, 1/2 for those that only these beat, and
    so on. Weights do not matter, but for those that are 0."""
    values = np.array([column.oriented() for column in columns]).T
    counted = np.array([column.weight > 0 for column in columns])

    def score(chosen: np.ndarray) -> np.ndarray:
        return 1.0 / _fronts(values[:, (chosen > 0) & counted])

    return _explained("pareto", score, len(columns))


METHODS: Mapping[str, Callable[[Sequence[Column]], Decision]] = MappingProxyType(
    {"ahp": ahp, "weighted sum": weighted_sum, "topsis": topsis, "promethee": promethee, "pareto": pareto}
)


def decide(method: str, columns: Sequence[Column]) -> Decision:
    """The decision of a method by its name."""
    if method not in METHODS:
        raise PlanError(f"there is no decision method {method!r}. {suggest(method, METHODS)}")
    return METHODS[method](columns)


def _spread(values: np.ndarray) -> np.ndarray:
    low, high = float(values.min()), float(values.max())
    return np.ones(len(values)) if high == low else np.asarray((values - low) / (high - low))


def _fronts(values: np.ndarray) -> np.ndarray:
    """The number of the Pareto front of each alternative, from 1."""
    front = np.zeros(len(values), dtype=float)
    number = 0
    while (front == 0).any():
        number += 1
        left = np.flatnonzero(front == 0)
        here = values[left]
        beaten = np.array([((here >= one).all(axis=1) & (here > one).any(axis=1)).any() for one in here])
        front[left[~beaten]] = number
    return front


def _explained(name: str, score: Callable[[np.ndarray], np.ndarray], size: int) -> Decision:
    """A decision whose contributions are Shapley values of its criteria."""
    known: dict[tuple[int, ...], np.ndarray] = {}

    def worth(members: tuple[int, ...]) -> np.ndarray:
        if members not in known:
            chosen = np.zeros(size)
            chosen[list(members)] = 1.0
            known[members] = score(chosen)
        return known[members]

    base = worth(())
    parts = np.zeros((len(base), size))
    for own in range(size):
        others = [each for each in range(size) if each != own]
        for count in range(size):
            share = factorial(count) * factorial(size - count - 1) / factorial(size)
            for members in combinations(others, count):
                with_own = tuple(sorted((*members, own)))
                parts[:, own] += share * (worth(with_own) - worth(members))
    return Decision(name, worth(tuple(range(size))), base, parts, {})
