"""The step line: where a person stands, what is done, what comes."""

from __future__ import annotations

from itertools import groupby

from nicegui import ui

from paravent.web.page import Page
from paravent.web.parts.text import box, text
from paravent.web.screens import step_line


class StepLine:
    """A list of links, one a screen, each with its tick. `update` draws it anew when the document has changed."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.shown: object = None
        self.nav = box("pv-steps", "nav")
        self.nav.props["aria-label"] = page.say("shell.steps")

    def update(self) -> None:
        page = self.page
        line = step_line(page.document.mode, page.document.expert)
        ticks = [screen.done(page.document) for screen in line]
        now = (page.screen.path, page.document.language, tuple(screen.path for screen in line), tuple(ticks))
        if now == self.shown:
            return
        self.shown = now
        done = dict(zip((screen.path for screen in line), ticks, strict=True))
        self.nav.clear()
        number = 0
        with self.nav:
            for group, members in groupby(line, key=lambda screen: screen.group):
                text(page.say(f"shell.group.{group}"), "h2", "pv-steps__group")
                with box("pv-steps__list", "ol"):
                    for screen in members:
                        number += 1
                        self._step(screen.path, page.say(screen.title), number, done[screen.path])

    def _step(self, path: str, title: str, number: int, done: bool) -> None:
        here = path == self.page.screen.path
        with box("pv-step" + " pv-step--here" * here + " pv-step--done" * done, "li"):
            link = ui.link(target=self.page.link(path)).classes("pv-step__link")
            if here:
                link.props("aria-current=step")
            with link:
                with box("pv-step__mark", "span"):
                    if done:
                        ui.icon("check")
                    else:
                        text(str(number)).props("aria-hidden=true")
                text(title, "span", "pv-step__title")
                if done:
                    text(f" ({self.page.say('shell.done')})", "span", "pv-unseen")
