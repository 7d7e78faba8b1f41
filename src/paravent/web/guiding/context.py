"""The context of a project: what was said so far, and the plain answers that it would follow from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from paravent.guide import Context
from paravent.guide.situation import SETS
from paravent.knowledge import k_from_risk, max_suppressed
from paravent.web.guiding.preferences import said_of, suited, told_of

PREDICTED = ("classification", "regression")
"""The uses that have a target."""
FIRST = {"risk": 0.2, "suppression": 0.05}
"""What is taken until somebody says otherwise: the usual limits for data under a contract."""


def context_of(told: Mapping[str, Any]) -> Context:
    """The context of a document. A use whose target nobody has named yet does not count.

    >>> context_of({"use": "classification"}).use
    'any'
    """
    return Context.from_dict(settled({**FIRST, **told}, whole=True))


def settled(told: Mapping[str, Any], *, whole: bool = False) -> dict[str, Any]:
    """A context without what its use does not know: a target that nothing is to be predicted from, and comparisons with
    a usage that there is not. Where it must be `whole`, a use without its target goes, too.

    >>> settled({"use": "counting", "target": "salary"})
    {'use': 'counting'}
    """
    found = {name: value for name, value in told.items() if value is not None}
    if found.get("use", "any") not in PREDICTED:
        found.pop("target", None)
    elif whole and not found.get("target"):
        found.pop("use")
    use = str(found.get("use", "any"))
    if "preferences" in found:
        found["preferences"] = told_of(suited(use, said_of(found)))
    return found


def with_answer(told: Mapping[str, Any], question: str, answer: str) -> dict[str, Any]:
    """The context after an answer in plain words: what the question decides is set anew, all else stays.

    >>> with_answer({"risk": 0.2, "suppression": 0.2}, "audience", "public")
    {'suppression': 0.2, 'risk': 0.09}
    >>> with_answer({"belief": 0.5, "use": "counting"}, "harm", "nothing")
    {'use': 'counting'}
    """
    found = dict(told)
    for name in decided(question):
        found.pop(name, None)
    sets = SETS[question][answer]
    found |= {name: list(value) if isinstance(value, tuple) else value for name, value in sets.items()}
    return settled(found)


def decided(question: str) -> set[str]:
    """The fields of a context that any answer to a question sets.

    >>> sorted(decided("harm"))
    ['belief', 'gain']
    """
    return {name for sets in SETS[question].values() for name in sets}


def answer_in(told: Mapping[str, Any], question: str) -> str | None:
    """The answer that a context would follow from; None where its numbers are of nobody's answer.

    >>> answer_in({"risk": 0.09}, "audience"), answer_in({"risk": 0.15}, "audience"), answer_in({}, "harm")
    ('public', None, 'nothing')
    """
    now = {**FIRST, "use": "any", **told}
    for answer, sets in SETS[question].items():
        wanted = {name: list(value) if isinstance(value, tuple) else value for name, value in sets.items()}
        if {name: now[name] for name in decided(question) if name in now} == wanted:
            return answer
    if question == "knowledge" and not now.get("attacks"):
        return "little"
    return None


def risk_for(k: int) -> float:
    """A risk, as short as it can be written, from which this k follows.

    >>> risk_for(5), risk_for(3), risk_for(12)
    (0.2, 0.34, 0.09)
    """
    for digits in range(2, 16):
        risk = round(1 / k, digits)
        for near in (risk, round(risk + 10**-digits, digits)):
            if 0 < near <= 1 and k_from_risk(near) == k:
                return near
    return 1 / k


def suppression_for(rows: int, most: int) -> float:
    """A share of rows, as short as it can be written, from which this MaxSup follows.

    >>> suppression_for(1000, 200), suppression_for(30162, 100)
    (0.2, 0.00332)
    """
    for digits in range(1, 16):
        share = round(most / rows, digits)
        for near in (share, round(share + 10**-digits, digits)):
            if 0 <= near < 1 and max_suppressed(rows, near) == most:
                return near
    return most / rows
