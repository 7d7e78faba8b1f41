"""How a file is read: guessed, and corrected where the guess is wrong."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from paravent.errors import ParaventError
from paravent.web.aside import aside
from paravent.web.page import Page
from paravent.web.parts.text import box, button, text

_FIELDS = {
    "delimited": ("delimiter", "encoding", "decimal", "na"),
    ".xlsx": ("sheet", "na"),
}


def reading(page: Page) -> None:
    """The options of reading that the file has."""
    say, source = page.say, page.document.source
    assert source is not None
    text(say("data.reading.lead"), "p", "pv-muted")
    kind = (
        ".xlsx"
        if source.id.endswith(".xlsx")
        else "delimited"
        if source.id.endswith((".csv", ".tsv", ".txt", ".gz"))
        else ""
    )
    wanted = _FIELDS.get(kind, ("na",))
    made: dict[str, Any] = {}
    with box("pv-card pv-card--flat"):
        for name in wanted:
            now = source.options.get(name)
            if name == "na":
                made[name] = ui.textarea(say("data.reading.na"), value="\n".join(map(str, now or ()))).props(
                    "outlined rows=3"
                )
            else:
                made[name] = ui.input(say(f"data.reading.{name}"), value="" if now is None else str(now)).props(
                    "outlined"
                )
            made[name].classes("pv-field pv-narrow")

        async def apply() -> None:
            options = {name: entry for name, entry in source.options.items() if name not in wanted}
            for name, field in made.items():
                value = (field.value or "").strip("\n")
                if name == "na":
                    lines = [line for line in value.split("\n") if line]
                    if lines:
                        options[name] = lines
                elif value:
                    options[name] = {"\\t": "\t"}.get(value, value)
            if not page.change(
                say("data.reading.changed"),
                refresh=False,
                source=source.model_copy(update={"options": options}),
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
