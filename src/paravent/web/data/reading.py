"""How a file is read: guessed, and corrected where the guess is wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from paravent.errors import ParaventError
from paravent.web.aside import aside
from paravent.web.page import Page
from paravent.web.parts.text import box, button, labelled, library, text
from paravent.web.workspace.document import Source

_FIELDS = {
    "delimited": ("delimiter", "encoding", "decimal", "header", "na"),
    ".xlsx": ("sheet", "header", "na"),
}
Options = dict[str, Any]


def reading(page: Page) -> None:
    """The options of reading that the file has."""
    say, source = page.say, page.document.source
    assert source is not None
    text(say("data.reading.lead"), "p", "pv-muted")
    with box("pv-card pv-card--flat"):
        said = _fields(page, source)

        async def apply() -> None:
            if not page.change(
                say("data.reading.changed"),
                refresh=False,
                source=source.model_copy(update={"options": said()}),
                release=None,
            ):
                return
            try:
                await aside(page.project.table)
            except ParaventError as error:
                page.project.undo()
                page.warn(page.refusal(error))
                return
            page.refresh()

        with box("pv-row"):
            button(say("data.reading.apply"), apply, icon="refresh", kind="main")


def otherwise(page: Page, source: Source, error: ParaventError) -> None:
    """A file that has come and cannot be read: what is wrong, and how else it may be read. It is the table of the
    project once it can be; left as it is, it is deleted."""
    say, taken = page.say, False
    with ui.dialog(value=True) as dialog, ui.card().classes("pv-dialog pv-dialog--wide"):
        text(say("data.otherwise", name=source.name), "h2", "pv-break")
        with box("pv-problem").props('role="alert"') as wrong:
            ui.icon("error_outline")
            library(page, str(error), "p")
        text(say("data.otherwise.text"), "p", "pv-muted")
        said = _fields(page, source)

        async def apply() -> None:
            nonlocal taken
            wanted = source.model_copy(update={"options": said()})
            go.disable()
            try:
                await aside(page.project.look, wanted)
                page.project.take(wanted)
                taken = True
            except ParaventError as again:
                wrong.clear()
                with wrong:
                    ui.icon("error_outline")
                    library(page, str(again), "p")
                return
            finally:
                go.enable()
            dialog.close()
            page.refresh()

        with box("pv-dialog__foot"):
            button(say("data.otherwise.leave"), dialog.close)
            go = button(say("data.otherwise.apply"), apply, icon="refresh", kind="main")

    def closed() -> None:
        if not dialog.value and not taken:
            with page.mistakes():
                page.project.discard(source)

    dialog.on_value_change(closed)
    labelled(dialog, say("data.otherwise", name=source.name))


def can_be_told(source: Source) -> bool:
    """Whether something can be said of how the file is read."""
    return _kind(source) != ""


def _kind(source: Source) -> str:
    if source.id.endswith(".xlsx"):
        return ".xlsx"
    return "delimited" if source.id.endswith((".csv", ".tsv", ".txt", ".gz")) else ""


def _fields(page: Page, source: Source) -> Callable[[], Options]:
    """A field for each option; gives what they say."""
    say = page.say
    wanted = _FIELDS.get(_kind(source), ("na",))
    made: dict[str, Any] = {}
    for name in wanted:
        now = source.options.get(name)
        if name == "header":
            made[name] = ui.checkbox(say("data.reading.header"), value=now == "repair")
            continue
        if name == "na":
            made[name] = ui.textarea(say("data.reading.na"), value="\n".join(map(str, now or ())))
            made[name].props("outlined rows=3")
        else:
            made[name] = ui.input(say(f"data.reading.{name}"), value="" if now is None else str(now)).props("outlined")
        made[name].classes("pv-field pv-narrow")

    def said() -> Options:
        options = {name: entry for name, entry in source.options.items() if name not in wanted}
        for name, field in made.items():
            value = field.value
            if name == "header":
                if value:
                    options[name] = "repair"
            elif name == "na":
                if lines := [line for line in (value or "").split("\n") if line]:
                    options[name] = lines
            elif value := (value or "").strip("\n"):
                options[name] = {"\\t": "\t"}.get(value, value)
        return options

    return said
