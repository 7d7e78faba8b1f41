"""Hopes: which candidates could still be the best, and which three to run so that the best is likely among them.

A prediction comes with an interval. A candidate that looks second by its predictions alone may well be the first, and
one that is sure to be second is not worth a run. Both questions here take the intervals into account; predictions of
one method err together, whatever its k.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from paravent.guide.goals import Goals
from paravent.guide.ranking import Ranking, Values, rank
from paravent.knowledge.cube.criteria import CRITERIA
from paravent.knowledge.predicting.prediction import Prediction

Told = Mapping[str, Mapping[str, Prediction]]
"""Predictions of candidates, by criterion."""

_HOPE, _KNOWN = 0.5, 0.2
"""How much of an interval is hoped for: of a method that has not been run on the table, and of one that has."""
_HASTENED = 0.05
"""By which share of itself a value is hoped to be better than it was in haste."""
_KEPT = ("security", "completeness")
"""What a longer search does not better: it looks for less loss in classes of as many rows."""
_DOUBT = 0.5
"""How much of an interval counts against what has not been run, beside what has."""
_DRAWS = 256
_TOGETHER = 0.8
"""The share of an error's variance that all predictions of a method have in common."""
_NINE_IN_TEN = 1.645
"""The half-width of an interval, in standard deviations."""


def counted(told: Told) -> dict[str, dict[str, float]]:
    """The values by which candidates are ranked. Once some have been run on the table, what is only thought of the
    others counts with half of its interval to the worse side: of many that are thought of, the one that stands first is
    likely to be thought too well of."""
    seen = any(by and all(each.evidence == "landmark" for each in by.values()) for by in told.values())
    return {
        name: {c: _soberly(c, each) if seen else each.value for c, each in by.items() if each.value is not None}
        for name, by in told.items()
    }


def _soberly(criterion: str, told: Prediction) -> float:
    assert told.value is not None
    assert told.low is not None
    assert told.high is not None
    if told.evidence == "landmark":
        return told.value
    worst = told.low if CRITERIA[criterion].metric.better == "higher" else told.high
    return told.value + _DOUBT * (worst - told.value)


def contenders(
    told: Told,
    methods: Mapping[str, str],
    measured: Mapping[str, Values],
    goals: Goals,
    decision: str = "ahp",
    *,
    again: Mapping[str, Values] | None = None,
) -> list[str]:
    """The candidates without a run that would stand before all that were run, if they came out as well as can be hoped,
    the best first. `methods` are the methods of candidates: where one was run, its others are moved by its error.
    `again` are those that were run in haste: of a whole run they are hoped to come out a little better."""
    errors = _errors(told, methods, measured)
    hoped: dict[str, Values] = dict(measured)
    for name, values in (again or {}).items():
        hoped[name] = {c: _hastened(c, value) for c, value in values.items()}
    for name, by in told.items():
        if name not in hoped and all(each.value is not None for each in by.values()):
            hoped[name] = {c: _hoped(c, each, errors.get((methods[name], c))) for c, each in by.items()}
    found = []
    for place in rank(hoped, goals, decision).places:
        if place.name in measured:
            break
        found.append(place.name)
    return found


def _errors(
    told: Told, methods: Mapping[str, str], measured: Mapping[str, Values]
) -> dict[tuple[str, str], list[float]]:
    found: dict[tuple[str, str], list[float]] = {}
    for name, values in measured.items():
        for criterion, value in values.items():
            said = told.get(name, {}).get(criterion)
            if said is not None and said.value is not None:
                found.setdefault((methods[name], criterion), []).append(value - said.value)
    return found


def _hoped(criterion: str, told: Prediction, errors: Sequence[float] | None) -> float:
    assert told.value is not None
    assert told.low is not None
    assert told.high is not None
    best = told.high if CRITERIA[criterion].metric.better == "higher" else told.low
    share = _KNOWN if errors else _HOPE
    return told.value + (float(np.mean(errors)) if errors else 0.0) + share * (best - told.value)


def _hastened(criterion: str, value: float) -> float:
    if criterion in _KEPT:
        return value
    better = _HASTENED if CRITERIA[criterion].metric.better == "higher" else -_HASTENED
    return value + better * abs(value)


def shortlist(ranking: Ranking, told: Told, methods: Mapping[str, str], count: int = 3) -> list[str]:
    """The candidates to run: the first of the ranking, and then always the one with which the best of all that are run
    is expected to have the highest score. Errors are drawn within the intervals, by a fixed seed; of equal
    expectations, the one that ranks first."""
    names = [place.name for place in ranking.places]
    if len(names) <= count:
        return names
    scores = _drawn(ranking, told, methods)
    chosen = [0]
    while len(chosen) < count:
        best = scores[:, chosen].max(axis=1)
        gains = np.maximum(scores, best[:, None]).mean(axis=0)
        gains[chosen] = -np.inf
        chosen.append(int(np.argmax(np.round(gains, 12))))
    return [names[at] for at in chosen]


def _drawn(ranking: Ranking, told: Told, methods: Mapping[str, str]) -> np.ndarray:
    """Scores that candidates may turn out to have around what is thought of them, a row for each draw. What a value of
    a criterion contributes is read between the values that are ranked."""
    rng = np.random.default_rng(0)
    places = ranking.places
    kinds = {method: at for at, method in enumerate(dict.fromkeys(methods[place.name] for place in places))}
    of_kind = np.array([kinds[methods[place.name]] for place in places])
    scores = np.tile([place.base for place in places], (_DRAWS, 1))
    for criterion in ranking.weights:
        ranked = [place.values[criterion] for place in places]
        values = np.array([_thought(told, place.name, criterion, place.values[criterion]) for place in places])
        widths = np.array([_width(told.get(place.name, {}).get(criterion)) for place in places])
        common = rng.standard_normal((_DRAWS, len(kinds)))[:, of_kind] * np.sqrt(_TOGETHER)
        own = rng.standard_normal((_DRAWS, len(places))) * np.sqrt(1 - _TOGETHER)
        known, first = np.unique(ranked, return_index=True)
        gives = np.array([places[at].contributions[criterion] for at in first])
        scores += np.interp(values + (common + own) * widths / _NINE_IN_TEN, known, gives)
    return scores


def _thought(told: Told, name: str, criterion: str, otherwise: float) -> float:
    said = told.get(name, {}).get(criterion)
    return otherwise if said is None or said.value is None else said.value


def _width(told: Prediction | None) -> float:
    return 0.0 if told is None or told.low is None or told.high is None else (told.high - told.low) / 2
