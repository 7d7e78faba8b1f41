"""Learning: the quiz, whose statements are entries of the knowledge, and how somebody did in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from paravent.arguments import check_call
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

    @property
    def score(self) -> int:
        """The number of right answers, as the study counted them."""
        return len(self.right)

    def __str__(self) -> str:
        lines = [f"{self.score} of {len(self.right) + len(self.wrong) + len(self.left_out)} right"]
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
        {key: f"{items[key].statement} {_said(items[key])} {items[key].reason}" for key in wrong},
    )


def _said(item: Item) -> str:
    return "That is true." if item.answer else "That is not so."
