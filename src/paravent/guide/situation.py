"""Situations: four questions in plain words, and what they say about risk, models and attacks, each with its reason.

The figures are those of published practice, said as such; whoever knows better changes them in the context.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from paravent.arguments import Checked
from paravent.errors import PlanError
from paravent.guide.context import Context
from paravent.near import suggest


@dataclass(frozen=True)
class Choice:
    """An answer: what it reads like, what it sets, and why."""

    reads: str
    sets: dict[str, Any]
    because: str


@dataclass(frozen=True)
class Question:
    name: str
    asks: str
    help: str
    choices: MappingProxyType[str, Choice]


_OPEN = (
    "The European Medicines Agency (policy 0070) and Health Canada take 0.09 for clinical data that anybody can read: "
    "everybody hides among eleven or twelve."
)
_CONTRACT = (
    "Cells of at least five, a risk of 0.2, are the usual limit for data that are handed on under a contract which "
    "forbids to look for people."
)
_INSIDE = "Groups of three, a risk of 0.33, are accepted inside an organisation with access control and sanctions."

QUESTIONS = MappingProxyType(
    {
        question.name: question
        for question in (
            Question(
                "audience",
                "Who gets the data?",
                "The fewer can look at the data, and the more binds them, the higher the risk that is tolerated.",
                MappingProxyType(
                    {
                        "public": Choice("anybody: it is published", {"risk": 0.09}, _OPEN),
                        "contract": Choice("named people under a contract", {"risk": 0.2}, _CONTRACT),
                        "internal": Choice("colleagues, under supervision", {"risk": 0.33}, _INSIDE),
                    }
                ),
            ),
            Question(
                "knowledge",
                "What could they know about people in the table?",
                "Somebody who knows that a person is in the table looks for values that all rows like theirs share.",
                MappingProxyType(
                    {
                        "little": Choice(
                            "what everybody can know: age, place, job",
                            {"attacks": ("record-linkage",)},
                            "People are looked for by their quasi-identifiers: k-anonymity hides them among others.",
                        ),
                        "acquaintances": Choice(
                            "that an acquaintance is in the table",
                            {"attacks": ("record-linkage", "homogeneity")},
                            "Who knows that somebody is in the table need not find the row if all like it share a "
                            "value: l-diversity keeps several values in every group.",
                        ),
                        "insiders": Choice(
                            "much: they work in the field, or have other tables",
                            {"attacks": ("record-linkage", "homogeneity", "background-knowledge", "skewness")},
                            "Who knows the field rules values out, and learns from shares that differ: groups hold "
                            "several values in shares near those of the table (l-diversity and t-closeness).",
                        ),
                    }
                ),
            ),
            Question(
                "harm",
                "What would hurt the people if it were known?",
                "Where a mere suspicion does harm, nobody may become much surer of a value than by the whole table.",
                MappingProxyType(
                    {
                        "nothing": Choice("nothing much beyond being found", {}, "No further limit is needed."),
                        "certainty": Choice(
                            "a sensitive value, known for sure",
                            {"belief": 0.5},
                            "Nobody may be surer than even odds: at least two values by their frequency.",
                        ),
                        "suspicion": Choice(
                            "a suspicion alone",
                            {"belief": 0.34, "gain": 0.2},
                            "At least three values by their frequency, and no share may grow by more than 20 points.",
                        ),
                    }
                ),
            ),
            Question(
                "purpose",
                "What are the data for?",
                "A release cannot keep everything: what it is for is kept first.",
                MappingProxyType(
                    {
                        "classification": Choice(
                            "predicting a category",
                            {"use": "classification"},
                            "Methods that keep what tells classes apart are judged by how well a class is predicted.",
                        ),
                        "regression": Choice(
                            "predicting a number",
                            {"use": "regression"},
                            "Methods are judged by how much of the number's variance groups still tell.",
                        ),
                        "counting": Choice(
                            "counting and cross tables", {"use": "counting"}, "Judged by the error of counts."
                        ),
                        "distributions": Choice(
                            "distributions of single columns",
                            {"use": "distributions"},
                            "Judged by how far the shares of columns move.",
                        ),
                        "any": Choice("nobody knows yet", {"use": "any"}, "Judged by the detail that is kept."),
                    }
                ),
            ),
        )
    }
)


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
        for question in QUESTIONS.values():
            said = getattr(self, question.name)
            if said not in question.choices:
                raise PlanError(
                    f"situation: {question.name} cannot be {said!r}. {suggest(str(said), question.choices)}"
                )

    def context(self, **more: Any) -> Context:
        """The context that follows; `more` are other fields of it, which count before what follows."""
        found: dict[str, Any] = {} if self.target is None else {"target": self.target}
        for question in QUESTIONS.values():
            found |= question.choices[getattr(self, question.name)].sets
        return Context(**{**found, **more})

    @property
    def reasons(self) -> dict[str, str]:
        """For each answer, what it sets and why."""
        found = {}
        for question in QUESTIONS.values():
            choice = question.choices[getattr(self, question.name)]
            sets = ", ".join(f"{name} = {_shown(value)}" for name, value in choice.sets.items())
            found[question.name] = f"{choice.because}{f' ({sets})' if sets else ''}"
        return found


def _shown(value: Any) -> str:
    return " and ".join(value) if isinstance(value, tuple) else str(value)
