"""Constraints: who gets the data, what they could know, what would hurt, what it is for; and the limits that follow."""

from __future__ import annotations

from typing import Any

from paravent.guide import questions
from paravent.guide.situation import Question
from paravent.web.guiding.context import FIRST, PREDICTED, answer_in, settled, with_answer
from paravent.web.guiding.scripts import guide_script
from paravent.web.page import Page
from paravent.web.parts.fields import choice, number, options
from paravent.web.parts.guided import has_sensitive, targets, with_roles
from paravent.web.parts.text import box, note, text
from paravent.web.screens import Screen

LIMITS = (
    ("risk", "tolerated-risk", 1.0, 100.0),
    ("suppression", "suppression-rate", 0.0, 99.0),
    ("belief", "tolerated-belief", 1.0, 100.0),
    ("gain", "tolerated-gain", 1.0, 100.0),
)


def build(page: Page) -> None:
    page.heading("constraints.title", "constraints.lead")
    page.script(*guide_script(page.document))
    if not with_roles(page):
        return
    with box("pv-halves"):
        with box("pv-card", "section"):
            text(page.say("constraints.words"), "h2")
            for question in questions(language=page.say.language).values():
                _question(page, question)
        with box("pv-card pv-sticky", "section"):
            text(page.say("constraints.limits"), "h2")
            text(page.say("constraints.limits.note"), "p", "pv-muted")
            for name, entry, low, high in LIMITS:
                _limit(page, name, entry, low, high)
            if not has_sensitive(page.document) and {"belief", "gain", "attacks"} & set(page.document.context):
                note(page.say("constraints.sensitive"), "warning_amber")


def _question(page: Page, question: Question) -> None:
    say, told = page.say, page.document.context
    answer = answer_in(told, question.name)

    def changed(key: str) -> None:
        after = with_answer(told, question.name, key)
        if after.get("use") in PREDICTED and "target" not in after and targets(page.document):
            after["target"] = targets(page.document)[0]
        page.change(say("constraints.answered", question=question.asks), context=settled({**FIRST, **after}))

    labels = {key: choice.reads for key, choice in question.choices.items()}
    with options(question.asks, question.name, labels, answer, changed):
        if page.shows("definitions"):
            text(question.help, "p", "pv-small")
        if question.name == "purpose" and told.get("use") in PREDICTED:
            target(page)
        if answer is not None:
            text(question.choices[answer].because, "p", "pv-because")


def target(page: Page) -> None:
    """The column that is to be predicted."""
    say, told = page.say, page.document.context
    names = targets(page.document)
    if not names:
        note(say("filters.needs_target"), "warning_amber")
        return
    choice(
        page,
        say("filters.target"),
        {name: name for name in names},
        told.get("target") if told.get("target") in names else None,
        lambda name: page.change(say("filters.changed"), context={**FIRST, **told, "target": name}),
        entry="target-column",
        keep="target",
    )


def _limit(page: Page, name: str, entry: str, low: float, high: float) -> None:
    say, told = page.say, {**FIRST, **page.document.context}
    now = told.get(name)

    def changed(value: float | None) -> None:
        after: dict[str, Any] = {key: each for key, each in told.items() if key != name}
        if value is not None:
            after[name] = round(value / 100, 10)
        page.change(say("constraints.changed"), context=after)

    number(
        page,
        say(f"constraints.{name}"),
        None if now is None else round(100 * float(now), 8),
        changed,
        low=low,
        high=high,
        entry=entry,
        keep=f"limit-{name}",
        empty=say("constraints.none") if name in ("belief", "gain") else None,
    )


SCREEN = Screen(
    "constraints",
    "constraints.title",
    build,
    group="guide",
    place=10,
    modes=frozenset({"suggestive", "full"}),
    done=lambda document: "risk" in document.context,
)
