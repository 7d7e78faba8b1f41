"""Situations: four questions in plain words, and what they say about risk, models and attacks, each with its reason.

The figures are those of published practice, said as such; whoever knows better changes them in the context. What
questions and answers read like is in the knowledge, in both languages.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from paravent.arguments import Checked, check_call
from paravent.errors import PlanError
from paravent.guide.context import Context
from paravent.knowledge.loading import load
from paravent.near import suggest

SETS: Mapping[str, Mapping[str, Mapping[str, Any]]] = MappingProxyType(
    {
        "audience": {"public": {"risk": 0.09}, "contract": {"risk": 0.2}, "internal": {"risk": 0.33}},
        "knowledge": {
            "little": {"attacks": ("record-linkage",)},
            "acquaintances": {"attacks": ("record-linkage", "homogeneity")},
            "insiders": {"attacks": ("record-linkage", "homogeneity", "background-knowledge", "skewness")},
        },
        "harm": {"nothing": {}, "certainty": {"belief": 0.5}, "suspicion": {"belief": 0.34, "gain": 0.2}},
        "purpose": {
            name: {"use": name} for name in ("classification", "regression", "counting", "distributions", "any")
        },
    }
)
"""The questions, the answers to each, and what each answer sets in a context."""


@dataclass(frozen=True)
class Choice:
    """An answer: what it reads like, what it sets, and why."""

    reads: str
    sets: Mapping[str, Any]
    because: str


@dataclass(frozen=True)
class Question:
    """A question in plain words, with help and the answers to choose from."""

    name: str
    asks: str
    help: str
    choices: Mapping[str, Choice]


def questions(*, language: str = "en") -> Mapping[str, Question]:
    """The four questions, with their answers and the reason of what each answer sets.

    >>> questions(language="fr")["audience"].asks
    'Qui reçoit les données ?'
    """
    check_call(questions, locals())
    say = load(language=language).say
    return MappingProxyType(
        {
            name: Question(
                name,
                say(f"ask-{name}"),
                say(f"ask-{name}-help"),
                MappingProxyType(
                    {
                        word: Choice(say(f"answer-{word}"), sets, say(f"answer-{word}-because"))
                        for word, sets in own.items()
                    }
                ),
            )
            for name, own in SETS.items()
        }
    )


class _English(Mapping[str, Question]):
    """The questions in English, read from the knowledge whenever somebody looks."""

    def __getitem__(self, name: str) -> Question:
        return questions()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(SETS)

    def __len__(self) -> int:
        return len(SETS)


QUESTIONS: Mapping[str, Question] = _English()
"""The four questions in English; `questions` gives them in French, too."""


@dataclass(frozen=True, kw_only=True)
class Situation(Checked):
    """A publication in plain words.

    >>> found = Situation(audience="public", knowledge="acquaintances", purpose="counting").context()
    >>> found.k, found.l, found.use
    (12, 2, 'counting')
    """

    audience: str = "contract"
    knowledge: str = "little"
    harm: str = "nothing"
    purpose: str = "any"
    target: str | None = None

    def __post_init__(self) -> None:
        for name, choices in SETS.items():
            said = getattr(self, name)
            if said not in choices:
                raise PlanError(f"situation: {name} cannot be {said!r}. {suggest(str(said), choices)}")

    def context(self, **more: Any) -> Context:
        """The context that follows; `more` are other fields of it, which count before what follows."""
        found: dict[str, Any] = {} if self.target is None else {"target": self.target}
        for name, choices in SETS.items():
            found |= choices[getattr(self, name)]
        return Context(**{**found, **more})

    @property
    def reasons(self) -> dict[str, str]:
        """For each answer, what it sets and why."""
        return self.why()

    def why(self, *, language: str = "en") -> dict[str, str]:
        """For each answer, what it sets and why, in a language.

        >>> Situation(audience="internal").why(language="fr")["harm"]
        "Aucune autre limite n'est nécessaire."
        """
        check_call(Situation.why, locals())
        found = {}
        for name, question in questions(language=language).items():
            choice = question.choices[getattr(self, name)]
            sets = ", ".join(f"{field} = {_shown(value)}" for field, value in choice.sets.items())
            found[name] = f"{choice.because}{f' ({sets})' if sets else ''}"
        return found


def _shown(value: Any) -> str:
    return " and ".join(value) if isinstance(value, tuple) else str(value)
