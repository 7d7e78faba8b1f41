"""Ranking: signatures with a value on every criterion, scored by the weights of a person's goals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

import numpy as np

from paravent.arguments import Checked, check_call
from paravent.errors import PlanError
from paravent.guide.deciding.methods import Column, Decision, decide, weighted_sum
from paravent.guide.goals import Goals
from paravent.knowledge.cube.criteria import CRITERIA
from paravent.near import suggest

Values = Mapping[str, float]
"""Of one alternative, by criterion."""


@dataclass(frozen=True, eq=False)
class Place:
    """Where an alternative stands: `score` is `base` and the contributions of the criteria together, `ideal` the score
    over that of the best, `rank` from 1."""

    name: str
    rank: int
    score: float
    ideal: float
    base: float
    contributions: Mapping[str, float]
    values: Mapping[str, float]


@dataclass(frozen=True, eq=False)
class Ranking(Checked):
    """Alternatives in order, the best first; those without a value on some criterion are `unscored`, with the criteria
    that they lack. Of equal scores, the one with the higher weighted sum of values comes first, then the name that
    comes first."""

    places: tuple[Place, ...]
    unscored: Mapping[str, tuple[str, ...]]
    weights: Mapping[str, float]
    method: str
    consistency: Mapping[str, float]

    def __getitem__(self, name: str | int) -> Place:
        """The place of a candidate by its name, or by its position from 0, as in a list."""
        if isinstance(name, int):
            return self.places[name]
        for place in self.places:
            if place.name == name:
                return place
        if name in self.unscored:
            raise PlanError(f"{name!r} has no score: nothing is known of its {', '.join(self.unscored[name])}.")
        raise PlanError(f"there is no signature {name!r}. {suggest(name, [each.name for each in self.places])}")

    def __len__(self) -> int:
        return len(self.places)

    @property
    def best(self) -> Place:
        if not self.places:
            raise PlanError("no signature could be scored. Give the guide some seconds to try them on the table.")
        return self.places[0]

    def top(self, count: int = 3) -> tuple[Place, ...]:
        return self.places[:count]


def rank(
    alternatives: Mapping[str, Values],
    goals: Goals,
    method: str = "ahp",
    thresholds: Mapping[str, Sequence[float]] | None = None,
) -> Ranking:
    """Rank alternatives by their values. `thresholds` are limits of intensities by criterion that count instead of
    those of the criteria."""
    check_call(rank, locals())
    weights = {name: weight for name, weight in goals.weights.items() if weight > 0}
    lacking = {name: tuple(c for c in weights if values.get(c) is None) for name, values in alternatives.items()}
    scored = [name for name in alternatives if not lacking[name]]
    unscored = MappingProxyType({name: gaps for name, gaps in lacking.items() if gaps})
    if not scored:
        return Ranking((), unscored, MappingProxyType(weights), method, MappingProxyType({}))
    columns = columns_of({name: alternatives[name] for name in scored}, weights, thresholds or {})
    decision = decide(method, columns)
    return Ranking(
        _places(scored, columns, decision), unscored, MappingProxyType(weights), method, decision.consistency
    )


def columns_of(
    alternatives: Mapping[str, Values], weights: Mapping[str, float], thresholds: Mapping[str, Sequence[float]]
) -> list[Column]:
    found = []
    for name, weight in weights.items():
        criterion = CRITERIA[name]
        intensity = partial(criterion.intensities, thresholds=thresholds.get(name))
        values = np.array([float(each[name]) for each in alternatives.values()])
        higher, logarithmic = criterion.metric.better == "higher", criterion.metric.logarithmic
        found.append(Column(name, weight, values, higher, intensity, logarithmic))
    return found


def _places(names: Sequence[str], columns: Sequence[Column], decision: Decision) -> tuple[Place, ...]:
    finer = weighted_sum(columns).scores
    order = sorted(range(len(names)), key=lambda i: (-round(float(decision.scores[i]), 12), -finer[i], names[i]))
    ideal = decision.ideal
    return tuple(
        Place(
            names[i],
            place,
            float(decision.scores[i]),
            float(ideal[i]),
            float(decision.base[i]),
            MappingProxyType({c.name: float(decision.contributions[i, j]) for j, c in enumerate(columns)}),
            MappingProxyType({c.name: float(c.values[i]) for c in columns}),
        )
        for place, i in enumerate(order, 1)
    )
