"""Explaining: why a signature stands where it stands, how firm that is, and what would change it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from paravent.arguments import Checked, check_call
from paravent.guide.deciding.judgements import SCALE, nearest, spoken
from paravent.guide.goals import Goals
from paravent.guide.ranking import Place, Ranking, Values, rank
from paravent.knowledge.base import Knowledge
from paravent.knowledge.cube.criteria import CRITERIA, METRICS, criterion
from paravent.knowledge.loading import load
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
        return self.says(load())

    def says(self, known: Knowledge) -> str:
        """The change in the language of the knowledge."""
        return known.say(
            "change",
            first=self.first,
            second=self.second,
            said=spoken(self.said),
            instead=spoken(self.instead),
            winner=self.winner,
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
    language: str = "en"

    @property
    def contributions(self) -> Mapping[str, float]:
        """What each criterion adds to the score."""
        return self.place.contributions

    def __str__(self) -> str:
        known = load(language=self.language)
        place, lines = self.place, []
        lines.append(known.say("place", name=self.name, rank=place.rank, count=self.count, score=f"{place.score:.4f}"))
        lines.append(known.say("makes-up"))
        if place.base:
            lines.append(f"  {place.base:+.4f}  {known.say('base')}")
        for name, part in sorted(place.contributions.items(), key=lambda each: -each[1]):
            told = known.say(
                "part",
                criterion=title(known, name),
                metric=metric_title(known, name),
                value=shown(name, place.values[name]),
                weight=f"{self.weights[name]:.0%}",
            )
            lines.append(f"  {part:+.4f}  {told}")
        if place.rank > 1 and abs(place.score - self.best.score) < 1e-12:
            lines.append(known.say("same-score", best=self.best.name))
        elif place.rank > 1:
            behind = max(self.weights, key=lambda c: (self.best.contributions[c] - place.contributions[c], c))
            lines.append(
                known.say(
                    "behind",
                    best=self.best.name,
                    criterion=title(known, behind),
                    best_value=shown(behind, self.best.values[behind]),
                    value=shown(behind, place.values[behind]),
                )
            )
        lines += [known.say("why-candidate", rule=rule) for rule in self.rules]
        lines.append(known.say("steady", share=f"{self.steady:.0%}", best=self.best.name))
        lines += [known.say("would-change", change=change.says(known)) for change in self.changes[:3]]
        lines += [known.say("uncertain", doubt=doubt) for doubt in self.doubts]
        return "\n".join(lines)


def explain(
    name: str,
    ranking: Ranking,
    alternatives: Mapping[str, Values],
    goals: Goals,
    thresholds: Mapping[str, Sequence[float]],
    rules: Sequence[str] = (),
    predictions: Mapping[str, Prediction] | None = None,
    language: str = "en",
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
        tuple(_doubts(predictions or {}, ranking, load(language=language))),
        tuple(changes),
        kept / tried if tried else 1.0,
        len(ranking),
        language,
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


def _doubts(predictions: Mapping[str, Prediction], ranking: Ranking, known: Knowledge) -> list[str]:
    found = []
    for name in ranking.weights:
        prediction = predictions.get(name)
        if prediction is None or prediction.value is None or prediction.low is None or prediction.high is None:
            continue
        if prediction.low != prediction.high:
            found.append(
                known.say(
                    "doubt",
                    criterion=title(known, name),
                    low=shown(name, prediction.low),
                    high=shown(name, prediction.high),
                    evidence=known.say(f"evidence-{prediction.evidence.replace(' ', '-')}"),
                    support=prediction.support,
                )
            )
    return found


def title(known: Knowledge, name: str) -> str:
    """How a criterion or a metric is called within a sentence: as the knowledge has it, the user's layer in it.

    >>> title(load(language="fr"), "security"), title(load(), "utility.gcp")
    ('sécurité', 'loss of detail (GCP)')
    """
    check_call(title, locals())
    plain = CRITERIA[name].title if name in CRITERIA else METRICS[name].title if name in METRICS else name
    label = known.called(name, otherwise=plain)
    return label if label[1:2].isupper() else label[:1].lower() + label[1:]


def metric_title(known: Knowledge, name: str) -> str:
    """How the number is called that stands for a criterion."""
    check_call(metric_title, locals())
    return title(known, criterion(name).metric.name)


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
