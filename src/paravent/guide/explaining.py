"""Explaining: why a signature stands where it stands, how firm that is, and what would change it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from paravent.arguments import Checked, check_call
from paravent.guide.deciding.judgements import SCALE, nearest, spoken
from paravent.guide.goals import Goals
from paravent.guide.ranking import Place, Ranking, Values, rank
from paravent.knowledge.cube.criteria import CRITERIA, criterion
from paravent.knowledge.predicting.prediction import Prediction


@dataclass(frozen=True)
class Change:
    """A judgement that, said otherwise, puts another signature first."""

    first: str
    second: str
    said: float
    instead: float
    winner: str

    def __str__(self) -> str:
        return (
            f"{self.first} : {self.second} = {spoken(self.instead)} instead of {spoken(self.said)} would put "
            f"{self.winner} first"
        )


@dataclass(frozen=True, eq=False)
class Explanation(Checked):
    """Why a signature stands where it stands.

    `contributions` and the base add up to the score. `rules` are what the knowledge says of the method, `doubts` what
    is uncertain, `changes` the smallest changes of single judgements that would put another first, nearest first, and
    `steady` the share of such changes by one step of the scale that leave the first place as it is.
    """

    name: str
    place: Place
    best: Place
    weights: Mapping[str, float]
    rules: tuple[str, ...]
    doubts: tuple[str, ...]
    changes: tuple[Change, ...]
    steady: float
    count: int

    def __str__(self) -> str:
        place, lines = self.place, []
        lines.append(f"{self.name} is number {place.rank} of {self.count}, with a score of {place.score:.4f}.")
        lines.append("What makes up the score:")
        if place.base:
            lines.append(f"  {place.base:+.4f}  to begin with")
        for name, part in sorted(place.contributions.items(), key=lambda each: -each[1]):
            criterion = CRITERIA[name]
            lines.append(
                f"  {part:+.4f}  {criterion.title.lower()} ({criterion.metric.title.lower()} "
                f"{shown(name, place.values[name])}; weight {self.weights[name]:.0%})"
            )
        if place.rank > 1 and abs(place.score - self.best.score) < 1e-12:
            lines.append(f"{self.best.name} has the same score; where values differ, they are better together.")
        elif place.rank > 1:
            behind = max(self.weights, key=lambda c: (self.best.contributions[c] - place.contributions[c], c))
            lines.append(
                f"The first, {self.best.name}, is ahead most by its {CRITERIA[behind].title.lower()}: "
                f"{shown(behind, self.best.values[behind])} against {shown(behind, place.values[behind])}."
            )
        lines += [f"Why it is a candidate: {rule}" for rule in self.rules]
        lines.append(
            f"Steadiness: of all changes of one judgement by one step, {self.steady:.0%} leave {self.best.name} first."
        )
        lines += [f"What would change it: {change}." for change in self.changes[:3]]
        lines += [f"Uncertain: {doubt}" for doubt in self.doubts]
        return "\n".join(lines)


def explain(
    name: str,
    ranking: Ranking,
    alternatives: Mapping[str, Values],
    goals: Goals,
    thresholds: Mapping[str, Sequence[float]],
    rules: Sequence[str] = (),
    predictions: Mapping[str, Prediction] | None = None,
) -> Explanation:
    """The explanation of a signature in a ranking of `alternatives`."""
    place = ranking[name]
    changes, tried, kept = changes_of(ranking, alternatives, goals, thresholds)
    return Explanation(
        name,
        place,
        ranking.best,
        ranking.weights,
        tuple(rules),
        tuple(_doubts(predictions or {}, ranking)),
        tuple(changes),
        kept / tried if tried else 1.0,
        len(ranking),
    )


def changes_of(
    ranking: Ranking, alternatives: Mapping[str, Values], goals: Goals, thresholds: Mapping[str, Sequence[float]]
) -> tuple[list[Change], int, int]:
    """For each pair that can be judged, the nearest other judgement that puts another signature first; and how many
    judgements one step away there are, and how many of them leave the first place."""
    found: list[tuple[int, Change]] = []
    tried = kept = 0
    for node, judgements in goals.nodes:
        names = goals.children[node]
        for i, first in enumerate(names):
            for second in names[i + 1 :]:
                said = _said(goals, judgements.matrix[i, names.index(second)], first, second)
                here = SCALE.index(nearest(said))
                for steps in range(1, len(SCALE)):
                    winners = []
                    for at in (here - steps, here + steps):
                        if not 0 <= at < len(SCALE):
                            continue
                        winner = _winner(first, second, SCALE[at], ranking, alternatives, goals, thresholds)
                        if steps == 1:
                            tried, kept = tried + 1, kept + (winner == ranking.best.name)
                        if winner != ranking.best.name:
                            winners.append((steps, Change(first, second, said, SCALE[at], winner)))
                    if winners:
                        found.append(winners[0])
                        break
    found.sort(key=lambda each: (each[0], each[1].first, each[1].second))
    return [change for _, change in found], tried, kept


def _winner(
    first: str,
    second: str,
    said: float,
    ranking: Ranking,
    alternatives: Mapping[str, Values],
    goals: Goals,
    thresholds: Mapping[str, Sequence[float]],
) -> str:
    pairs = {pair: value for pair, value in goals.pairs.items() if set(pair) != {first, second}}
    other = Goals(goals.use, goals.children, {**pairs, (first, second): said})
    weights = other.weights
    if ranking.method in ("ahp", "weighted sum", "promethee"):  # sums over criteria: only the weights change
        scores = {
            place.name: sum(part * weights[name] / ranking.weights[name] for name, part in place.contributions.items())
            for place in ranking.places
        }
        return max(ranking.places, key=lambda place: (round(scores[place.name], 12), -place.rank)).name
    return rank(alternatives, other, ranking.method, thresholds).best.name


def _said(goals: Goals, implied: float, first: str, second: str) -> float:
    if (first, second) in goals.pairs:
        return goals.pairs[first, second]
    if (second, first) in goals.pairs:
        return 1 / goals.pairs[second, first]
    return float(implied)


def _doubts(predictions: Mapping[str, Prediction], ranking: Ranking) -> list[str]:
    found = []
    for name in ranking.weights:
        prediction = predictions.get(name)
        if prediction is None or prediction.value is None or prediction.low is None or prediction.high is None:
            continue
        if prediction.low != prediction.high:
            found.append(
                f"{CRITERIA[name].title.lower()} may lie between {shown(name, prediction.low)} and "
                f"{shown(name, prediction.high)} ({prediction.evidence}, {prediction.support} runs)."
            )
    return found


def shown(name: str, value: float) -> str:
    """A value of a criterion as it is read.

    >>> shown("security", 0.2), shown("time", 0.0123), shown("queries", 1.5)
    ('20 %', '0.0123 s', '1.5')
    """
    check_call(shown, locals())
    unit = criterion(name).metric.unit
    if unit == "share":
        return f"{100 * value:.3g} %"
    return f"{value:.3g}" + {"seconds": " s", "megabytes": " MB"}.get(unit, "")
