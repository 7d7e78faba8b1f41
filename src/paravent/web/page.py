"""Page: what a screen holds in its hands while it is shown to one person."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from nicegui import ui

from paravent.errors import ParaventError
from paravent.web.aside import aside
from paravent.web.parts.text import problem, text
from paravent.web.words import Words

if TYPE_CHECKING:
    import paravent as pv
    from paravent.web.screens import Screen
    from paravent.web.visit import Visitor
    from paravent.web.workspace import Document, Project, Workspace
    from paravent.web.workspace.history import Change


@dataclass(frozen=True)
class Script:
    """What a screen does, for those who would rather write it."""

    python: str = ""
    shell: str = ""


@dataclass(eq=False)
class Page:
    """One tab of a browser on one project. Screens build themselves with it, and change the project through it."""

    visitor: Visitor
    project: Project
    screen: Screen
    rest: str = ""
    shown_script: Script = Script()
    _holder: ui.element | None = field(default=None, repr=False)
    _body: ui.element | None = field(default=None, repr=False)
    _build: int = 0
    _version: int = -1
    on_shown: Callable[[], None] = field(default=lambda: None, repr=False)

    @property
    def workspace(self) -> Workspace:
        return self.visitor.workspace

    @property
    def document(self) -> Document:
        return self.project.document

    @property
    def say(self) -> Words:
        return Words(self.document.language)

    def shows(self, element: str) -> bool:
        """Whether the person's guidance mode shows an element (see `paravent.guide.shows`)."""
        from paravent.guide import shows

        return bool(shows(self.document.mode, element))

    def link(self, path: str) -> str:
        """The address of another screen of this project."""
        return f"/p/{self.project.id}/{path}"

    def go(self, path: str) -> None:
        ui.navigate.to(self.link(path))

    async def table(self) -> pv.Table:
        """The table, read and cleaned, without holding up anybody else."""
        return await aside(self.project.table)

    # What a screen says

    def heading(self, title: str, lead: str = "", **values: Any) -> None:
        """The head of a screen: its title, and in a sentence or two what is done here."""
        with ui.element("div").classes("pv-head"):
            text(self.say(title, **values), "h1").props("tabindex=-1")
            if lead:
                text(self.say(lead, **values), "p", "pv-lead")

    def script(self, python: str = "", shell: str = "") -> None:
        """What "Show me the script" shows on this screen."""
        self.shown_script = Script(python, shell)

    def tell(self, sentence: str) -> None:
        """A short note that goes by itself."""
        ui.notify(sentence, position="bottom", classes="pv-note", progress=False, timeout=4000)

    def warn(self, sentence: str) -> None:
        """A note that stays until it is closed."""
        ui.notify(
            sentence,
            position="bottom",
            classes="pv-note pv-note--warn",
            timeout=0,
            close_button=self.say("shell.close"),
            multi_line=True,
        )

    def refusal(self, error: ParaventError) -> str:
        """The sentence of an error, in the person's language where the library's has been put into it."""
        return self.say.heard(str(error))

    @contextmanager
    def mistakes(self) -> Iterator[None]:
        """What goes wrong by a person's hand is said in its own sentence."""
        try:
            yield
        except ParaventError as error:
            self.warn(self.refusal(error))

    # What a screen does

    def change(self, what: str, *, refresh: bool = True, **fields: Any) -> bool:
        """One step that can be undone, named in plain words. False where it was refused (the reason has been said)."""
        if not self.visitor.may_change:
            self.warn(self.say("shell.viewer"))
            return False
        try:
            self.project.change(what, **fields)
        except ParaventError as error:
            self.warn(self.refusal(error))
            self.refresh()
            return False
        from paravent.web.guiding.decisions import note_change

        with self.mistakes():
            note_change(self.project, fields)
        self._version = self.project.version
        self.on_shown()
        if refresh:
            self.refresh()
        return True

    def undo(self) -> None:
        self._step(self.project.undo, self.project.history, "shell.undone")

    def redo(self) -> None:
        self._step(self.project.redo, self.project.undone, "shell.redone")

    def _step(self, step: Callable[[], Any], waiting: Sequence[Change], said: str) -> None:
        if not self.visitor.may_change:
            self.warn(self.say("shell.viewer"))
            return
        if not waiting:
            return
        with self.mistakes():
            step()
            self._version = self.project.version
            self.tell(self.say(said, what=waiting[-1].what))
            self.refresh()

    # How it is shown

    def show(self) -> None:
        """Build the screen where the elements are made now."""
        self._holder = ui.element("div").classes("pv-holder")
        self.refresh()

    def refresh(self) -> None:
        """Build the screen anew from the document. What was there stays until the new one stands."""
        if self._holder is None or self._holder.is_deleted:
            return
        self._build += 1
        self._version = self.project.version
        old, number = self._body, self._build
        with self._holder:
            body = ui.element("div").classes("pv-body")
        body.set_visibility(old is None or old.is_deleted)
        self._body = body
        with body:
            found = self.screen.build(self)
        if inspect.isawaitable(found):
            with body:
                spinner = ui.element("div").classes("pv-loading").props('role="status"') if body.visible else None
            from nicegui import background_tasks

            background_tasks.create(self._finish(found, body, number, spinner), name="build a screen")
        else:
            self._swap(body)

    async def _finish(self, build: Any, body: ui.element, number: int, spinner: ui.element | None) -> None:
        try:
            with body:
                await build
        except ParaventError as error:
            if not _gone(body):
                with body:
                    problem(str(error), of=self)
        except asyncio.CancelledError:
            raise
        except Exception:
            if _gone(body):  # whoever asked has left: there is nothing to build any more
                return
            with body:
                problem(self.say("shell.wrong"))
            raise
        finally:
            if spinner is not None and not spinner.is_deleted:
                spinner.delete()
            if number == self._build:
                self._swap(body)
            elif not body.is_deleted:
                body.delete()

    def _swap(self, body: ui.element) -> None:
        if body.is_deleted:
            return
        if self._holder is not None:
            for child in list(self._holder.default_slot.children):
                if child is not body and child is not self._body:
                    child.delete()
        body.set_visibility(True)
        self.on_shown()

    def changed_elsewhere(self) -> None:
        """Another tab, or a job, has changed the project."""
        if self.project.version != self._version:
            self.refresh()


def _gone(element: ui.element) -> bool:
    """Whether the page of an element has been closed."""
    try:
        return bool(element.is_deleted or element.client.is_deleted)
    except RuntimeError:  # the page is not even in memory any more
        return True
