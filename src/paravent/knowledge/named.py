"""Questions that have a name: a SPARQL file each, with what it asks and what it takes in its first lines."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from paravent.errors import PlanError
from paravent.knowledge.shipped import HERE
from paravent.near import suggest


@dataclass(frozen=True)
class Question:
    """`asks` says it in words; `parameters` are keys of entries that it needs, `optional` ones that narrow it down."""

    name: str
    asks: str
    parameters: tuple[str, ...]
    optional: tuple[str, ...]
    text: str


@cache
def named() -> Mapping[str, Question]:
    """Every named question.

    >>> named()["metrics-of"].asks, named()["metrics-of"].parameters
    ('Which metrics measure a requirement?', ('requirement',))
    """
    found = (_read(path.stem, path.read_text(encoding="utf-8")) for path in sorted((HERE / "queries").glob("*.rq")))
    return MappingProxyType({question.name: question for question in found})


def question_named(name: str) -> Question:
    """
    >>> question_named("cq2").name
    'CQ2'
    """
    known = {each.casefold(): each for each in named()}
    if name.casefold() not in known:
        raise PlanError(f"knowledge: there is no question {name!r}. {suggest(name, named())}")
    return named()[known[name.casefold()]]


def _read(name: str, text: str) -> Question:
    asks = text.splitlines()[0].removeprefix("# ")
    taken = re.findall(r"^# parameter: (\S+)( \(optional\))?$", text, re.MULTILINE)
    needed = tuple(parameter for parameter, optional in taken if not optional)
    return Question(name, asks, needed, tuple(parameter for parameter, optional in taken if optional), text)
