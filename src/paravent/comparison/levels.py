"""Levels of protection: who may be compared with whom.

A level is a set of demands together with all candidates that satisfy every one of them: only those are ranked against
each other. The relation "candidate satisfies demand" orders the levels (each is a formal concept of it): whoever
stands in a stronger level also stands in the weaker ones, where it is marked as protecting more. A candidate that
protects less is never in the same list as a demand it misses, however little it loses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isnan


@dataclass(frozen=True)
class Level:
    """Demands (as positions in a list) and the candidates that satisfy all of them.

    `asked` are the demands of the plans that ask for this level, `demands` all that its members have in common.
    `whole`: no demand of any plan is beyond it.
    """

    asked: frozenset[int]
    demands: frozenset[int]
    members: tuple[str, ...]
    whole: bool = False


def levels_of(asked: Mapping[str, frozenset[int]], satisfied: Mapping[str, frozenset[int]]) -> tuple[Level, ...]:
    """The levels that the plans ask for, and the one of all their demands together, the strongest first.

    `asked` are the demands of each candidate's plan, `satisfied` those that its release satisfies. Levels with the same
    members are one. Where neither of two includes the other, the one with fewer members comes first, then the one whose
    first member does.

    >>> both = {"a": frozenset({0}), "b": frozenset({0, 1})}
    >>> [(sorted(level.demands), level.members) for level in levels_of(both, both)]
    [([0, 1], ('b',)), ([0], ('a', 'b'))]
    """
    everything = frozenset().union(*asked.values()) if asked else frozenset()
    members_of: dict[tuple[str, ...], frozenset[int]] = {}
    for wanted in (*dict.fromkeys(asked.values()), everything):
        members = tuple(name for name, held in satisfied.items() if wanted <= held)
        if members:
            members_of[members] = members_of.get(members, frozenset()) | wanted
    order = {name: place for place, name in enumerate(satisfied)}
    found = [
        Level(wanted, frozenset.intersection(*(satisfied[name] for name in members)), members, wanted == everything)
        for members, wanted in members_of.items()
    ]
    return tuple(sorted(found, key=lambda level: (len(level.members), [order[name] for name in level.members])))


@dataclass(frozen=True)
class Place:
    """A candidate in a ranking: its rank from 1 (equal for ties; None where the measure does not apply)."""

    name: str
    rank: int | None
    value: float | None
    tied: bool = False


def ranking(values: Mapping[str, float | None], *, lower_is_better: bool) -> tuple[Place, ...]:
    """The candidates from best to worst. Values that agree in nine digits are tied and keep their order.

    >>> [(p.name, p.rank, p.tied) for p in ranking({"a": 0.2, "b": 0.1, "c": 0.1}, lower_is_better=True)]
    [('b', 1, True), ('c', 1, True), ('a', 3, False)]
    """
    known = {name: rounded(value) for name, value in values.items() if value is not None and not isnan(value)}
    ordered = sorted(known, key=lambda name: known[name] if lower_is_better else -known[name])
    places = []
    for name in ordered:
        ahead = sum(_ahead(other, known[name], lower_is_better) for other in known.values())
        tied = list(known.values()).count(known[name]) > 1
        places.append(Place(name, ahead + 1, values[name], tied))
    return (*places, *(Place(name, None, None) for name in values if name not in known))


def _ahead(one: float, other: float, lower_is_better: bool) -> bool:
    return one < other if lower_is_better else one > other


def rounded(value: float) -> float:
    """Nine digits: differences beyond are the order of sums."""
    return float(f"{value:.9g}")
