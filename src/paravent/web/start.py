"""The first page: the projects of a person, a new one, a sample to try it with."""

from __future__ import annotations

import time

from fastapi import Request
from nicegui import events, ui

from paravent.errors import ParaventError
from paravent.web.parts.text import box, button, labelled, text
from paravent.web.visit import Visitor
from paravent.web.words import LANGUAGES, Words
from paravent.web.workspace import Summary
from paravent.web.workspace.processes import open_process

MOST = 32 << 20
"""Bytes of a process file."""


def build_start(visitor: Visitor, request: Request) -> None:
    """List the projects of a visitor."""
    language = request.cookies.get("paravent-language", "en")
    _Start(visitor, Words(language if language in LANGUAGES else "en")).build()


class _Start:
    def __init__(self, visitor: Visitor, say: Words) -> None:
        self.visitor, self.say = visitor, say

    def build(self) -> None:
        say = self.say
        with ui.header(elevated=False).classes("pv-header"):
            with box("pv-brand"):
                box("pv-mark").props("aria-hidden=true")
                text(say("shell.product"))
            ui.space()
            ui.select(dict(LANGUAGES), value=say.language, label=say("shell.language"), on_change=self._speak).props(
                "dense borderless"
            ).classes("pv-language")
            if self.visitor.name:
                with ui.link(target="/logout").classes("pv-link"):
                    text(f"{say('shell.signout')} ({self.visitor.name})")
        with box("pv-main") as main, box("pv-body"):
            with box("pv-head"):
                text(say("start.title"), "h1")
                text(say("start.lead"), "p", "pv-lead")
            if self.visitor.may_change:
                with box("pv-grid"):
                    self._new()
                    self._sample()
                    self._process()
            with box("pv-stack", "section"):
                text(say("start.list"), "h2")
                self.list = box("pv-grid")
        ui.skip_link(say("shell.skip"), target=main)
        self._show()

    def _speak(self, event: object) -> None:
        language = str(getattr(event, "value", "en"))
        if language in LANGUAGES:
            ui.run_javascript(
                f"document.cookie = 'paravent-language={language}; path=/; SameSite=Strict; max-age=31536000';"
                "window.location.reload()"
            )

    def _new(self) -> None:
        say = self.say
        with box("pv-card", "section"):
            text(say("start.new"), "h2")
            name = ui.input(say("start.new.name"), placeholder=say("start.new.hint")).props("outlined maxlength=200")
            name.classes("pv-field").on("keydown.enter", lambda: self._create(name.value))
            with box("pv-row"):
                button(say("start.new.make"), lambda: self._create(name.value), icon="add", kind="main")

    def _sample(self) -> None:
        say = self.say
        with box("pv-card", "section"):
            text(say("start.sample"), "h2")
            text(say("start.sample.text"), "p", "pv-muted")
            ui.space()
            with box("pv-row"):
                button(
                    say("start.sample.open"), lambda: self._create(say("start.sample.name"), "adult"), icon="science"
                )

    def _process(self) -> None:
        say = self.say

        async def taken(event: events.UploadEventArguments) -> None:
            try:
                text = (await event.file.read()).decode("utf-8-sig")
                project = open_process(self.visitor.workspace, text)
            except UnicodeDecodeError:
                self._refused(say("start.process.wrong"))
            except ParaventError as error:
                self._refused(say.heard(str(error)))
            else:
                ui.navigate.to(f"/p/{project.id}/data")
            finally:
                upload.reset()

        with box("pv-card", "section"):
            text(say("start.process"), "h2")
            text(say("start.process.text"), "p", "pv-muted")
            ui.space()
            upload = ui.upload(auto_upload=True, max_files=1, on_upload=taken, max_file_size=MOST)
            upload.classes("hidden").on("rejected", lambda: self._refused(say("start.process.wrong")))
            with box("pv-row"):
                button(say("start.process.open"), lambda: upload.run_method("pickFiles"), icon="folder_open")

    def _refused(self, sentence: str) -> None:
        ui.notify(sentence, classes="pv-note", timeout=0, close_button=self.say("shell.close"))

    def _create(self, name: str, sample: str | None = None) -> None:
        if not (name or "").strip():
            ui.notify(self.say("start.new.needs"), classes="pv-note")
            return
        try:
            project = self.visitor.workspace.create(name.strip())
            if self.say.language != "en":
                project.change(self.say("shell.language.changed"), language=self.say.language)
            if sample:
                project.use_sample(sample)
        except ParaventError as error:
            self._refused(self.say.heard(str(error)))
            return
        ui.navigate.to(f"/p/{project.id}/data")

    def _show(self) -> None:
        say = self.say
        self.list.clear()
        found = self.visitor.workspace.projects()
        with self.list:
            if not found:
                text(say("start.none"), "p", "pv-muted")
            for project in found:
                self._card(project)

    def _card(self, project: Summary) -> None:
        say = self.say
        with box("pv-card pv-card--project", "article"):
            text(project.name, "h3", "pv-break")
            with box("pv-stack pv-stack--tight"):
                named = say("start.table", name=project.table) if project.table else say("start.no.table")
                text(named, "p", "pv-small pv-break")
                text(say("start.changed", when=ago(say, project.changed)), "p", "pv-small")
            ui.space()
            with box("pv-row pv-row--between"):
                with ui.link(target=f"/p/{project.id}/data").classes("pv-button pv-button--main") as link:
                    text(say("start.open"))
                labelled(link, f"{say('start.open')}: {project.name}")
                if self.visitor.may_change:
                    button(
                        "",
                        lambda: self._ask(project),
                        icon="delete_outline",
                        kind="quiet",
                        label=say("start.delete.named", name=project.name),
                    )

    def _ask(self, project: Summary) -> None:
        say = self.say
        with ui.dialog(value=True) as dialog, ui.card().classes("pv-dialog"):
            text(say("start.delete.title", name=project.name), "h2", "pv-break")
            text(say("start.delete.text"), "p")
            with box("pv-dialog__foot"):
                button(say("start.cancel"), dialog.close)
                button(say("start.delete.yes"), lambda: self._delete(project, dialog), kind="danger")
        labelled(dialog, say("start.delete.title", name=project.name))

    def _delete(self, project: Summary, dialog: ui.dialog) -> None:
        dialog.close()
        try:
            self.visitor.workspace.delete(project.id)
        except ParaventError as error:
            ui.notify(self.say.heard(str(error)), classes="pv-note")
            return
        ui.notify(self.say("start.deleted"), classes="pv-note")
        self._show()


def ago(say: Words, then: float, now: float | None = None) -> str:
    """How long ago something was.

    >>> ago(Words("en"), 0.0, now=7300.0)
    '2 hours ago'
    """
    seconds = max(0.0, (time.time() if now is None else now) - then)
    for key, length in (("when.days", 86400), ("when.hours", 3600), ("when.minutes", 60)):
        if seconds >= length:
            return say(key, n=int(seconds // length))
    return say("when.now")
