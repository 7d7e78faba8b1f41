"""Export: what is promised and what is not, a list to be ticked, then the files."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from nicegui import ui

from paravent.knowledge import load
from paravent.web.analysis import read_analysis
from paravent.web.aside import aside
from paravent.web.exporting import ENDINGS
from paravent.web.guiding.decisions import note as decided
from paravent.web.page import Page
from paravent.web.parts.text import box, labelled, library, note, text
from paravent.web.releases import choose_release, folder_of, looked_at, no_release
from paravent.web.screens import Screen
from paravent.web.scripts import release_script
from paravent.web.workspace import Document

CHECKS = ("roles", "promises", "cautions", "recipient")


async def build(page: Page) -> None:
    say = page.say
    page.heading("export.title", "export.lead")
    job = await aside(looked_at, page.project)
    if job is None:
        no_release(page)
        return
    found = await aside(read_analysis, folder_of(job))
    told = dict(job.result or {})
    page.script(*release_script(page.project, job))
    choose_release(page, job)
    with box("pv-halves"):
        with box("pv-card", "section"):
            text(say("export.promise"), "h2")
            _promises(page, found.get("promises", ()), told["plan"].get("protect") or ())
        with box("pv-card", "section"):
            text(say("export.open"), "h2")
            with box("pv-list", "ul"):
                for sentence in dict.fromkeys(promise["leaves_open"] for promise in found.get("promises", ())):
                    if sentence:
                        library(page, sentence, "li")
                text(say("export.always"), "li")
    with box("pv-stack", "section"):
        text(say("export.cautions"), "h2")
        _cautions(page, told.get("cautions", ()))
    with box("pv-card", "section"):
        text(say("export.checklist"), "h2")
        ticked = dict.fromkeys(CHECKS, page.document.checked == job.id)
        for check in CHECKS:
            ui.checkbox(
                say(f"export.check.{check}"),
                value=ticked[check],
                on_change=lambda event, check=check: tick(check, bool(event.value)),
            )
    files = box("pv-stack", "section").props('aria-live="polite"')

    def tick(check: str, on: bool) -> None:
        ticked[check] = on
        if page.visitor.may_change:
            checked = job.id if all(ticked.values()) else None
            if checked != page.document.checked:
                page.change(say("export.checked" if checked else "export.unchecked"), refresh=False, checked=checked)
            if checked:
                decided(page.project, "export")
        show()

    def show() -> None:
        files.clear()
        with files:
            text(say("export.files"), "h2")
            if all(ticked.values()):
                _files(page, job.id, told)
            else:
                note(say("export.locked"), "lock")

    show()


def _promises(page: Page, promises: Any, asked: Any) -> None:
    """What holds. In French the knowledge says what a promise is, too."""
    say, known = page.say, None
    if say.language != "en" and len(asked) == len(promises):
        known = load(language=say.language)
    if not promises:
        note(say("export.promise.none"), "warning_amber")
    with box("pv-list pv-list--ticks", "ul"):
        for at, promise in enumerate(promises):
            with box("", "li"):
                ui.icon("check_circle" if promise["holds"] else "cancel")
                with box("pv-stack pv-stack--tight"):
                    level = (
                        ""
                        if promise["level"] is None
                        else f" ({say('export.reached', level=say.written(_level(promise['level'])))})"
                    )
                    text(f"{say.heard(promise['demand'])}{level}", "span", "pv-strong")
                    if known is not None:
                        text(known.entry(str(asked[at]["model"])).definition, "span")
                    library(page, promise["protects"], "span", "pv-small" if known else "")
                    library(page, promise["known_by"], "span", "pv-small")


def _level(level: Any) -> str:
    return f"{level:.6g}" if isinstance(level, int | float) else str(level)


def _cautions(page: Page, cautions: Any) -> None:
    say = page.say
    if not cautions:
        text(say("export.cautions.none"), "p", "pv-muted")
    for caution in cautions:
        serious = caution["severity"] == "serious"
        with box("pv-caution" + " pv-caution--serious" * serious, "section"):
            with box("pv-row"):
                text(
                    say("export.serious" if serious else "export.note"),
                    "span",
                    f"pv-chip pv-chip--{'bad' if serious else 'warn'}",
                )
                library(page, caution["title"], "h3")
            for part in ("sentence", "remedy"):
                if caution[part]:
                    library(page, caution[part], "p")


def _files(page: Page, job: str, told: dict[str, Any]) -> None:
    say = page.say
    base = f"/api/v1/projects/{page.project.id}/releases/{job}"
    state: dict[str, Any] = {"format": "csv", "formulas": True}
    with box("pv-row"):
        formats = dict(ENDINGS)
        ui.select(
            formats, value="csv", label=say("export.format"), on_change=lambda event: choose("format", event.value)
        ).props("outlined").classes("pv-narrow pv-format")
        ui.switch(say("export.formulas"), value=True, on_change=lambda event: choose("formulas", event.value))
    holder = box("pv-row")

    def choose(name: str, value: Any) -> None:
        state[name] = value
        draw()

    def draw() -> None:
        holder.clear()
        asked = f"format={state['format']}&formulas={'guard' if state['formulas'] else 'keep'}"
        ending = ENDINGS[state["format"]]
        names = list(told["tables"])
        with holder:
            for i, name in enumerate(names):
                words = say("export.table") if len(names) == 1 else say("export.table.named", name=name)
                own = f"{asked}&name={quote(name)}" if i else asked
                _download(
                    f"{base}/table?{own}", f"release{ending}" if not i else f"release.{name}{ending}", words, main=not i
                )

    draw()
    with box("pv-row"):
        _download(f"{base}/report", "report.html", say("export.report"))
        _download(f"{base}/plan", "plan.toml", say("export.plan"))
        if by_people := isinstance((told.get("plan") or {}).get("person"), str):
            _download(f"{base}/persons", "persons.csv", say("export.persons"))
        process = f"/api/v1/projects/{page.project.id}"
        _download(f"{process}/guidance" if page.document.guidance else process, "process.json", say("export.process"))
    text(say("export.process.hint"), "p", "pv-small")
    note(say("export.verify.people" if by_people else "export.verify"), "verified")


def _download(address: str, name: str, words: str, *, main: bool = False) -> None:
    link = ui.element("a").classes("pv-button" + " pv-button--main" * main)
    link.props["href"], link.props["download"] = address, name
    with link:
        ui.icon("download")
        text(words)
    labelled(link, words)


def done(document: Document) -> bool:
    return document.checked is not None and document.checked == document.release


SCREEN = Screen("export", "export.title", build, group="results", place=30, done=done)
