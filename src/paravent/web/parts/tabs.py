"""Parts of a screen as a row of links."""

from __future__ import annotations

from collections.abc import Sequence

from nicegui import ui

from paravent.web.page import Page
from paravent.web.parts.text import labelled, text


def tabs(page: Page, screen: str, names: Sequence[str], at: str) -> None:
    """Links to the parts of a screen; texts are `<screen>.<name>`, the row is called `<screen>.sections`."""
    with ui.element("nav").classes("pv-tabs") as row:
        for name in names:
            link = ui.link(target=page.link(f"{screen}/{name}")).classes("pv-tab" + " pv-tab--here" * (name == at))
            if name == at:
                link.props("aria-current=page")
            with link:
                text(page.say(f"{screen}.{name}"))
    labelled(row, page.say(f"{screen}.sections"))
