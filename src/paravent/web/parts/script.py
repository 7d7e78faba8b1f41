"""Show me the script: the Python and the commands that do what a screen does."""

from __future__ import annotations

from nicegui import ui

from paravent.web.page import Page
from paravent.web.parts.text import box, button, labelled, text


def script_dialog(page: Page) -> None:
    """Open a window with the script of the screen that is shown."""
    say, script = page.say, page.shown_script
    with ui.dialog(value=True) as dialog, ui.card().classes("pv-dialog pv-dialog--wide"):
        with box("pv-dialog__head"):
            text(say("shell.script.title"), "h2")
            button("", dialog.close, icon="close", kind="quiet", label=say("shell.close"))
        text(say("shell.script.intro"), "p")
        for title, words in (("shell.script.python", script.python), ("shell.script.shell", script.shell)):
            if words:
                code_block(page, say(title), words)
    labelled(dialog, say("shell.script.title"))
    dialog.on_value_change(lambda event: dialog.delete() if not event.value else None)


def code_block(page: Page, title: str, words: str) -> None:
    """A text to be copied, under a heading."""
    with box("pv-code"):
        with box("pv-code__head"):
            text(title, "h3")

            def copy() -> None:
                ui.clipboard.write(words)
                page.tell(page.say("shell.copied"))

            button(
                page.say("shell.copy"),
                copy,
                icon="content_copy",
                kind="quiet",
                label=f"{page.say('shell.copy')}: {title}",
            )
        made = text(words, "pre", "pv-code__text").props("tabindex=0 role=region")
        labelled(made, title)
