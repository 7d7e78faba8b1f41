"""Learn: the tutorial page by page, and the quiz with the reason after each answer."""

from __future__ import annotations

from nicegui import ui

from paravent.errors import ParaventError
from paravent.guide import quiz, tutorial
from paravent.guide.learning import Item
from paravent.knowledge import load
from paravent.web.guiding.decisions import note
from paravent.web.page import Page
from paravent.web.parts.anew import piece
from paravent.web.parts.tabs import tabs
from paravent.web.parts.text import box, button, text
from paravent.web.screens import Screen

TABS = ("tutorial", "quiz")


def build(page: Page) -> None:
    page.heading("learn.title", "learn.lead")
    at, _, rest = page.rest.partition(":")
    at = at if at in TABS else "tutorial"
    tabs(page, "learn", TABS, at)
    if at == "tutorial":
        page.script(
            "import paravent as pv\n\nfor lesson in pv.guide.tutorial():\n    print(lesson, end='\\n\\n')",
            "paravent know tutorial",
        )
        Tutorial(page)
    else:
        page.script(
            "import paravent as pv\n\nfor item in pv.guide.quiz():\n    print(item.statement)", "paravent know quiz"
        )
        Quiz(page, rest)


class Tutorial:
    """One chapter at a time, the others in a list beside it."""

    def __init__(self, page: Page):
        self.page, self.say, self.at = page, page.say, 0
        self.lessons = tutorial(language=page.say.language)
        with box("pv-halves pv-halves--third"):
            self._chapters()
            self._chapter()

    @piece
    def _chapters(self) -> None:
        with box("pv-chapters", "ol"):
            for place, lesson in enumerate(self.lessons):
                with box("", "li"):
                    made = button(
                        lesson.title, lambda _, place=place: self._go(place), kind="quiet", keep=f"chapter-{place}"
                    )
                    made.props("align=left")
                    if place == self.at:
                        made.classes("pv-is-here").props("aria-current=page")

    @piece
    def _chapter(self) -> None:
        lesson, count = self.lessons[self.at], len(self.lessons)
        with box("pv-card pv-lesson", "article"):
            text(self.say("learn.chapter", number=self.at + 1, count=count), "p", "pv-small")
            text(lesson.title, "h2")
            for paragraph in lesson.text.split("\n\n"):
                text(paragraph, "p")
            if self.page.shows("descriptions"):
                self._more(lesson.about)
            with box("pv-row pv-row--between"):
                if self.at:
                    button(self.say("learn.back"), lambda: self._go(self.at - 1), icon="arrow_back", keep="lesson-back")
                ui.space()
                if self.at + 1 < count:
                    button(
                        self.say("learn.next"), lambda: self._go(self.at + 1), icon="arrow_forward", kind="main",
                        keep="lesson-next",
                    )  # fmt: skip
                else:
                    ui.link(self.say("learn.quiz"), self.page.link("learn/quiz")).classes("pv-button pv-button--main")

    def _more(self, about: tuple[str, ...]) -> None:
        known = load(language=self.say.language)
        with box("pv-links"):
            for key in about:
                try:
                    label = known.entry(key).label
                except ParaventError:
                    continue
                link = ui.link(label, self.page.link(f"knowledge/{key}"))
                link.classes("pv-chip").props["aria-label"] = self.say("learn.more", label=label)

    def _go(self, place: int) -> None:
        self.at = place
        self._chapters.refresh()
        self._chapter.refresh()


class Quiz:
    """Statements to judge, one below the other. What was answered stays while the page is open."""

    def __init__(self, page: Page, about: str):
        self.page, self.say = page, page.say
        self.items = quiz(about or None, language=page.say.language)
        self.answers: dict[str, bool] = {}
        text(self.say("learn.quiz.lead"), "p", "pv-muted")
        self._score()
        with box("pv-stack"):
            self._items()

    @piece
    def _score(self) -> None:
        right = sum(self.answers.get(item.key) == item.answer for item in self.items)
        left = len(self.items) - len(self.answers)
        with box("pv-row pv-row--between pv-score").props('role="status"'):
            text(self.say("learn.score", right=right, count=len(self.answers)), "p", "pv-strong").props(
                'data-name="score"'
            )
            text(self.say("learn.left", n=left), "p", "pv-muted")
            if self.answers:
                button(self.say("learn.again"), self._again, icon="refresh", keep="quiz-again")

    @piece
    def _items(self) -> None:
        for number, item in enumerate(self.items, 1):
            with box("pv-card pv-quiz", "article"):
                self._item(number, item)

    def _item(self, number: int, item: Item) -> None:
        said = self.answers.get(item.key)
        with box("pv-question", "fieldset"):
            text(f"{number}. {item.statement}", "legend")
            with box("pv-row"):
                for answer, key in ((True, "learn.true"), (False, "learn.false")):
                    made = button(
                        self.say(key), lambda _, a=answer: self._answer(item, a), keep=f"{item.key}-{answer}",
                        label=f"{self.say(key)}: {item.statement}",
                    )  # fmt: skip
                    made.props["aria-pressed"] = "true" if said is answer else "false"
                    if said is answer:
                        made.classes("pv-button--said")
            with box("").props('role="status"'):
                if said is not None:
                    right = said == item.answer
                    text(
                        self.say("learn.right" if right else "learn.wrong"),
                        "strong",
                        "pv-verdict--good" if right else "pv-verdict--bad",
                    )
                    text(item.reason, "p")

    def _answer(self, item: Item, answer: bool) -> None:
        self.answers[item.key] = answer
        if len(self.answers) == len(self.items):
            right = sum(self.answers[each.key] == each.answer for each in self.items)
            note(self.page.project, "quiz", right=right, count=len(self.items))
        self._items.refresh()
        self._score.refresh()

    def _again(self) -> None:
        self.answers = {}
        self._items.refresh()
        self._score.refresh()


SCREEN = Screen("learn", "learn.title", build, group="knowledge", place=10, needs_data=False)
