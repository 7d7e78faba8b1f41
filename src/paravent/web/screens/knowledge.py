"""Knowledge: browse what is known, ask named questions, query in SPARQL, and, as an expert, add to it."""

from __future__ import annotations

from nicegui import ui

from paravent.errors import ParaventError
from paravent.knowledge import load
from paravent.knowledge.entry import Entry
from paravent.knowledge.terms import KINDS
from paravent.web.knowing.asking import Asking, Querying
from paravent.web.knowing.editing import editing
from paravent.web.page import Page
from paravent.web.parts.anew import piece
from paravent.web.parts.fields import choice
from paravent.web.parts.tabs import tabs
from paravent.web.parts.text import box, capital, note, problem, text
from paravent.web.screens import Screen

TABS = ("browse", "ask", "query", "edit")
MOST = 60


def build(page: Page) -> None:
    page.heading("knowledge.title", "knowledge.lead")
    at = page.rest if page.rest in TABS else "browse"
    tabs(page, "knowledge", TABS, at)
    for sentence in load(language=page.say.language).notes:
        note(str(sentence), "warning_amber", of=page)
    if at == "ask":
        Asking(page)
    elif at == "query":
        Querying(page)
    elif at == "edit":
        editing(page)
    elif page.rest and page.rest not in TABS and page.rest not in KINDS:
        _entry(page, page.rest)
    else:
        Browsing(page, page.rest if page.rest in KINDS else "technique")


class Browsing:
    """The entries of a kind, narrowed down as somebody types."""

    def __init__(self, page: Page, kind: str):
        self.page, self.say, self.kind, self.wanted = page, page.say, kind, ""
        self.known = load(language=page.say.language)
        page.script(f"import paravent as pv\n\nprint(pv.knowledge.entries({kind!r}))", f"paravent know list {kind}")
        kinds = {each: self.say(f"knowledge.kind.{each}") for each in KINDS if self.say.has(f"knowledge.kind.{each}")}
        with box("pv-halves pv-halves--third"):
            with box("pv-card pv-sticky", "section"):
                choice(page, self.say("knowledge.kind"), kinds, kind, lambda k: page.go(f"knowledge/{k}"), keep="kind")
                find = ui.input(label=self.say("knowledge.find"), on_change=self._find).props("outlined clearable")
                find.classes("pv-field").props["data-keep"] = "find"
            self._list()

    def _find(self, event: object) -> None:
        self.wanted = str(getattr(event, "value", "") or "").casefold()
        self._list.refresh()

    @piece
    def _list(self) -> None:
        found = [entry for entry in self.known.entries(self.kind) if self._matches(entry)]
        with box("pv-stack"):
            text(self.say("knowledge.found", n=len(found)), "p", "pv-muted").props('role="status"')
            with box("pv-methods pv-card", "ul"):
                for entry in sorted(found, key=lambda each: each.label.casefold())[:MOST]:
                    with box("pv-method", "li"):
                        ui.link(entry.label, self.page.link(f"knowledge/{entry.key}")).classes("pv-link")
                        text(entry.definition or entry.help, "p", "pv-small")

    def _matches(self, entry: Entry) -> bool:
        return self.wanted in f"{entry.key} {entry.label} {entry.definition}".casefold()


def _entry(page: Page, key: str) -> None:
    say, known = page.say, load(language=page.say.language)
    try:
        entry = known.entry(key)
    except ParaventError as error:
        problem(str(error), of=page)
        return
    page.script(f"import paravent as pv\n\nprint(pv.knowledge.show({entry.key!r}))", f"paravent know show {entry.key}")
    with box("pv-card", "article"):
        with box("pv-row pv-row--between"):
            text(entry.label, "h2")
            text(entry.key, "code", "pv-chip pv-mono")
        if entry.definition:
            text(entry.definition, "p", "pv-lead")
        if entry.help:
            text(entry.help, "p")
        if entry.kind in ("algorithm", "technique", "treatment"):
            ui.link(say("knowledge.method_page"), page.link(f"method/{entry.key}")).classes("pv-link")
        if entry.relations:
            text(say("knowledge.relations"), "h3")
            relations(page, entry)
    if entry.kind in KINDS:
        ui.link(say("knowledge.back"), page.link(f"knowledge/{entry.kind}")).classes("pv-link")


def relations(page: Page, entry: Entry) -> None:
    """What is said of an entry; other entries are links."""
    told: dict[str, list[tuple[str, str | None]]] = {}
    for relation in entry.relations:
        told.setdefault(relation.label, []).append((relation.reads, relation.value if relation.leads else None))
    with box("pv-facts pv-facts--wide", "dl"):
        for label, values in told.items():
            with box(""):
                text(capital(label), "dt")
                with box("pv-links", "dd"):
                    for reads, key in values:
                        if key is None:
                            text(reads, "span", "pv-break")
                        else:
                            ui.link(reads, page.link(f"knowledge/{key}")).classes("pv-chip")


SCREEN = Screen(
    "knowledge",
    "knowledge.title",
    build,
    group="knowledge",
    place=20,
    modes=frozenset({"informative", "full"}),
    needs_data=False,
)
