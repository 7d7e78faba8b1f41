"""Questions to the knowledge: those that have a name, and SPARQL of one's own within its limits."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from nicegui import ui

from paravent.errors import ParaventError
from paravent.knowledge import load
from paravent.knowledge.answer import Answer
from paravent.knowledge.base import SECONDS
from paravent.knowledge.named import named
from paravent.knowledge.terms import KINDS
from paravent.web.aside import aside
from paravent.web.page import Page
from paravent.web.parts.anew import piece
from paravent.web.parts.fields import choice
from paravent.web.parts.grid import grid
from paravent.web.parts.text import box, button, labelled, note, problem, text

MOST = 200
"""Rows of an answer that are shown."""
EXAMPLE = """SELECT ?algorithm ?label WHERE {
  ?algorithm a opam:Algorithm ; rdfs:label ?label .
  FILTER(LANG(?label) = "en")
} ORDER BY ?label"""


class Asking:
    """A named question with the entries that it needs."""

    def __init__(self, page: Page):
        self.page, self.say, self.name = page, page.say, "CQ1"
        self.given: dict[str, str] = {}
        with box("pv-card", "section"):
            asks = {
                name: self.say("knowledge.asks", name=name, question=self.say.heard(question.asks))
                for name, question in named().items()
            }
            choice(page, self.say("knowledge.question"), asks, self.name, self._choose, keep="question")
            self._parameters()
            with box("pv-row"):
                button(self.say("knowledge.run"), self._ask, icon="search", kind="main", keep="ask")
        self.answer = box("pv-stack")
        self._script()

    def _choose(self, name: str) -> None:
        self.name, self.given = name, {}
        self._parameters.refresh()
        self.answer.clear()
        self._script()

    @piece
    def _parameters(self) -> None:
        question, known = named()[self.name], load(language=self.say.language)
        for role in (*question.parameters, *question.optional):
            kind = role if role in KINDS else "requirement"
            options = {entry.key: entry.label for entry in known.entries(kind)}
            if role in question.optional:
                options = {"": self.say("knowledge.optional"), **options}
            first = next(iter(options), "")
            self.given.setdefault(role, first)
            choice(
                self.page, self.say("knowledge.give", what=role), options, self.given[role],
                partial(self._give, role), keep=f"give-{role}",
            )  # fmt: skip

    def _give(self, role: str, key: str) -> None:
        self.given[role] = key
        self._script()

    def _script(self) -> None:
        given = {role: key for role, key in self.given.items() if key}
        told = "".join(f", {role}={key!r}" for role, key in given.items())
        self.page.script(
            f"import paravent as pv\n\nprint(pv.knowledge.ask({self.name!r}{told}))",
            f"paravent know ask {self.name}{''.join(f' {role}={key}' for role, key in given.items())}",
        )

    async def _ask(self) -> None:
        known = load(language=self.say.language)
        given = {role: key for role, key in self.given.items() if key}
        await told(self.page, self.answer, lambda: known.ask(self.name, **given))


class Querying:
    """SPARQL. It runs in a process that can read the knowledge and nothing else, and is stopped after some seconds."""

    def __init__(self, page: Page):
        self.page, self.say = page, page.say
        with box("pv-card", "section"):
            text(self.say("knowledge.sparql.help", seconds=int(SECONDS)), "p", "pv-muted")
            self.field = ui.textarea(label=self.say("knowledge.sparql"), value=EXAMPLE).props("outlined autogrow")
            self.field.classes("pv-field pv-code-field").props["data-keep"] = "sparql"
            with box("pv-row"):
                button(self.say("knowledge.run"), self._ask, icon="search", kind="main", keep="query")
        self.answer = box("pv-stack")
        page.script(
            f"import paravent as pv\n\nprint(pv.knowledge.query('''\n{EXAMPLE}\n'''))", "paravent know query query.rq"
        )

    async def _ask(self) -> None:
        known = load(language=self.say.language)
        written = str(self.field.value or "")
        await told(self.page, self.answer, lambda: known.query(written, seconds=SECONDS))


async def told(page: Page, holder: ui.element, ask: Callable[[], Answer]) -> None:
    """Ask where nobody waits, and show the answer, or in a sentence why there is none."""
    holder.clear()
    with holder:
        labelled(box("pv-loading").props('role="status"'), page.say("knowledge.asking"))
    try:
        answer = await aside(ask)
    except ParaventError as error:
        holder.clear()
        with holder:
            problem(str(error), of=page)
        return
    holder.clear()
    with holder:
        shown(page, answer)


def shown(page: Page, answer: Answer) -> None:
    say = page.say
    with box("pv-card", "section"):
        text(say("knowledge.answer"), "h2")
        if not len(answer):
            note(say("knowledge.empty"))
            return
        text(say("knowledge.rows", n=len(answer)), "p", "pv-muted").props('role="status"')
        rows = [[None if cell is None else str(cell) for cell in row] for row in answer.rows[:MOST]]
        grid(list(answer.columns), rows, say("knowledge.answer")).classes("pv-answer")
        if len(answer) > MOST:
            text(say("knowledge.shown", shown=MOST, n=len(answer)), "p", "pv-small")
