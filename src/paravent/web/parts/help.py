"""Help beside a field, in the words of the knowledge."""

from __future__ import annotations

from nicegui import ui

from paravent.web.aside import aside
from paravent.web.page import Page
from paravent.web.parts.text import box, button, labelled, text


def help_button(page: Page, entry: str, what: str) -> None:
    """A question mark that explains `what` by the entry of the knowledge; only in modes that show definitions."""
    if page.shows("definitions"):
        button("", lambda: help_dialog(page, entry, what), icon="help_outline", kind="quiet",
               label=page.say("shell.help", what=what)).classes("pv-help")  # fmt: skip


async def help_dialog(page: Page, entry: str, what: str) -> None:
    """Open what the knowledge says about an entry."""
    from paravent import knowledge

    with page.mistakes():
        found = await aside(knowledge.show, entry, language=page.say.language)
        told = await aside(knowledge.help_text, entry, language=page.say.language)
        with ui.dialog(value=True) as dialog, ui.card().classes("pv-dialog"):
            with box("pv-dialog__head"):
                text(found.label, "h2")
                button("", dialog.close, icon="close", kind="quiet", label=page.say("shell.close"))
            if found.definition:
                text(found.definition, "p")
            if told and told != found.definition:
                text(told, "p", "pv-muted")
        labelled(dialog, what)
        dialog.on_value_change(lambda event: dialog.delete() if not event.value else None)
