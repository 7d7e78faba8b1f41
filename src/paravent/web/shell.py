"""The frame around every screen: the header, the step line, and the addresses under which screens are served."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from copy import copy
from pathlib import Path

from fastapi import Request
from nicegui import app, ui

from paravent.errors import ParaventError
from paravent.web.page import Page
from paravent.web.parts.script import script_dialog
from paravent.web.parts.steps import StepLine
from paravent.web.parts.text import box, button, labelled, text
from paravent.web.screens import Screen, screen_at, screens, step_line
from paravent.web.start import build_start
from paravent.web.unwatched import watch
from paravent.web.visit import Visitor, visitor_in
from paravent.web.words import LANGUAGES, Words

STATIC = Path(__file__).parent / "static"

_HEAD = (
    '<link rel="stylesheet" href="/static/paravent.css"><link rel="stylesheet" href="/static/guide.css">'
    '<script src="/static/paravent.js" defer></script>'
)


def mount() -> None:
    """Serve the screens. Whose request it is was found out at the door (see `visit.py`)."""
    app.add_static_files("/static", str(STATIC))

    @ui.page("/", title="paravent", language="en-US", dark=None)
    def start(request: Request) -> None:
        watch(ui.context.client)
        _theme(request.cookies.get("paravent-language", "en"))
        build_start(visitor_in(request.scope), request)

    @ui.page("/p/{project_id}", title="paravent", language="en-US", dark=None)
    @ui.page("/p/{project_id}/{rest:path}", title="paravent", language="en-US", dark=None)
    def project(request: Request, project_id: str, rest: str = "") -> None:  # noqa: ARG001
        watch(ui.context.client)
        visitor = visitor_in(request.scope)
        try:
            _Frame(visitor, project_id).build()
        except ParaventError:
            _theme("en")
            _missing(Words(request.cookies.get("paravent-language", "en")))


class _Frame:
    """Header, step line and content of one project in one tab."""

    def __init__(self, visitor: Visitor, project_id: str) -> None:
        self.visitor = visitor
        self.project = visitor.workspace.open(project_id)
        first = screen_at("data") or screens()[0]
        self.page = Page(visitor, self.project, first, on_shown=self.update)
        self.undo: ui.button | None = None
        self.redo: ui.button | None = None

    @property
    def say(self) -> Words:
        return self.page.say

    def build(self) -> None:
        _theme(self.page.document.language)
        ui.page_title(f"{self.page.document.name} · paravent")
        drawer = ui.left_drawer(value=False, fixed=True, bordered=False).classes("pv-drawer")
        drawer.value = (
            None  # open where there is room; nobody needs to ask the browser, which may leave before it answers
        )
        drawer.props("width=264 breakpoint=1023")
        with drawer:
            self.steps = StepLine(self.page)
        with ui.header(elevated=False).classes("pv-header"):
            self._header(drawer)
        base = f"/p/{self.project.id}"
        routes: dict[str, Callable[..., None]] = {base: self._opener(self._first())}
        for screen in screens():
            routes[f"{base}/{screen.path}"] = self._opener(screen)
            routes[f"{base}/{screen.path}/{{rest}}"] = self._opener(screen)
        with box("pv-main") as main:
            ui.sub_pages(routes, show_404=False)
        ui.skip_link(self.say("shell.skip"), target=main)
        self._listen()

    def _first(self) -> Screen:
        line = step_line(self.page.document.mode, self.page.document.expert)
        return line[0] if line else screens()[0]

    def _opener(self, screen: Screen) -> Callable[..., None]:
        def open_screen(rest: str = "") -> None:
            page = self.page
            wanted = screen
            if screen.needs_data and page.document.source is None and screen_at("data"):
                wanted = screen_at("data") or screen
            page.screen, page.rest = wanted, rest
            page.script()
            ui.page_title(f"{self.say(wanted.title)} · {page.document.name} · paravent")
            page.show()
            self._neighbours()
            ui.run_javascript("window.paravent?.arrived()")

        return open_screen

    def _header(self, drawer: ui.left_drawer) -> None:
        say, page = self.say, self.page
        menu = button("", drawer.toggle, icon="menu", kind="quiet", label=say("shell.menu"))
        menu.classes("pv-menu")
        with labelled(ui.link(target="/").classes("pv-brand"), say("shell.product")):
            box("pv-mark").props("aria-hidden=true")
            text(say("shell.product"))
        text(page.document.name, "span", "pv-project")
        ui.space()
        self.undo = button("", page.undo, icon="undo", kind="quiet", label=say("shell.undo"))
        self.redo = button("", page.redo, icon="redo", kind="quiet", label=say("shell.redo"))
        self.undo.classes("pv-undo")
        script = button(say("shell.script"), lambda: script_dialog(page), icon="code", kind="quiet")
        labelled(script, say("shell.script"))
        script.classes("pv-scripts")
        settings = button("", None, icon="tune", kind="quiet", label=say("shell.settings"))
        with settings, ui.menu().classes("pv-settings").props('anchor="bottom right" self="top right"'):
            self._settings()

    def _settings(self) -> None:
        say, document = self.say, self.page.document
        with box("pv-settings__body"):
            ui.select(
                dict(LANGUAGES), value=document.language, label=say("shell.language"),
                on_change=lambda event: self._reload("shell.language.changed", language=event.value),
            ).classes("pv-field")  # fmt: skip
            modes = ("full", "suggestive", "informative", "predefined")
            ui.select(
                {mode: say(f"shell.mode.{mode}") for mode in modes}, value=document.mode, label=say("shell.mode"),
                on_change=lambda event: self._reload("shell.mode.changed", mode=event.value),
            ).classes("pv-field")  # fmt: skip
            ui.switch(
                say("shell.expert"),
                value=document.expert,
                on_change=lambda event: self._reload("shell.expert", expert=event.value),
            )
            text(say("shell.expert.help"), "p", "pv-small")
            ui.link(say("decisions.title"), self.page.link("decisions")).classes("pv-link")
            if self.visitor.name:
                with ui.link(target="/logout").classes("pv-link"):
                    text(f"{say('shell.signout')} ({self.visitor.name})")

    def _reload(self, what: str, **fields: object) -> None:
        """The frame itself changes: it is loaded anew, in the new language or with other steps."""
        if self.page.change(self.say(what), refresh=False, **fields):
            language = self.page.document.language
            ui.run_javascript(
                f"document.cookie = 'paravent-language={language}; path=/; SameSite=Strict; max-age=31536000';"
                "window.location.reload()"
            )

    def _neighbours(self) -> None:
        """The way on, below the content."""
        page = self.page
        line = step_line(page.document.mode, page.document.expert)
        if page.screen not in line:
            return
        at = line.index(page.screen)
        with box("pv-onward", "nav"):
            if at > 0:
                with ui.link(target=page.link(line[at - 1].path)).classes("pv-button pv-button--quiet"):
                    text(self.say("shell.back", step=self.say(line[at - 1].title)))
            ui.space()
            if at + 1 < len(line):
                with ui.link(target=page.link(line[at + 1].path)).classes("pv-button pv-button--next"):
                    text(self.say("shell.next", step=self.say(line[at + 1].title)))

    def update(self) -> None:
        """What the frame shows of the document."""
        self.steps.update()
        past = [change.what for change in self.project.history]
        ahead = [change.what for change in self.project.undone]
        for made, waiting, key in ((self.undo, past, "shell.undo"), (self.redo, ahead, "shell.redo")):
            if made is not None:
                made.set_enabled(bool(waiting) and self.visitor.may_change)
                labelled(made, self.say(f"{key}.what", what=waiting[-1]) if waiting else self.say(key))

    def _listen(self) -> None:
        """Other tabs and finished jobs change what is shown here."""
        loop, page, client = asyncio.get_running_loop(), self.page, ui.context.client
        missed = False

        def show() -> None:
            nonlocal missed
            missed = not client.has_socket_connection  # a page that nobody looks at is built anew when somebody does
            if not missed and not client.is_deleted:
                with client:
                    page.changed_elsewhere()
                    self.update()

        def come() -> None:
            if missed:
                show()

        def changed(_: str) -> None:
            loop.call_soon_threadsafe(show)

        client.on_connect(come)
        client.on_delete(self.project.listen(changed))


def _theme(language: str) -> None:
    known = language if language in LANGUAGES else "en"
    ui.add_head_html(f'<meta name="paravent-language" content="{known}">{_HEAD}')
    page = copy(ui.context.client.page)  # what NiceGUI itself says, where a connection is lost
    page.language = "fr" if known == "fr" else "en-US"
    ui.context.client.page = page
    ui.colors(primary="#0b5f63", secondary="#44546a", accent="#0b5f63", positive="#1b6e3c", negative="#a3262a")


def _missing(say: Words) -> None:
    with box("pv-missing"):
        text(say("shell.missing.title"), "h1")
        text(say("shell.missing.text"), "p")
        with ui.link(target="/").classes("pv-button pv-button--main"):
            text(say("shell.projects"))
