"""One method: what it does, how it works as a picture, its characteristics, and its steps on the person's own table."""

from __future__ import annotations

import base64
from typing import Any

from nicegui import ui

from paravent import knowledge
from paravent.errors import ParaventError
from paravent.knowledge import load
from paravent.knowledge.drawing import in_words, steps_of
from paravent.knowledge.entry import Entry
from paravent.web.aside import aside
from paravent.web.guiding.context import context_of
from paravent.web.guiding.scripts import name_of
from paravent.web.page import Page
from paravent.web.parts.fields import choice, number
from paravent.web.parts.guided import columns_with, targets
from paravent.web.parts.progress import progress
from paravent.web.parts.replaying import Replay
from paravent.web.parts.text import box, button, capital, problem, text
from paravent.web.screens import Screen


async def build(page: Page) -> None:
    known = load(language=page.say.language)
    try:
        entry = known.entry(page.rest) if page.rest else None
    except ParaventError:
        entry = None
    if entry is None or entry.kind not in ("algorithm", "treatment", "technique"):
        _all(page)
        return
    with box("pv-head"):
        ui.link(page.say("method.all"), page.link("method")).classes("pv-link")
        text(entry.label, "h1").props("tabindex=-1")
        text(entry.definition, "p", "pv-lead")
    _script(page, entry)
    if entry.help:
        text(entry.help, "p")
    with box("pv-halves"):
        if entry.value("describedBy"):
            with box("pv-card", "section"):
                text(page.say("method.how"), "h2")
                _picture(page, entry)
        with box("pv-card", "section"):
            text(page.say("method.traits"), "h2")
            traits(entry)
    if page.shows("replay"):
        with box("pv-card", "section"):
            text(page.say("method.replay"), "h2")
            if entry.kind == "algorithm" and entry.executable and entry.value("call"):
                Replaying(page, entry)
            else:
                text(page.say("method.cannot"), "p", "pv-muted")


def _all(page: Page) -> None:
    page.heading("method.all", "method.lead")
    page.script('import paravent as pv\n\nprint(pv.knowledge.entries("algorithm"))', "paravent know list algorithm")
    if page.rest:
        problem(page.say("method.none", name=page.rest))
    with box("pv-grid"):
        for entry in sorted(
            load(language=page.say.language).entries("algorithm"), key=lambda each: each.label.casefold()
        ):
            with box("pv-card pv-card--link", "article"):
                with box("", "h2"):
                    ui.link(entry.label, page.link(f"method/{entry.key}"))
                text(entry.definition, "p", "pv-small")


def _script(page: Page, entry: Entry) -> None:
    page.script(
        f"import paravent as pv\n\nprint(pv.knowledge.show({entry.key!r}))\n"
        f"pv.knowledge.picture({entry.key!r}, 'how.svg')\n"
        f"print(pv.knowledge.how({entry.key!r}, pv.read({name_of(page.document)!r})))",
        f"paravent know show {entry.key}\nparavent know how {entry.key} {name_of(page.document)!r}",
    )


def _picture(page: Page, entry: Entry) -> None:
    known = load(language=page.say.language)
    svg = knowledge.picture(entry.key, language=page.say.language)
    words = in_words(steps_of(known, entry.value("describedBy") or ""))
    image = box("pv-process", "img")
    image.props["src"] = f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"
    image.props["alt"] = page.say("method.picture", words=words)
    with box("pv-details", "details").props("open"):
        text(page.say("method.words"), "summary")
        text(words, "p", "pv-small")


def traits(
    entry: Entry, hidden: frozenset[str] = frozenset({"call", "describedBy", "specifiedBy", "registeredAs"})
) -> None:
    """What the knowledge says of an entry, as a list of facts."""
    told: dict[str, list[str]] = {}
    for relation in entry.relations:
        if relation.name not in hidden:
            told.setdefault(relation.label, []).append(relation.reads)
    with box("pv-facts pv-facts--wide", "dl"):
        for label, values in told.items():
            with box(""):
                text(capital(label), "dt")
                text(", ".join(values), "dd")


class Replaying:
    """Runs the method on the table and shows its steps."""

    def __init__(self, page: Page, entry: Entry):
        self.page, self.say, self.entry = page, page.say, entry
        context = context_of(page.document.context)
        self.k, self.rows = max(2, context.k), 6
        names = targets(page.document)
        self.target = context.target or (names[0] if names else "")
        text(self.say("method.replay.lead"), "p", "pv-muted")
        if not columns_with(page.document, "quasi"):
            text(self.say("guide.roles"), "p")
            return
        with box("pv-grid"):
            number(
                page,
                self.say("method.replay.k"),
                self.k,
                self._set("k"),
                low=2,
                high=1_000_000,
                whole=True,
                entry="k",
                keep="replay-k",
            )
            if {"class-attribute", "numeric-target"} & set(entry.values("requires")) and names:
                choice(
                    page,
                    self.say("method.replay.target"),
                    {name: name for name in names},
                    self.target,
                    self._set("target"),
                )
            number(page, self.say("method.replay.rows"), self.rows, self._set("rows"), low=1, high=40, whole=True)
        with box("pv-row"):
            button(self.say("method.replay.go"), self._go, icon="play_arrow", kind="main", keep="replay")
        self._last()

    def _set(self, name: str) -> Any:
        return lambda value: setattr(self, name, value)

    def _last(self) -> None:
        """The last replay of this method, or how far it is."""
        jobs = [job for job in self.page.project.jobs.list() if job.kind == "replay"]
        job = next((job for job in jobs if job.arguments.get("method") == self.entry.key), None)
        if job is None:
            return
        if job.state == "done" and job.result is not None:
            Replay(self.say, job.result)
        elif job.state == "failed":
            problem(self.say.said(job.error or "") or job.error or "")
        else:
            progress(self.page, job, self.say("method.replay.work"))

    async def _go(self) -> None:
        if not self.page.visitor.may_change:
            self.page.warn(self.say("shell.viewer"))
            return
        asked = {"method": self.entry.key, "k": int(self.k), "target": self.target, "rows": int(self.rows)}
        await aside(lambda: self.page.project.jobs.start("replay", **asked))
        self.page.refresh()


SCREEN = Screen("method", "method.title", build)
