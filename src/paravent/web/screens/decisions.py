"""The decision log: switched on by whoever wants it, looked at, downloaded and deleted by them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from nicegui import ui

from paravent.web.aside import aside
from paravent.web.guiding.decisions import FILE, begin, delete, note, path_of, recorded, steps
from paravent.web.page import Page
from paravent.web.parts.grid import grid
from paravent.web.parts.text import box, button, text
from paravent.web.screens import Screen

PYTHON = f"""from paravent.guide import sessions, study

found = sessions("{FILE}")
print(study(found))
"""


async def build(page: Page) -> None:
    say = page.say
    page.heading("decisions.title", "decisions.lead")
    page.script(PYTHON)
    with box("pv-card", "section"):
        switch = ui.switch(say("decisions.keep"), value=page.document.log is not None)
        switch.props["data-keep"] = "keep-log"
        switch.on_value_change(lambda event: _switch(page, bool(event.value)))
        switch.set_enabled(page.visitor.may_change)
        text(say("decisions.kept"), "p", "pv-muted")
        if page.document.log is not None and page.visitor.may_change:
            _satisfaction(page)
    lines = await aside(steps, page.project)
    with box("pv-stack", "section"):
        text(say("decisions.sessions"), "h2")
        if not lines:
            text(say("decisions.none"), "p", "pv-muted")
            return
        _sessions(page, lines)
        text(say("decisions.steps"), "h2")
        _steps(page, lines)
        with box("pv-row"):
            button(say("decisions.download"), lambda: _download(page), icon="download", keep="download-log")
            if page.visitor.may_change:
                button(
                    say("decisions.delete"),
                    lambda: _delete(page),
                    icon="delete_outline",
                    kind="danger",
                    keep="delete-log",
                )


def _switch(page: Page, on: bool) -> None:
    if on is (page.document.log is not None):
        return
    if on and page.visitor.may_change:
        with page.mistakes():
            begin(page.project, page.say("decisions.on"))
        page.refresh()
    else:
        page.change(page.say("decisions.off"), log=None)


def _satisfaction(page: Page) -> None:
    say = page.say
    with box("pv-row"):
        field = ui.number(say("decisions.satisfaction"), min=0, max=10).props("outlined dense").classes("pv-field")
        field.props["data-keep"] = "satisfaction"

        def write() -> None:
            if field.value is None or not 0 <= field.value <= 10:
                page.warn(say("decisions.satisfaction.needs"))
                return
            with page.mistakes():
                note(page.project, "satisfaction", value=float(field.value))
                page.refresh()

        button(say("decisions.satisfaction.note"), write, keep="write-satisfaction")


def _sessions(page: Page, lines: list[Mapping[str, Any]]) -> None:
    say = page.say
    begun = {str(line["session"]): line["time"] for line in reversed(lines)}

    def figure(value: float | None) -> str | None:
        return None if value is None else say.number(float(value), 3)

    names = ("begun", "mode", "minutes", "effort", "quality", "strict", "right", "satisfied")
    rows = [
        [
            _when(begun[each.name]),
            say(f"shell.mode.{each.mode}") if say.has(f"shell.mode.{each.mode}") else each.mode,
            figure(60 * each.hours),
            str(each.effort),
            figure(each.quality),
            figure(each.strict),
            None if each.right is None else str(each.right),
            figure(each.satisfaction),
        ]
        for each in recorded(page.project)
    ]
    grid([say(f"decisions.{name}") for name in names], rows, say("decisions.sessions"), right=frozenset(range(2, 8)))


def _steps(page: Page, lines: list[Mapping[str, Any]]) -> None:
    say = page.say
    names = [say("decisions.when"), say("decisions.what"), say("decisions.about")]
    rows = [
        [_when(line["time"]), say(f"decisions.event.{line['event']}"), _about(line)] for line in reversed(lines[-200:])
    ]
    grid(names, rows, say("decisions.steps"), wrap=frozenset({2}))


def _about(line: Mapping[str, Any]) -> str:
    facts = {name: value for name, value in line.items() if name not in ("session", "time", "event")}
    return "; ".join(f"{name}: {_fact(value)}" for name, value in facts.items())


def _fact(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _when(seconds: float) -> str:
    return datetime.fromtimestamp(float(seconds), UTC).strftime("%Y-%m-%d %H:%M:%S")


def _download(page: Page) -> None:
    path = path_of(page.project)
    if path.exists():
        ui.download.content(path.read_bytes(), FILE)


def _delete(page: Page) -> None:
    with page.mistakes():
        delete(page.project)
        page.tell(page.say("decisions.deleted"))
        page.refresh()


SCREEN = Screen("decisions", "decisions.title", build, needs_data=False)
