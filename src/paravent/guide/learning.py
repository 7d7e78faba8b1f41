"""Learning: the tutorial and the quiz, both entries of the knowledge, and how somebody did in the quiz."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass

from paravent.arguments import Checked, check_call
from paravent.errors import PlanError
from paravent.knowledge.loading import load
from paravent.near import suggest


@dataclass(frozen=True)
class Item:
    """A statement to judge, whether it is true, the reason, and the entries of the knowledge that it is about."""

    key: str
    statement: str
    answer: bool
    reason: str
    about: tuple[str, ...]
    source: str


@dataclass(frozen=True)
class Marks:
    """How somebody did: items that were right and wrong, those left out, and the reasons of the wrong ones."""

    right: tuple[str, ...]
    wrong: tuple[str, ...]
    left_out: tuple[str, ...]
    reasons: Mapping[str, str]
    language: str = "en"

    @property
    def score(self) -> int:
        """The number of right answers, as the study counted them."""
        return len(self.right)

    def __str__(self) -> str:
        count = len(self.right) + len(self.wrong) + len(self.left_out)
        lines = [load(language=self.language).say("quiz-right", right=self.score, count=count)]
        return "\n".join([*lines, *(f"  {reason}" for reason in self.reasons.values())])


def quiz(about: str | None = None, *, language: str = "en") -> tuple[Item, ...]:
    """The statements of the quiz in their order, or those about one entry: a model, a technique, a metric, …

    >>> items = quiz()
    >>> len(items) >= 14, items[0].statement, items[0].answer
    (True, 'Every algorithm may leave out rows.', False)
    """
    check_call(quiz, locals())
    known = load(language=language)
    wanted = None if about is None else known.entry(about).key
    entries = sorted(known.entries("quiz"), key=lambda entry: (int(entry.value("place") or 0), entry.key))
    return tuple(
        Item(
            entry.key,
            entry.label,
            entry.value("answer") == "true",
            entry.value("reason") or "",
            entry.values("asksAbout"),
            entry.value("source") or "",
        )
        for entry in entries
        if wanted is None or wanted in entry.values("asksAbout")
    )


def mark(answers: Mapping[str, bool], *, language: str = "en") -> Marks:
    """How answers, by the keys of items, compare with the right ones.

    >>> mark({"quiz-k-and-risk": True, "quiz-risk-sum": True}).score
    1
    """
    check_call(mark, locals())
    items = {item.key: item for item in quiz(language=language)}
    for key in answers:
        if key not in items:
            raise PlanError(f"quiz: there is no item {key!r}. {suggest(key, items)}")
    wrong = tuple(key for key, item in items.items() if key in answers and answers[key] != item.answer)
    return Marks(
        tuple(key for key, item in items.items() if key in answers and answers[key] == item.answer),
        wrong,
        tuple(key for key in items if key not in answers),
        {key: f"{items[key].statement} {_said(items[key], language)} {items[key].reason}" for key in wrong},
        language,
    )


def _said(item: Item, language: str) -> str:
    return load(language=language).say("quiz-true" if item.answer else "quiz-false")


@dataclass(frozen=True)
class Lesson(Checked):
    """A page of the tutorial: `text` in paragraphs, and the entries of the knowledge that it is about."""

    key: str
    title: str
    text: str
    about: tuple[str, ...]

    def __str__(self) -> str:
        paragraphs = (textwrap.fill(part, 100) for part in self.text.split("\n\n"))
        return "\n\n".join([self.title, *paragraphs])


def tutorial(*, language: str = "en") -> tuple[Lesson, ...]:
    """The lessons in their order: what anonymization is, and how the guide is used.

    >>> lessons = tutorial()
    >>> lessons[0].title
    'Why names are not enough'
    """
    check_call(tutorial, locals())
    known = load(language=language)
    entries = sorted(known.entries("lesson"), key=lambda entry: (int(entry.value("place") or 0), entry.key))
    return tuple(Lesson(each.key, each.label, known.text(each.key), known.about(each.key)) for each in entries)
